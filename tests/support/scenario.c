/* SPDX-License-Identifier: MIT */
/* scenario.c: a small program that uses all of the runtime, to be run with injected
   faults. */
#include "scenario.h"
#include "fault.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define SPAWNS    TEST_SIZE(150, 75) /* more than any cache holds */
#define STACK_USE 20000
#define LARGE     ((size_t)2 << 20) /* stacks of this size are not cached populated */

struct counts {
    int spawned;  /* spawner only */
    int deferred; /* spawner only */
    atomic_int ran;
    atomic_int cleaned;
};

static struct counts counts;
static tuco_wg gate;
static atomic_int deferred_in_goroutines;

static bool succeeded(int rc) {
    ASSERT(rc == 0 || rc == -ENOMEM || rc == -EAGAIN);
    return rc == 0;
}

/* A sandbox may forbid signal handlers. */
static bool started(int rc) {
    return rc != -EPERM && succeeded(rc);
}

static void clean(void *arg) {
    (void)arg;
    atomic_fetch_add(&counts.cleaned, 1);
}

static void body(void *arg) {
    (void)arg;
    volatile char room[STACK_USE];
    memset((void *)room, 7, sizeof(room));
    if (succeeded(tuco_defer(clean, NULL))) {
        atomic_fetch_add(&deferred_in_goroutines, 1);
    }
    tuco_wg_wait(&gate); // so that all are alive at once
    ASSERT_EQ(room[STACK_USE - 1], 7);
    atomic_fetch_add(&counts.ran, 1);
}

static void body_with_copy(void *arg) {
    body(arg);
    tuco_wg *wg;
    memcpy(&wg, arg, sizeof(wg));
    tuco_wg_done(wg);
}

static void body_on_large_stack(void *arg) {
    body(NULL);
    tuco_wg_done(arg);
}

static int spawn_large(tuco_wg *wg) {
    static const tuco_attr large = {.name = "large", .stack_size = LARGE};
    return tuco_go_attr(&large, body_on_large_stack, wg);
}

static int spawn_with_copy(size_t bytes, tuco_wg *wg) {
    char copy[5000] = {0};
    memcpy(copy, &wg, sizeof(wg));
    return tuco_go_copy(body_with_copy, copy, bytes);
}

static bool spawn(int i, tuco_wg *wg) {
    static const size_t sizes[] = {sizeof(wg), 90, 5000};
    if (i % 4 == 0) {
        return succeeded(tuco_wg_go(wg, body, NULL));
    }
    tuco_wg_add(wg, 1);
    int rc = i % 32 == 1 ? spawn_large(wg) : spawn_with_copy(sizes[i % 4 - 1], wg);
    if (!succeeded(rc)) {
        tuco_wg_done(wg);
    }
    return rc == 0;
}

static void work(void) {
    tuco_wg wg = {0};
    memset(&counts, 0, sizeof(counts));
    atomic_store(&deferred_in_goroutines, 0);
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < SPAWNS; i++) {
        counts.spawned += spawn(i, &wg);
    }
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&counts.ran), counts.spawned);
}

static int work_main(void *arg) {
    (void)arg;
    work();
    test_await_alone();
    ASSERT_EQ(atomic_load(&counts.cleaned), atomic_load(&deferred_in_goroutines));
    return 0;
}

static void (*handler_of(int signal))(int) {
    struct sigaction action;
    ASSERT_EQ(sigaction(signal, NULL, &action), 0);
    return action.sa_handler;
}

static bool has_signal_stack(void) {
    stack_t stack;
    ASSERT_EQ(sigaltstack(NULL, &stack), 0);
    return (stack.ss_flags & SS_DISABLE) == 0;
}

void test_scenario(void) {
    bool had_signal_stack = has_signal_stack();
    int threads = test_count_threads();
    int fds = test_count_fds();
    void (*on_fault)(int) = handler_of(SIGSEGV);
    void (*on_bus_error)(int) = handler_of(SIGBUS);
    started(tuco_run(work_main, NULL));
    EXPECT_THREADS(threads);
    if (started(tuco_start())) {
        work();
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        ASSERT_EQ(atomic_load(&counts.cleaned), atomic_load(&deferred_in_goroutines));
    }
    EXPECT_THREADS(threads);
    ASSERT_EQ(test_count_fds(), fds);
    ASSERT(handler_of(SIGSEGV) == on_fault && handler_of(SIGBUS) == on_bus_error);
    ASSERT_EQ(has_signal_stack(), had_signal_stack);
    ASSERT_EQ(tuco_count(), 0);
    test_fault_expect_balance();
}
