/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that has given up its processor for a blocking call may announce
   another call within it, and may wait for a lock. */
/*
 * Bug. A goroutine whose last call blocked gives up its P as soon as it announces the
 * next one, if others wait. A second announcement within the first read that P, which was
 * NULL, to see whether others wait; so did tuco_mutex_lock() for a held lock, to decide
 * whether to spin.
 *
 * Fix. tuco_blocking_enter() and may_spin() in mutex.c check whether there is a P.
 *
 * Fails without it: the first call ends only when the other goroutine has run on the only
 * P, so that the P was taken; the second call then gives it up. Both read through a null
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
    /* The P goes only to a spare thread, and the previous thread may not be spare yet. */
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
