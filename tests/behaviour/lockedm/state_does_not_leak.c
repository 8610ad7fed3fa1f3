/* SPDX-License-Identifier: MIT */
/* Proves: no other goroutine sees what a wired goroutine changes about its thread: that
   thread starts no other, and no goroutine runs on it afterwards. */
#include "threads.h"

#include <errno.h>
#include <limits.h>

#define ROUNDS 10
#define PEERS  4

static atomic_int met;

static void expect_directory(const char *wanted) {
    char now[PATH_MAX];
    ASSERT(getcwd(now, sizeof(now)) != NULL);
    ASSERT_STR(now, wanted);
}

/* The peers are wired at the same time, so that each has a thread of its own. */
static void look(void *arg) {
    int round = (int)(intptr_t)arg;
    tuco_lock_thread();
    expect_directory("/");
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < (round + 1) * PEERS) {
        tuco_yield();
    }
    expect_directory("/");
    if (round % 2 == 0) {
        tuco_unlock_thread();
    }
}

/* From here on the working directory is the thread's alone. */
static void taint(void *arg) {
    tuco_wg wg = {0};
    tuco_lock_thread();
    if (unshare(CLONE_FS) != 0) {
        ASSERT_EQ(errno, EPERM);
        SKIP("a sandbox forbids unshare(CLONE_FS).");
    }
    ASSERT_EQ(chdir("/proc"), 0);
    for (int i = 0; i < PEERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, look, arg), 0);
    }
    tuco_wg_wait(&wg);
    expect_directory("/proc");
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (intptr_t i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, taint, (void *)i), 0);
        tuco_wg_wait(&wg);
        expect_directory("/");
    }
    return 0;
}

TEST(state_does_not_leak) {
    ASSERT_EQ(chdir("/"), 0);
    RUN(run_main);
}
