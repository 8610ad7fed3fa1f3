/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that has given its processor up for a call that blocks may announce
   another one within, and may wait for a lock. */
/*
 * Bug. A goroutine whose last call did block gives its P up as soon as it announces the
 * next one, if others wait. Whoever announced a second one within asked that P, which
 * was none any more, whether others wait; and so did tuco_mutex_lock() for a lock that
 * is held, whether to spin for it.
 *
 * Fix. tuco_blocking_enter() and may_spin() in mutex.c look whether there is a P.
 *
 * Fails without it: the first call ends only when the other goroutine has run, on the
 * only P, so that it was taken; the second one then gives it up. Both read by a null
 * pointer.
 */
/* fixed procs */
#include "arch/arch.h"
#include "sched/m.h"
#include "test.h"
#include "waiting.h"

#include <unistd.h>

static int ends[2];
static tuco_mutex mutex;

/* Waits for the P whenever main has it. */
static void write_and_yield(void *arg) {
    (void)arg;
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    for (;;) {
        tuco_yield();
    }
}

/* Returns within an announcement, without a P. */
static void give_processor_up(void) {
    char byte;
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(tuco_go(write_and_yield, NULL), 0);
    tuco_blocking_enter();
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    tuco_blocking_exit();
    tuco_blocking_enter();
    /* Only to a thread that is spare: the one that it came back on may be about to be. */
    while (arch_self()->p != NULL) {
        tuco_blocking_exit();
        tuco_yield();
        tuco_blocking_enter();
    }
}

static int nested_main(void *arg) {
    (void)arg;
    give_processor_up();
    tuco_blocking_enter();
    tuco_blocking_exit(); // with a P again
    tuco_blocking_exit();
    return 0;
}

static void hold_until_wanted(void *arg) {
    tuco_mutex_lock(&mutex);
    atomic_store((atomic_int *)arg, 1);
    test_await_waiting("sync.Mutex.Lock", 1);
    tuco_mutex_unlock(&mutex);
}

static int mutex_main(void *arg) {
    (void)arg;
    atomic_int held = 0;
    ASSERT_EQ(tuco_go(hold_until_wanted, &held), 0);
    test_await(&held, 1);
    give_processor_up();
    tuco_mutex_lock(&mutex);
    tuco_mutex_unlock(&mutex);
    tuco_blocking_exit();
    return 0;
}

TEST(another_call_within) {
    test_setenv("TUCOPROCS", "1");
    RUN(nested_main);
}

TEST(lock_within) {
    test_setenv("TUCOPROCS", "1");
    RUN(mutex_main);
}
