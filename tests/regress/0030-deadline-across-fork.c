/* SPDX-License-Identifier: MIT */
/*
 * Bug. If a process forked while another of its threads waited with a deadline, and no
 * runtime ran, the child never reported a deadlock.
 *
 * Interleaving. A foreign thread that waits with a deadline returns by itself and may
 * then wake goroutines: it is counted in foreign.expected, and while that is not 0 the
 * runtime reports no deadlock. fork() copies only the calling thread. The child reset its
 * counts of other threads that were active, waiting or at a descriptor, but not of
 * expected ones: that count never became 0 again.
 *
 * Fix. rt_foreign_forget_others() in src/sched/thread/foreign.c resets all of its counts.
 *
 * Why it fails on the bug. The only goroutine of the child's runtime waits for ever.
 * Without the fix there is no report, and the test exceeds its time limit.
 */
/* not under tsan */
#include "chans.h"

#define FAR (3600 * TUCO_SECOND)

static void wait_with_deadline(void *c) {
    ASSERT_EQ(tuco_chan_recv_until(c, NULL, tuco_deadline(FAR)), -EPIPE);
}

static int wait_main(void *arg) {
    tuco_chan_recv(arg, NULL);
    return 0;
}

TEST(deadlock_is_reported) {
    struct test_thread thread;
    RUN(test_empty_main); // from here on forks are watched
    tuco_chan *c = CHAN(int, 0);
    test_thread_start(&thread, wait_with_deadline, c);
    test_await_waiting(1);
    RUN_DIES(wait_main, "all goroutines are asleep - deadlock!");
    tuco_chan_close(c);
    test_thread_join(&thread);
    tuco_chan_unref(c);
}
