/* SPDX-License-Identifier: MIT */
/* Proves: a program that runs with more rights than its caller, AT_SECURE in getauxval(),
   does not read the settings that its caller has put into the environment. */
/* fixed procs */
/* not under asan */
/* not under tsan */
#include "test.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_USER     65534
#define NOT_SECURE  77
#define BAD_SETTING "not a setting"

static const char *const variables[] = {"TUCOPROCS",    "TUCOSTACK",  "TUCOGUARD",
                                        "TUCOTOPOLOGY", "TUCOCGROUP", "TUCODEBUG"};

static int secure_main(void *arg) {
    (void)arg;
    return 0;
}

/* Runs before main() in the program that run_secure() executes. If the runtime read the
   bad setting, its start would fail. */
__attribute__((constructor)) static void be_secure_program(void) {
    const char *variable = getenv("SECURE_TEST");
    if (variable == NULL) {
        return;
    }
    if (getauxval(AT_SECURE) == 0) {
        _exit(NOT_SECURE);
    }
    _exit(getenv(variable) != NULL && tuco_run(secure_main, NULL) == 0 ? 0 : 1);
}

static void copy_program(const char *path) {
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    ASSERT(from >= 0 && to >= 0);
    while (sendfile(to, from, NULL, (size_t)1 << 20) > 0) {
    }
    ASSERT_EQ(fchown(to, NO_USER, (gid_t)-1), 0);
    ASSERT_EQ(fchmod(to, 04755), 0);
    close(from);
    close(to);
}

/* Returns the exit status of the program with a bad value of that variable. */
static int run_secure(const char *path, const char *variable) {
    test_setenv("SECURE_TEST", variable);
    test_setenv(variable, strcmp(variable, "TUCODEBUG") == 0 ? "migrate=2" : BAD_SETTING);
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, (char *)NULL);
        _exit(NOT_SECURE);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    test_setenv(variable, NULL);
    ASSERT(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(secure_environment) {
    char directory[] = "/tmp/tuco-secure-XXXXXX";
    char path[64];
    if (geteuid() != 0) {
        SKIP("only the superuser can make a program of another user.");
    }
    ASSERT(mkdtemp(directory) != NULL);
    ASSERT_EQ(chmod(directory, 0755), 0);
    snprintf(path, sizeof path, "%s/program", directory);
    copy_program(path);
    bool secure = true;
    int wrong = 0;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        int status = run_secure(path, variables[i]);
        secure = secure && status != NOT_SECURE;
        wrong += status != 0 && status != NOT_SECURE;
    }
    unlink(path);
    rmdir(directory);
    ASSERT_EQ(wrong, 0);
    if (!secure) {
        SKIP("the kernel runs no set-user-ID program here.");
    }
}
