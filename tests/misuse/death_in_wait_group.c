/* SPDX-License-Identifier: MIT */
/* Proves: misuse in a function of tuco_wg_go() ends the process, and the wait for the
   group never returns. */
#include "test.h"

#include <unistd.h>

static tuco_wg wg;

static void misuse(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, misuse, NULL), 0);
    tuco_wg_wait(&wg);
    _exit(0);
}

TEST(death_in_wait_group) {
    for (int i = 0; i < 10; i++) {
        RUN_DIES(run_main, "sync: unlock of unlocked mutex");
    }
}
