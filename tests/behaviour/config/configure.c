/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: tuco_configure() rejects a configuration with a value out of range as a whole,
   and the next start uses the last accepted configuration. */
/* fixed procs */
#include "test.h"

#include <errno.h>

static void expect_refused(tuco_config config) {
    ASSERT_EQ(tuco_configure(&config), -EINVAL);
}

static atomic_int started;
static tuco_wg wg;

static void meet_three(void *arg) {
    (void)arg;
    atomic_fetch_add(&started, 1);
    test_spin(&started, 3);
}

static int needs_three_main(void *arg) {
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, meet_three, NULL), 0);
    }
    meet_three(arg);
    tuco_wg_wait(&wg);
    static const char block[32 * 1024 + 1];
    ASSERT_EQ(tuco_go_copy(meet_three, block, sizeof(block)), -EINVAL);
    return 0;
}

TEST(configure) {
    tuco_config config = {.procs = 3, .stack_size = (size_t)64 * 1024};
    ASSERT_EQ(tuco_configure(&config), 0);
    expect_refused((tuco_config){.procs = -1});
    expect_refused((tuco_config){.procs = 1025});
    expect_refused((tuco_config){.stack_size = 100});
    expect_refused((tuco_config){.stack_size = SIZE_MAX});
    expect_refused((tuco_config){.max_threads = -1});
    expect_refused((tuco_config){.reserved = {[3] = 1}});
    expect_refused((tuco_config){.slice = -1});
    config.procs = 1; // the struct was copied
    test_setenv("TUCOPROCS", NULL);
    RUN(needs_three_main);
}

/* The environment variable overrides the field. */
TEST(variable_overrides_configure) {
    tuco_config config = {.procs = 1, .stack_size = (size_t)64 * 1024};
    ASSERT_EQ(tuco_configure(&config), 0);
    test_setenv("TUCOPROCS", "3");
    RUN(needs_three_main);
}
