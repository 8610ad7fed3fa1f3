/* SPDX-License-Identifier: MIT */
/* What happens to a spin lock that many goroutines want if its holder is preempted? */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <tuco.h>

#include "cases.h"
#include "compute.h"
#include "harness.h"

#define SPINNERS   200
#define SECTION_NS 1000
#define WINDOW_NS  (100 * (int64_t)1000000)
#define WINDOWS    30

static struct {
    size_t steps;
    int procs;
    int64_t start_ns;
    atomic_bool over;
    atomic_bool locked;
    int64_t sections[WINDOWS]; /* guarded by locked; read after all have exited */
    tuco_wg done;
} lock;

/* acquire: pairs with the release in leave(). Returns false if the time is over. */
static bool enter(void) {
    while (atomic_exchange_explicit(&lock.locked, true, memory_order_acquire)) {
        if (atomic_load_explicit(&lock.over, memory_order_relaxed)) {
            return false;
        }
        sched_yield();
    }
    return true;
}

/* release: pairs with the acquire in enter(). */
static void leave(void) {
    atomic_store_explicit(&lock.locked, false, memory_order_release);
}

/* The holder reads the clock, since no other goroutine is sure to get a turn. Returns
   false if the time is over. relaxed: the flag publishes nothing. */
static bool count_section(void) {
    int64_t window = (bench_now_ns() - lock.start_ns) / WINDOW_NS;
    if (window >= WINDOWS) {
        atomic_store_explicit(&lock.over, true, memory_order_relaxed);
        return false;
    }
    lock.sections[window]++;
    return true;
}

static void take_and_leave(void) {
    bool going = true;
    while (going && enter()) {
        bench_compute(lock.steps);
        going = count_section();
        leave();
    }
}

static void run_goroutine(void *arg) {
    (void)arg;
    take_and_leave();
    tuco_wg_done(&lock.done);
}

static void begin(void) {
    memset(lock.sections, 0, sizeof lock.sections);
    atomic_store_explicit(&lock.over, false, memory_order_relaxed);
    lock.start_ns = bench_now_ns();
}

static int main_goroutine(void *arg) {
    (void)arg;
    lock.procs = tuco_procs(0);
    begin();
    tuco_wg_add(&lock.done, SPINNERS);
    for (int i = 0; i < SPINNERS; i++) {
        bench_check(tuco_go(run_goroutine, NULL), "tuco_go");
    }
    tuco_wg_wait(&lock.done);
    return 0;
}

static void *run_thread(void *arg) {
    take_and_leave();
    return arg;
}

/* Limits the process to as many CPUs as there were Ps. Threads inherit the mask. */
static void use_cpus(int count) {
    cpu_set_t all;
    cpu_set_t some;
    CPU_ZERO(&some);
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        bench_die("sched_getaffinity: %m");
    }
    for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &some);
            count--;
        }
    }
    if (sched_setaffinity(0, sizeof some, &some) != 0) {
        bench_die("sched_setaffinity: %m");
    }
}

static void run_threads(void) {
    pthread_t threads[SPINNERS];
    use_cpus(lock.procs);
    begin();
    for (int i = 0; i < SPINNERS; i++) {
        bench_check(-pthread_create(&threads[i], NULL, run_thread, NULL),
                    "pthread_create");
    }
    for (int i = 0; i < SPINNERS; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Counts a window without a section as if it had one. */
static void report(void) {
    int64_t sum = 0;
    int64_t least = INT64_MAX;
    for (int i = 0; i < WINDOWS; i++) {
        sum += lock.sections[i];
        least = lock.sections[i] < least ? lock.sections[i] : least;
    }
    bench_report_one(NULL, "ns/op", SPINNERS,
                     (double)(WINDOWS * WINDOW_NS) / (double)(sum > 0 ? sum : 1));
    bench_report_one("_worst", "ns/op", SPINNERS,
                     (double)WINDOW_NS / (double)(least > 0 ? least : 1));
}

/* First goroutines, then as many plain threads, reported as a separate peer. */
void bench_spinlock(void) {
    lock.steps = bench_steps(SECTION_NS);
    bench_check(tuco_run(main_goroutine, NULL), "tuco_run");
    report();
    run_threads();
    bench_begin_peer("threads", "spinlock", lock.procs);
    report();
}
