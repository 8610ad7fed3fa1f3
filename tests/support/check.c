/* SPDX-License-Identifier: MIT */
/* check.c: the failure path of the assertions: prints the values and ends the process. */
#include "support.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Uses _exit(): any goroutine or thread can fail while others run, and exit() handlers
 * would race with them.
 */
_Noreturn void test_fail(const char *file, int line, const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fflush(stdout);
    dprintf(STDERR_FILENO, "%s:%d: %s (goroutine %llu, seed %llu)\n", file, line, text,
            (unsigned long long)tuco_id(), (unsigned long long)test_seed());
    _exit(TEST_EXIT_FAIL);
}

_Noreturn void test_skip(const char *reason) {
    printf("skip %s: %s\n", test_current_name, reason);
    fflush(stdout);
    _exit(TEST_EXIT_SKIP);
}

void test_check_int(const char *file, int line, const char *text, bool holds,
                    intmax_t left, intmax_t right) {
    if (!holds) {
        test_fail(file, line, "not true: %s; left %jd, right %jd", text, left, right);
    }
}

void test_check_str(const char *file, int line, const char *text, const char *left,
                    const char *right) {
    if (strcmp(left, right) != 0) {
        test_fail(file, line, "not true: %s; left \"%s\", right \"%s\"", text, left,
                  right);
    }
}

void test_check_has(const char *file, int line, const char *text, const char *part,
                    bool wanted) {
    if ((strstr(text, part) != NULL) != wanted) {
        dprintf(STDERR_FILENO, "%s\n", text);
        test_fail(file, line, "%s \"%s\" in the text above", wanted ? "no" : "unwanted",
                  part);
    }
}

void test_check_match(const char *file, int line, const char *text, const char *regex) {
    regex_t compiled;
    ASSERT_EQ(regcomp(&compiled, regex, REG_EXTENDED | REG_NEWLINE | REG_NOSUB), 0);
    int rc = regexec(&compiled, text, 0, NULL, 0);
    regfree(&compiled);
    if (rc != 0) {
        dprintf(STDERR_FILENO, "%s\n", text);
        test_fail(file, line, "no match of \"%s\" in the text above", regex);
    }
}

int test_occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}
