/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run restores the timer slack of the calling thread. */
/* not under qemu */
/* fixed procs */
#include "test.h"

#include <sys/prctl.h>

#define SLACK_NS 77777

static int sleep_main(void *arg) {
    (void)arg;
    tuco_sleep(TUCO_MILLISECOND);
    return 0;
}

TEST(slack_is_restored) {
    ASSERT_EQ(prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0), 0);
    RUN(sleep_main);
    ASSERT_EQ(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), SLACK_NS);
}
