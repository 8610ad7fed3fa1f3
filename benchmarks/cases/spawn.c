/* SPDX-License-Identifier: MIT */
/* What does a goroutine cost that does nothing: in a batch, one by one, and in memory? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"
#include "proc.h"

#define GOROUTINES 1000000

static void count_down(void *arg) {
    tuco_wg_done(arg);
}

static void spawn_batch(size_t n) {
    tuco_wg wg = {0};
    tuco_wg_add(&wg, (int)n);
    for (size_t i = 0; i < n; i++) {
        bench_check(tuco_go(count_down, &wg), "tuco_go");
    }
    tuco_wg_wait(&wg);
}

/* Each goroutine is entered once and counts down once. */
void bench_spawn(void) {
    bench_time(GOROUTINES, spawn_batch,
               (struct bench_floor){.switches = 1, .pairs = 0.5});
}

static void spawn_one_by_one(size_t n) {
    tuco_wg wg = {0};
    for (size_t i = 0; i < n; i++) {
        tuco_wg_add(&wg, 1);
        bench_check(tuco_go(count_down, &wg), "tuco_go");
        tuco_wg_wait(&wg);
    }
}

/* A switch to the goroutine and back to the waiter; one count up and down. */
void bench_spawn_seq(void) {
    bench_time(GOROUTINES, spawn_one_by_one,
               (struct bench_floor){.switches = 2, .pairs = 1});
}

/* Once, in a new process: a second batch would reuse the memory of the first. */
void bench_spawn_peak(void) {
    double page_tables = bench_proc_status_bytes("VmPTE");
    bench_proc_reset_peak();
    double before = bench_proc_status_bytes("VmRSS");
    spawn_batch(GOROUTINES);
    double peak = bench_proc_status_bytes("VmHWM") - before;
    peak += bench_proc_status_bytes("VmPTE") - page_tables;
    bench_report_one(NULL, "B/goroutine", GOROUTINES, peak / GOROUTINES);
}
