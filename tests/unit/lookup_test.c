/* SPDX-License-Identifier: MIT */
/* Proves: if no thread can be started for lookups, every waiting lookup fails with the
   reason, and the next lookup works. */
#include "fault.h"
#include "test.h"
#include "base/alloc.h"
#include "net/lookup.h"

#include <errno.h>

#define WAITERS 40

static int look_up(void) {
    struct rt_lookup l = {.families = OS_FAMILIES_IPV4, .host = "127.0.0.1"};
    int error = rt_lookup(&l, OS_NEVER, NULL);
    ASSERT_EQ(l.count, error == 0 ? 1 : 0);
    ASSERT((l.list != NULL) == (error == 0));
    rt_free(l.list);
    return error;
}

static void look_up_once(void *error) {
    ASSERT_EQ(look_up(), *(int *)error);
}

static void expect_all(int error) {
    tuco_wg wg = {0};
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, look_up_once, &error), 0);
    }
    tuco_wg_wait(&wg);
}

static int fork_watch_main(void *arg) {
    (void)arg;
    ASSERT_EQ(look_up(), -ENOMEM);
    ASSERT_EQ(look_up(), 0);
    return 0;
}

/* The first watch is the runtime's own. */
TEST(no_watch_for_forks) {
    test_fault_plan(OS_FAULT_FORK_WATCH, 2, 1, ENOMEM);
    RUN(fork_watch_main);
}

static int in_vain_main(void *arg) {
    (void)arg;
    expect_all(-EAGAIN);
    return 0;
}

static int again_main(void *arg) {
    (void)arg;
    expect_all(0);
    return 0;
}

/* The runtime itself starts two threads, and needs no others. */
TEST(no_thread) {
    test_fault_plan(OS_FAULT_THREAD, 3, TEST_FAULT_ALWAYS, EAGAIN);
    RUN(in_vain_main);
    test_fault_plan(OS_FAULT_THREAD, TEST_FAULT_ALWAYS, 1, EAGAIN);
    RUN(again_main);
}
