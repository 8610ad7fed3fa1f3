/* SPDX-License-Identifier: MIT */
/* How much CPU time does a process use whose goroutines all wait? */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tuco.h>

#include "cases.h"
#include "harness.h"
#include "proc.h"

#define GOROUTINES     10000
#define SETTLE_SECONDS 1
#define WINDOW_SECONDS 5

struct crowd {
    tuco_wg arrived;
    tuco_wg gate; /* never opens */
};

static void wait_at_gate(void *arg) {
    struct crowd *c = arg;
    tuco_wg_done(&c->arrived);
    tuco_wg_wait(&c->gate);
}

/* The measured process. Its main thread stays outside the library and sleeps in the
   kernel. */
static _Noreturn void be_idle(int ready_fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static struct crowd c;
    tuco_wg_add(&c.arrived, GOROUTINES);
    tuco_wg_add(&c.gate, 1);
    bench_check(tuco_start(), "tuco_start");
    for (int i = 0; i < GOROUTINES; i++) {
        bench_check(tuco_go(wait_at_gate, &c), "tuco_go");
    }
    tuco_wg_wait(&c.arrived);
    if (write(ready_fd, "", 1) != 1) {
        bench_die("the watching process is gone: %m");
    }
    for (;;) {
        pause();
    }
}

static void sleep_seconds(int seconds) {
    struct timespec span = {.tv_sec = seconds};
    while (nanosleep(&span, &span) != 0) {
    }
}

static void watch(pid_t pid) {
    sleep_seconds(SETTLE_SECONDS);
    struct bench_cpu_use before = bench_proc_cpu_use(pid);
    int64_t start_ns = bench_now_ns();
    sleep_seconds(WINDOW_SECONDS);
    double window_ns = (double)(bench_now_ns() - start_ns);
    struct bench_cpu_use after = bench_proc_cpu_use(pid);
    if (after.threads < before.threads) {
        bench_die("a thread ended in the window and took its CPU time with it");
    }
    double run_ns = (double)(after.run_ns - before.run_ns);
    double timeslices = (double)(after.timeslices - before.timeslices);
    bench_report_one("_cpu", "% of a CPU", 1, 100 * run_ns / window_ns);
    bench_report_one("_wakes", "wakes/s", 1, timeslices / (window_ns / 1e9));
}

/* Measures from another process, so that reading /proc does not count as work of the idle
   one. */
void bench_idle(void) {
    int ready[2];
    if (pipe(ready) != 0) {
        bench_die("pipe: %m");
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        be_idle(ready[1]);
    }
    close(ready[1]);
    char byte;
    if (pid < 0 || read(ready[0], &byte, 1) != 1) {
        bench_die("the process to watch did not get ready");
    }
    watch(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
}
