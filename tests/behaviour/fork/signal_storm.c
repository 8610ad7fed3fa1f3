/* SPDX-License-Identifier: MIT */
/* Proves: children that are forked while many signals arrive, the runtime's preemption
   signals included, execute their program, and with SIGINT not blocked. */
/* ThreadSanitizer does not support a child of a process with several threads. */
/* not under tsan */
#include "children.h"

#include <signal.h>
#include <time.h>

#define PARENTS  10
#define CHILDREN TEST_SIZE(10, 3)

static atomic_int over;
static atomic_int signals;

static void count_signal(int number) {
    (void)number;
    atomic_fetch_add(&signals, 1);
}

/* The pause gives a fork the time to complete between two signals. */
static void rain(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        ASSERT_EQ(kill(getpid(), SIGWINCH), 0);
        ASSERT_EQ(kill(getpid(), SIGCHLD), 0);
        nanosleep(&(struct timespec){.tv_nsec = 200 * TUCO_MICROSECOND}, NULL);
    }
}

/* Computes without a call, so that the runtime must preempt it for the others. */
static void hog(void *arg) {
    (void)arg;
    while (atomic_load_explicit(&over, memory_order_relaxed) == 0) {
    }
}

/* If SIGINT were blocked, the shell would continue with the next command. */
static pid_t start_shell(void) {
    static char *const environment[] = {NULL};
    static char *const arguments[] = {"sh", "-c", "kill -INT $$; exit 3", NULL};
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL); // it may have been ignored from the start
        execve("/bin/sh", arguments, environment);
        _exit(127);
    }
    ASSERT_GT(pid, 0);
    return pid;
}

static void have_children(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        int status = child_status(start_shell());
        ASSERT(WIFSIGNALED(status));
        ASSERT_EQ(WTERMSIG(status), SIGINT);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg hogs = {0};
    tuco_wg parents = {0};
    ASSERT_EQ(tuco_wg_go(&hogs, hog, NULL), 0);
    for (int i = 0; i < PARENTS; i++) {
        ASSERT_EQ(tuco_wg_go(&parents, have_children, NULL), 0);
    }
    tuco_wg_wait(&parents);
    atomic_store(&over, 1);
    tuco_wg_wait(&hogs);
    return 0;
}

TEST(signal_storm) {
    struct test_thread cloud;
    struct sigaction action = {.sa_handler = count_signal}; // no SA_RESTART
    sigset_t none;
    sigemptyset(&none);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &none, NULL), 0);
    ASSERT_EQ(sigaction(SIGWINCH, &action, NULL), 0);
    ASSERT_EQ(sigaction(SIGCHLD, &action, NULL), 0);
    test_thread_start(&cloud, rain, NULL);
    RUN(run_main);
    test_thread_join(&cloud);
    ASSERT_GT(atomic_load(&signals), 0);
}
