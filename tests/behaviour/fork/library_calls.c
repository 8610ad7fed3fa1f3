/* SPDX-License-Identifier: MIT */
/* Proves: posix_spawn(), popen() and system() work in goroutines, several at once, and
   other goroutines run while they wait. */
#include "children.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARENTS  4
#define CHILDREN 5

extern char **environ;

static void spawn_true(void *arg) {
    (void)arg;
    static char *const arguments[] = {"true", NULL};
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = -1;
        ASSERT_EQ(posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ), 0);
        expect_exit(pid, 0);
    }
}

static void read_from_shell(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        char line[64] = "";
        FILE *f = popen("echo hello; exit 3", "r");
        ASSERT(f != NULL);
        ASSERT(fgets(line, sizeof(line), f) != NULL);
        ASSERT_STR(line, "hello\n");
        ASSERT(fgets(line, sizeof(line), f) == NULL);
        ASSERT_EQ(WEXITSTATUS(pclose(f)), 3);
    }
}

static void ask_shell(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        int status = system("exit 5");
        ASSERT(WIFEXITED(status));
        ASSERT_EQ(WEXITSTATUS(status), 5);
    }
}

static int all_main(void *arg) {
    tuco_fn *fn = *(tuco_fn **)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < PARENTS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, fn, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(with_posix_spawn) {
    ASSERT_EQ(tuco_run(all_main, &(tuco_fn *){spawn_true}), 0);
}

TEST(with_popen) {
    ASSERT_EQ(tuco_run(all_main, &(tuco_fn *){read_from_shell}), 0);
}

TEST(with_system) {
    ASSERT_EQ(tuco_run(all_main, &(tuco_fn *){ask_shell}), 0);
}

/* The shell ends when another goroutine has written to it, which must run meanwhile. */
static void write_line(void *arg) {
    ASSERT_EQ(write(*(int *)arg, "x\n", 2), 2);
}

static int waits_main(void *arg) {
    (void)arg;
    int ends[2];
    char command[64];
    ASSERT_EQ(pipe(ends), 0);
    snprintf(command, sizeof(command), "read line </proc/self/fd/%d", ends[0]);
    ASSERT_EQ(tuco_go(write_line, &ends[1]), 0);
    ASSERT_EQ(system(command), 0);
    test_await_alone();
    return 0;
}

TEST(others_run_meanwhile) {
    RUN(waits_main);
}
