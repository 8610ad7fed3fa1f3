/* SPDX-License-Identifier: MIT */
/* Proves: goroutines start child processes and each waits for its own child, also in a
   storm of signals. */
#include "pipes.h"
#include "storm.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#define CHILDREN TEST_SIZE(20, 5)

static tuco_wg wg;

static void start_and_wait(void *arg) {
    pid_t pid;
    int status = -1;
    char command[] = "exit 0";
    char shell[] = "sh";
    char flag[] = "-c";
    char *argv[] = {shell, flag, command, NULL};
    char *envp[] = {NULL};
    command[5] = (char)('0' + (intptr_t)arg % 10); // each ends with a number of its own
    ASSERT_EQ(posix_spawnp(&pid, "sh", NULL, NULL, argv, envp), 0);
    tuco_blocking_enter();
    pid_t ended = TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
    tuco_blocking_exit();
    ASSERT_EQ(ended, pid);
    ASSERT(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), (intptr_t)arg % 10);
}

static int run_main(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, start_and_wait, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(calm) {
    RUN(run_main);
}

TEST(in_a_storm) {
    storm_begin();
    RUN(run_main);
    storm_end();
}
