/* SPDX-License-Identifier: MIT */
/* Proves: if there is no memory for the goroutine of a timer's or context's function, the
   runtime calls the function when there is. */
/* not under tsan */
/* fixed procs */
#include "gate.h"
#include "fault.h"
#include "timers.h"

#define FAR (3600 * TUCO_SECOND)

static atomic_int called;
static tuco_wg end;

/* Descriptors of goroutines come from reservations. */
static void use_up_descriptors(void) {
    int error = 0;
    tuco_wg_add(&gate, 1);
    atomic_store(&test_fault_denying, 1);
    while (error == 0) {
        error = tuco_wg_go(&end, gate_wait, NULL);
    }
    ASSERT_EQ(error, -ENOMEM);
}

static void call(void *arg) {
    (void)arg;
    atomic_fetch_add(&called, 1);
}

/* Makes memory available again: the function is called, once. */
static void expect_call(void) {
    ASSERT_EQ(atomic_load(&called), 0);
    tuco_wg_done(&gate);
    atomic_store(&test_fault_denying, 0);
    test_await(&called, 1);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&called), 1);
}

/* The second timer needs no memory to fire, and fires after the first. */
static int timer_main(void *arg) {
    (void)arg;
    tuco_timer *with_function = MADE(tuco_timer_func(FAR, call, NULL));
    tuco_timer *after_it = MADE(tuco_timer_make(FAR));
    use_up_descriptors();
    tuco_timer_reset(with_function, 0);
    tuco_timer_reset(after_it, 2 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(after_it), NULL), 0);
    expect_call();
    tuco_timer_free(with_function);
    tuco_timer_free(after_it);
    return 0;
}

static int ctx_main(void *arg) {
    (void)arg;
    tuco_ctx *ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_ctx_after *after = MADE(tuco_ctx_after_make(ctx, call, NULL));
    use_up_descriptors();
    tuco_ctx_cancel(ctx);
    expect_call();
    tuco_ctx_after_free(after);
    tuco_ctx_unref(ctx);
    return 0;
}

static void run_with_denials(int (*main_fn)(void *)) {
    test_setenv("TUCOPROCS", "1"); // other processors would keep descriptors
    os_fault_hook = test_fault_deny_reserve;
    RUN(main_fn);
    os_fault_hook = NULL;
}

TEST(of_a_timer) {
    run_with_denials(timer_main);
}

TEST(of_a_context) {
    run_with_denials(ctx_main);
}
