/* SPDX-License-Identifier: MIT */
/* How long does a request to a pool take beside goroutines that compute and yield? */
#include <tuco.h>

#include "busy.h"
#include "cases.h"
#include "compute.h"
#include "harness.h"

#define WORKERS         4
#define REQUEST_NS      20000
#define BUSY_PER_P      2
#define BUSY_NS         (2 * 1000000)
#define REQUESTS        500
#define REQUESTS_BEFORE 10
#define PAUSE           (500 * TUCO_MICROSECOND)

static size_t steps;
static tuco_chan *requests;
static tuco_chan *answers;
static tuco_wg gone;

static void serve(void *arg) {
    (void)arg;
    int request;
    while (tuco_chan_recv(requests, &request) == 0) {
        bench_compute(steps);
        bench_check(tuco_chan_send(answers, &request), "tuco_chan_send");
    }
    tuco_wg_done(&gone);
}

/* Sends count requests, waits for all answers, and returns the time it took. */
static double requests_us(int count) {
    int64_t start_ns = bench_now_ns();
    int sum = 0;
    for (int i = 1; i <= count; i++) {
        bench_check(tuco_chan_send(requests, &i), "tuco_chan_send");
    }
    for (int i = 1; i <= count; i++) {
        int answer;
        bench_check(tuco_chan_recv(answers, &answer), "tuco_chan_recv");
        sum += i - answer;
    }
    if (sum != 0) {
        bench_die("an answer is lost or came twice");
    }
    return (double)(bench_now_ns() - start_ns) / 1e3;
}

/* The main goroutine is the client. */
static void measure(int at_once) {
    static double us[REQUESTS];
    steps = bench_steps(REQUEST_NS);
    requests = tuco_chan_make(sizeof(int), 0);
    answers = tuco_chan_make(sizeof(int), 0);
    bench_check_made(requests, "tuco_chan_make");
    bench_check_made(answers, "tuco_chan_make");
    tuco_wg_add(&gone, WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        bench_check(tuco_go(serve, NULL), "tuco_go");
    }
    bench_busy_start(BUSY_PER_P * tuco_procs(0), BUSY_NS);
    for (int i = -REQUESTS_BEFORE; i < REQUESTS; i++) {
        double took_us = requests_us(at_once);
        if (i >= 0) {
            us[i] = took_us;
        }
        tuco_sleep(PAUSE);
    }
    bench_busy_stop();
    tuco_chan_close(requests);
    tuco_wg_wait(&gone);
    tuco_chan_unref(requests);
    tuco_chan_unref(answers);
    bench_report_percentiles("us", us, REQUESTS);
}

void bench_request_busy(void) {
    measure(1);
}

/* One request for each worker: each worker is woken before the previous one has run. */
void bench_request_burst(void) {
    measure(WORKERS);
}
