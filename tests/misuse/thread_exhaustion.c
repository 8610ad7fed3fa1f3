/* SPDX-License-Identifier: MIT */
/* Proves: a program that needs more threads than its limit ends with Go's report, which
   names the limit, whether it was configured or set later. */
#include "test.h"

#include <string.h>

#define LIMIT 10
#define WIRED 100
#define REPORT \
    "runtime: program exceeds 10-thread limit\nfatal error: thread exhaustion\n"

static tuco_wg never;

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    tuco_wg_wait(&never);
}

static int need_threads(void) {
    tuco_wg_add(&never, 1);
    for (int i = 0; i < WIRED; i++) {
        ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
    }
    tuco_wg_wait(&never);
    return 0;
}

static int set_main(void *arg) {
    (void)arg;
    tuco_set_max_threads(LIMIT);
    return need_threads();
}

static int configured_main(void *arg) {
    (void)arg;
    return need_threads();
}

static void run_set(void *arg) {
    tuco_run(set_main, arg);
}

static void run_configured(void *arg) {
    tuco_config config = {.max_threads = LIMIT};
    ASSERT_EQ(tuco_configure(&config), 0);
    tuco_run(configured_main, arg);
}

static void expect_report(tuco_fn *fn) {
    static struct test_child child;
    test_child_run(&child, fn, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, REPORT);
    ASSERT_EQ(strncmp(child.text, REPORT, strlen(REPORT)), 0); // nothing before it
    ASSERT_EQ(test_occurrences(child.text, "thread exhaustion"), 1);
}

/* With fewer processors than that, so that they alone do not reach the limit. */
TEST(set_while_running) {
    test_setenv("TUCOPROCS", "2");
    expect_report(run_set);
}

TEST(configured) {
    test_setenv("TUCOPROCS", "2");
    expect_report(run_configured);
}
