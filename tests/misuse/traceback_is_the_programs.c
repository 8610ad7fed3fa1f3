/* SPDX-License-Identifier: MIT */
/* Proves: the traceback of a report lists only calls of the program: it begins with the
   call at fault, and ends with the function of the goroutine. */
/* not under asan */
/* not under tsan */
#include "test.h"
#include <string.h>

static tuco_wg never;
static tuco_once once;
static struct test_child child;
static volatile bool deeper = true;
static volatile int count; // written after each call, so that none is a tail call

/* Not static, so that they have names in the report. */
void traced_inner(void *arg);
void traced_outer(void *arg);
void traced_once(void *arg);
int traced_deep(int depth);
int traced_main(void *arg);

__attribute__((noinline)) void traced_inner(void *arg) {
    tuco_chan_close(arg);
    count++;
}

__attribute__((noinline)) void traced_outer(void *arg) {
    traced_inner(arg);
    count++;
}

/* The library calls the program back. */
void traced_once(void *arg) {
    tuco_once_do(&once, traced_outer, arg);
    count++;
}

__attribute__((noinline)) int traced_deep(int depth) {
    volatile char frame[4000];
    frame[depth % 4000] = (char)depth;
    return deeper ? traced_deep(depth + 1) + frame[depth % 4000] : 0;
}

int traced_main(void *arg) {
    traced_outer(arg);
    return 0;
}

static int overflow_main(void *arg) {
    (void)arg;
    return traced_deep(0);
}

static int goroutine_main(void *arg) {
    ASSERT_EQ(tuco_go(traced_once, arg), 0);
    tuco_wg_add(&never, 1);
    tuco_wg_wait(&never);
    return 0;
}

static void run_it(void *arg) {
    tuco_run(*(int (**)(void *))arg, NULL);
}

/* Runs it and keeps only the lines of the text that name functions, up to
   "created by". */
static void run_and_cut(int (*main_fn)(void *)) {
    static char names[TEST_TEXT_MAX];
    test_child_run(&child, run_it, &main_fn);
    EXPECT_STATUS(&child, 2);
    names[0] = '\0';
    for (char *line = strtok(child.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "created by") == line) {
            break;
        }
        if (strstr(line, "(...)") != NULL) {
            strcat(strcat(names, line), "\n");
        }
    }
    strcpy(child.text, names);
}

TEST(main_goroutine) {
    run_and_cut(traced_main);
    ASSERT_STR(child.text, "traced_inner(...)\ntraced_outer(...)\ntraced_main(...)\n");
}

TEST(other_goroutine) {
    run_and_cut(goroutine_main);
    ASSERT_STR(child.text, "traced_inner(...)\ntraced_outer(...)\ntraced_once(...)\n");
}

TEST(overflow) {
    run_and_cut(overflow_main);
    static const char two_calls[] = "traced_deep(...)\ntraced_deep(...)\n";
    ASSERT_EQ(strncmp(child.text, two_calls, strlen(two_calls)), 0);
}
