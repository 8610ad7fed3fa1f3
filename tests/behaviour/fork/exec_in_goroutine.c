/* SPDX-License-Identifier: MIT */
/* Proves: several goroutines at once fork, execute another program and wait for its end,
   and other goroutines continue. */
/* ThreadSanitizer does not support a child of a process with several threads. */
/* not under tsan */
#include "children.h"

#define PARENTS  8
#define CHILDREN 5

static atomic_int over;
static atomic_int turns;

static void turn(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        atomic_fetch_add(&turns, 1);
        tuco_yield();
    }
}

/* Between fork() and the exec nothing is called but what a signal handler may call. */
static pid_t start(const char *program) {
    static char *const environment[] = {NULL};
    char *const arguments[] = {(char *)program, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    ASSERT_GT(pid, 0);
    return pid;
}

static void have_children(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        expect_exit(start("/bin/true"), 0);
        expect_exit(start("/bin/false"), 1);
        expect_exit(start("/no such program"), 127);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg parents = {0};
    tuco_wg turner = {0};
    ASSERT_EQ(tuco_wg_go(&turner, turn, NULL), 0);
    for (int i = 0; i < PARENTS; i++) {
        ASSERT_EQ(tuco_wg_go(&parents, have_children, NULL), 0);
    }
    tuco_wg_wait(&parents);
    int before = atomic_load(&turns);
    while (atomic_load(&turns) == before) {
        tuco_yield();
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&turner);
    return 0;
}

TEST(exec_in_goroutine) {
    RUN(run_main);
}
