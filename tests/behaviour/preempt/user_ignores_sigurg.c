/* SPDX-License-Identifier: MIT */
/* Proves: goroutines are interrupted in a program that ignores SIGURG or keeps its
   default action; a SIGURG of the program does no harm, and the disposition is
   restored. */
/* fixed procs */
#include "hogs.h"

#include <signal.h>

static int send_main(void *arg) {
    (void)arg;
    turns_start();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(raise(SIGURG), 0);
        compute_for_turns(1);
    }
    turns_stop();
    return 0;
}

static void expect_kept(void (*disposition)(int), int flags) {
    struct sigaction action = {.sa_handler = disposition, .sa_flags = flags};
    struct sigaction after;
    hogs_use(1);
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
    RUN(send_main);
    ASSERT_EQ(sigaction(SIGURG, NULL, &after), 0);
    ASSERT(after.sa_handler == disposition);
}

TEST(ignored) {
    expect_kept(SIG_IGN, 0);
}

TEST(left_alone) {
    expect_kept(SIG_DFL, 0);
}

/* The flag is meaningful only with a handler, and there is none. */
TEST(with_flags_of_a_handler) {
    expect_kept(SIG_IGN, SA_SIGINFO);
    expect_kept(SIG_DFL, SA_SIGINFO);
}
