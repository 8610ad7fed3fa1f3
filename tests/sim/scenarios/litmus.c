/* SPDX-License-Identifier: MIT */
/* Tests of the simulated machine: which outcomes its memory and its signals allow. */
#include "base/atomic.h"
#include "os/os.h"
#include "scenario.h"

/*
 * The classic small programs: two threads, two variables. A run fails if the outcome is
 * the weak one; ctest knows by the second argument whether that has to happen.
 */
static rt_atomic(uint32_t) x;
static rt_atomic(uint32_t) y;
static uint32_t seen_x;
static uint32_t seen_y;

static void run_both(void (*first)(void *), void (*second)(void *)) {
    sim_search();
    struct sim_thread *a = sim_thread_start("first", first, NULL);
    struct sim_thread *b = sim_thread_start("second", second, NULL);
    sim_thread_join(a);
    sim_thread_join(b);
}

/* Each stores to one and looks at the other: the shape of every lost wake-up. */

static void store_x_load_y(void *unused) {
    (void)unused;
    rt_store_rel(&x, 1);
    seen_y = rt_load_acq(&y);
}

static void store_y_load_x(void *unused) {
    (void)unused;
    rt_store_rel(&y, 1);
    seen_x = rt_load_acq(&x);
}

SIM_LITMUS(store_buffer, tso, "two stores, each followed by a load of the other") {
    run_both(store_x_load_y, store_y_load_x);
    sim_check(seen_x == 1 || seen_y == 1);
}

static void fenced_store_x_load_y(void *unused) {
    (void)unused;
    rt_store_rlx(&x, 1);
    rt_fence_sc();
    seen_y = rt_load_rlx(&y);
}

static void fenced_store_y_load_x(void *unused) {
    (void)unused;
    rt_store_rlx(&y, 1);
    rt_fence_sc();
    seen_x = rt_load_rlx(&x);
}

SIM_LITMUS(store_buffer_fences, never, "the same with a fence between store and load") {
    run_both(fenced_store_x_load_y, fenced_store_y_load_x);
    sim_check(seen_x == 1 || seen_y == 1);
}

SIM_LITMUS(store_buffer_one_fence, tso, "the same with a fence on one side only") {
    run_both(fenced_store_x_load_y, store_y_load_x);
    sim_check(seen_x == 1 || seen_y == 1);
}

/* Data, then a flag. */

static void send_relaxed(void *unused) {
    (void)unused;
    rt_store_rlx(&x, 1);
    rt_store_rlx(&y, 1);
    sim_pause_some(6);
}

static void send_released(void *unused) {
    (void)unused;
    rt_store_rlx(&x, 1);
    rt_store_rel(&y, 1);
    sim_pause_some(6);
}

static void receive(void *unused) {
    (void)unused;
    sim_pause_some(6);
    seen_y = rt_load_acq(&y);
    seen_x = rt_load_acq(&x);
}

SIM_LITMUS(message_relaxed, weak, "a flag is stored after its data, without a release") {
    run_both(send_relaxed, receive);
    sim_check(seen_y == 0 || seen_x == 1);
}

SIM_LITMUS(message_released, never, "a flag is stored after its data, by a release") {
    run_both(send_released, receive);
    sim_check(seen_y == 0 || seen_x == 1);
}

/* One place */

static void store_twice(void *unused) {
    (void)unused;
    rt_store_rlx(&x, 1);
    rt_store_rlx(&x, 2);
    sim_check(rt_load_rlx(&x) == 2); /* the own stores are seen at once */
}

static void load_twice(void *unused) {
    (void)unused;
    seen_x = rt_load_rlx(&x);
    seen_y = rt_load_rlx(&x);
}

SIM_LITMUS(coherence, never, "two stores to one place are seen in their order") {
    run_both(store_twice, load_twice);
    sim_check(seen_y >= seen_x);
}

static void add_by_two_steps(void *unused) {
    (void)unused;
    rt_store_rlx(&x, rt_load_rlx(&x) + 1);
}

SIM_LITMUS(lost_update, sc, "an addition by a load and a store") {
    run_both(add_by_two_steps, add_by_two_steps);
    sim_check(rt_load_rlx(&x) == 2);
}

static void add_at_once(void *unused) {
    (void)unused;
    rt_add_rlx(&x, 1);
}

SIM_LITMUS(no_lost_update, never, "an addition by one operation") {
    run_both(add_at_once, add_at_once);
    sim_check(rt_load_rlx(&x) == 2);
}

/* Signals */

static struct sim_thread *target;
static int arrived;
static int arrived_at; /* what the target was doing */

static void on_signal(int number) {
    sim_check(sim.self == target && number == 5);
    arrived++;
    arrived_at = (int)rt_load_rlx(&x);
    rt_store_rlx(&y, 1);
}

static void work_until_signal(void *unused) {
    (void)unused;
    for (uint32_t i = 1; arrived == 0; i++) {
        rt_store_rlx(&x, i % 4);
    }
}

static void send_signal(void *unused) {
    (void)unused;
    sim_pause_some(30);
    sim_signal(target, 5);
}

static void signal_to(void (*fn)(void *)) {
    sim.signal_handler = on_signal;
    target = sim_thread_start("target", fn, NULL);
    struct sim_thread *sender = sim_thread_start("sender", send_signal, NULL);
    sim_thread_join(sender);
    sim_thread_join(target);
    sim_check(arrived == 1);
}

SIM_LITMUS(signal_interrupts, never, "a signal ends a loop that nothing else would end") {
    signal_to(work_until_signal);
}

SIM_LITMUS(signal_anywhere, sc, "a signal arrives between any two steps") {
    signal_to(work_until_signal);
    sim_check(arrived_at != 3);
}

static void wait_until_signal(void *unused) {
    (void)unused;
    while (rt_load_acq(&y) == 0) {
        os_futex_wait(&y, 0, OS_NEVER);
    }
}

SIM_LITMUS(signal_wakes, never, "a signal ends a wait in the kernel") {
    signal_to(wait_until_signal);
}

static void work_blocked(void *unused) {
    (void)unused;
    uint32_t before = sim_signal_block(UINT32_C(1) << 5);
    for (int i = 0; i < 40; i++) {
        rt_store_rlx(&x, 3);
    }
    sim_check(arrived == 0);
    rt_store_rlx(&x, 0);
    sim_signal_block(before);
    work_until_signal(NULL);
}

SIM_LITMUS(signal_blocked, never, "a blocked signal waits") {
    signal_to(work_blocked);
}
