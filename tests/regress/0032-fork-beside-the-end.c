/* SPDX-License-Identifier: MIT */
/* Proves: if a process forks while another of its threads ends the runtime, the child can
   use the library. */
/*
 * Bug. The end of the runtime closes the entry for other threads, and reopens it after
 * the phase has become "stopped". A child that was forked in between found the entry
 * closed, and no thread to open it: its first call slept for ever.
 *
 * Fix. rt_foreign_forget_others() opens the entry in the child.
 */
/* not under tsan */
#include "test.h"

#include "sched/thread/foreign.h"

static int run_main(void *arg) {
    (void)arg;
    return 0;
}

static void use_library(void *arg) {
    (void)arg;
    tuco_chan *c = tuco_chan_make(sizeof(int), 1);
    ASSERT(c != NULL);
    ASSERT_EQ(tuco_chan_send(c, &(int){1}), 0);
    tuco_chan_unref(c);
    RUN(run_main);
}

TEST(fork_beside_the_end) {
    static struct test_child child;
    RUN(run_main); /* from here on forks are noticed */
    rt_foreign_close();
    test_child_run(&child, use_library, NULL);
    rt_foreign_open();
    EXPECT_STATUS(&child, 0);
}
