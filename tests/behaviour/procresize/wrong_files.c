/* SPDX-License-Identifier: MIT */
/* Proves: if the files below TUCOCGROUP are missing or wrong, the runtime names them and
   does not start, also if the number was set; a later mistake in them changes nothing. */
/* fixed procs */
/* slow */
#include "main_calls.h"
#include "quota.h"

static struct test_child child;

static void be_refused(void *arg) {
    (void)arg;
    int threads = test_count_threads();
    ASSERT_EQ(tuco_run(main_calls_count, NULL), -EINVAL);
    ASSERT_EQ(tuco_start(), -EINVAL);
    ASSERT_EQ(main_calls, 0);
    ASSERT_EQ(test_count_threads(), threads);
    test_setenv("TUCOCGROUP", "");
    RUN(main_calls_count);
    ASSERT_EQ(main_calls, 1);
}

/* One line for each of the two starts. */
static void expect_refused(const char *line) {
    test_child_run(&child, be_refused, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_EQ(test_occurrences(child.text, "tuco: TUCOCGROUP: "), 2);
    ASSERT_EQ(test_occurrences(child.text, line), 2);
    ASSERT_EQ(test_occurrences(child.text, "\n"), 2);
}

TEST(nothing_there) {
    quota_begin();
    expect_refused("/proc/self/cgroup: there is no such file\n");
    test_setenv("TUCOPROCS", "3");
    expect_refused("/proc/self/cgroup: there is no such file\n");
}

TEST(not_a_quota) {
    quota_begin_v2("much 100000");
    expect_refused("\"much 100000\" in ");
}

/* Sysmon ignores the wrong file in silence; the call reports it. */
static int go_wrong_main(void *arg) {
    (void)arg;
    quota_set("?0000 10000");
    quota_expect_still(3);
    ASSERT_EQ(tuco_procs_auto(), 3);
    quota_set("50000 10000");
    await_procs(3, 5);
    return 0;
}

static void go_wrong(void *arg) {
    (void)arg;
    RUN(go_wrong_main);
}

TEST(wrong_later) {
    quota_begin_v2("30000 10000");
    test_child_run(&child, go_wrong, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_MATCH(child.text, "^tuco: TUCOCGROUP: \"\\?0000 10000\" in .*cpu.max: not ");
    ASSERT_EQ(test_occurrences(child.text, "\n"), 1);
}
