/* SPDX-License-Identifier: MIT */
/* Proves: a deadlock is reported when some or all waiting goroutines are wired, and when
   main has ended wired. */
#include "threads.h"

#define ASLEEP "fatal error: all goroutines are asleep - deadlock!"
#define NO_GOROUTINES \
    "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"

static tuco_wg never;

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    tuco_wg_wait(&never);
}

static void say_goodbye(void *arg) {
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        tuco_yield();
    }
    fprintf(stderr, "goodbye\n");
}

static int main_alone(void *arg) {
    tuco_wg_add(&never, 1);
    wait_wired(arg);
    return 0;
}

static int other_wired(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static int all_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    tuco_wg_add(&never, 1);
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
    }
    tuco_wg_wait(&never);
    return 0;
}

static int main_exits_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT_EQ(tuco_go(say_goodbye, NULL), 0);
    tuco_exit();
}

TEST(deadlock_is_reported) {
    RUN_DIES(main_alone, ASLEEP);
    RUN_DIES(other_wired, ASLEEP);
    RUN_DIES(all_wired, ASLEEP);
    RUN_DIES(main_exits_wired, "goodbye\n" NO_GOROUTINES);
}
