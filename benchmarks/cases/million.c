/* SPDX-License-Identifier: MIT */
/* What do a million goroutines parked at once cost: to create, keep, wake and end? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"
#include "proc.h"

#define GOROUTINES 1000000

/* When the creator continues, the last goroutine to count down may still be on its way to
   the gate on another P. */
#define YIELDS_TO_SETTLE 4

struct crowd {
    tuco_wg arrived;
    tuco_wg gate; /* counts 1 until it opens */
    tuco_wg gone;
};

static void wait_at_gate(void *arg) {
    struct crowd *c = arg;
    tuco_wg_done(&c->arrived);
    tuco_wg_wait(&c->gate);
    tuco_wg_done(&c->gone);
}

static void create(struct crowd *c) {
    int64_t start_ns = bench_now_ns();
    for (int i = 0; i < GOROUTINES; i++) {
        bench_check(tuco_go(wait_at_gate, c), "tuco_go");
    }
    tuco_wg_wait(&c->arrived);
    for (int i = 0; i < YIELDS_TO_SETTLE; i++) {
        tuco_yield();
    }
    double took_ns = (double)(bench_now_ns() - start_ns);
    bench_report_one("_create", "ns/op", GOROUTINES, took_ns / GOROUTINES);
}

static void wake(struct crowd *c) {
    int64_t start_ns = bench_now_ns();
    tuco_wg_done(&c->gate);
    tuco_wg_wait(&c->gone);
    double took_ns = (double)(bench_now_ns() - start_ns);
    bench_report_one("_wake_exit", "ns/op", GOROUTINES, took_ns / GOROUTINES);
}

/* Once, in a new process: a second crowd would reuse the memory of the first. */
void bench_million(void) {
    struct crowd c = {0};
    tuco_wg_add(&c.arrived, GOROUTINES);
    tuco_wg_add(&c.gate, 1);
    tuco_wg_add(&c.gone, GOROUTINES);
    double before = bench_proc_resident_bytes();
    create(&c);
    double grown = bench_proc_resident_bytes() - before;
    bench_report_one("_bytes", "B/goroutine", GOROUTINES, grown / GOROUTINES);
    bench_report_one("_vmas", "VMAs", 1, bench_proc_mappings());
    wake(&c);
}
