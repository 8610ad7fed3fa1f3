/* SPDX-License-Identifier: MIT */
/* Proves: while it runs the runtime handles SIGSEGV, SIGBUS and SIGURG; after tuco_run the
   program has the handlers that it had before. */
/* not under tsan */
#include "test.h"

#include <signal.h>

static const int numbers[] = {SIGSEGV, SIGBUS, SIGURG};

static void handle(int number) {
    (void)number;
}

static bool all_are(void (*handler)(int), bool wanted) {
    for (int i = 0; i < 3; i++) {
        struct sigaction now;
        ASSERT_EQ(sigaction(numbers[i], NULL, &now), 0);
        if ((now.sa_handler == handler) != wanted) {
            return false;
        }
    }
    return true;
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT(all_are(handle, false));
    return 0;
}

TEST(signal_handlers_are_given_back) {
    for (int i = 0; i < 3; i++) {
        struct sigaction mine = {.sa_handler = handle};
        ASSERT_EQ(sigaction(numbers[i], &mine, NULL), 0);
    }
    for (int i = 0; i < 2; i++) {
        RUN(run_main);
        ASSERT(all_are(handle, true));
    }
}
