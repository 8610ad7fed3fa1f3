/* SPDX-License-Identifier: MIT */
/* Proves: if a program blocks all signals before it starts the runtime, as for sigwait or
   signalfd, its goroutines are still preempted; they and their children have that mask
   without SIGURG; afterwards the caller has its own mask, and no SIGURG is pending. */
/* fixed procs */
#include "hogs.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static tuco_wg wg;
static sigset_t at_start;

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &at_start), 0);
}

static bool has_mask(bool with_sigurg) {
    sigset_t mine;
    bool same = pthread_sigmask(SIG_SETMASK, NULL, &mine) == 0;
    for (int sig = 1; sig < NSIG; sig++) {
        bool wanted = sigismember(&at_start, sig) == 1 && (with_sigurg || sig != SIGURG);
        same &= (sigismember(&mine, sig) == 1) == wanted;
    }
    return same;
}

static void expect_mask_in_child(bool with_sigurg) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        _exit(has_mask(with_sigurg) ? 0 : 1);
    }
    ASSERT_EQ(TEMP_FAILURE_RETRY(waitpid(child, &status, 0)), child);
    ASSERT_EQ(status, 0);
}

/* With one processor, other goroutines run only if this one is preempted. */
static void hog(void *arg) {
    (void)arg;
    ASSERT(has_mask(false));
    compute_for_turns(3);
    ASSERT(has_mask(false));
    expect_mask_in_child(false);
}

static int run_main(void *arg) {
    turns_start();
    hog(arg);
    ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    tuco_wg_wait(&wg);
    turns_stop();
    return 0;
}

static void expect_all_as_before(void) {
    sigset_t pending;
    ASSERT(has_mask(true));
    ASSERT_EQ(sigpending(&pending), 0);
    ASSERT_EQ(sigismember(&pending, SIGURG), 0);
}

TEST(in_run) {
    hogs_use(1);
    block_all();
    RUN(run_main);
    expect_all_as_before();
}

TEST(after_start) {
    hogs_use(1);
    block_all();
    ASSERT_EQ(tuco_start(), 0);
    turns_start();
    ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    tuco_wg_wait(&wg);
    turns_stop();
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    expect_all_as_before();
}

static int unpreempted_main(void *arg) {
    (void)arg;
    ASSERT(has_mask(true));
    expect_mask_in_child(true);
    return 0;
}

TEST(left_alone_without_preemption) {
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    block_all();
    RUN(unpreempted_main);
    expect_all_as_before();
}
