/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: settings have their defaults, the environment overrides the program, and a
   message names each bad value and the accepted ones. */
#include "test.h"
#include "config.h"
#include "cpu/cpu.h"
#include "os/os.h"
#include "sched/p.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static const char *const variables[] = {"TUCOPROCS",    "TUCOSTACK",  "TUCOGUARD",
                                        "TUCOTOPOLOGY", "TUCOCGROUP", "TUCODEBUG"};

static struct rt_config config;
static tuco_config user;
static struct test_child child;

/* The tests themselves may have been started with some of them. */
static void clear_environment(void) {
    for (size_t i = 0; i < RT_ARRAY_LENGTH(variables); i++) {
        test_setenv(variables[i], NULL);
    }
}

/* Loads with one variable set. */
static int load_with(const char *name, const char *value) {
    clear_environment();
    test_setenv(name, value);
    return rt_config_load(&config, &user);
}

static void load_in_child(void *arg) {
    (void)arg;
    exit(-rt_config_load(&config, &user));
}

/* What a failing load writes; the variables are set. */
static const char *messages(void) {
    test_child_run(&child, load_in_child, NULL);
    ASSERT_EQ(child.status, EINVAL);
    return child.text;
}

static const char *messages_with(const char *name, const char *value) {
    clear_environment();
    test_setenv(name, value);
    return messages();
}

static void check_in_child(void *arg) {
    (void)arg;
    exit(-rt_config_check(&user));
}

static const char *check_messages(const tuco_config *bad) {
    user = *bad;
    test_child_run(&child, check_in_child, NULL);
    ASSERT_EQ(child.status, EINVAL);
    return child.text;
}

/* ---- Defaults and the program's settings ---- */

TEST(defaults) {
    clear_environment();
    ASSERT_EQ(rt_config_load(&config, &user), 0);
    int procs = rt_cpu_default_procs("");
    ASSERT_EQ(config.procs, procs < RT_PROCS_MAX ? procs : RT_PROCS_MAX);
    ASSERT(!config.procs_chosen);
    ASSERT_EQ(config.stack_bytes, 256 * KIB);
    ASSERT_EQ(config.max_threads, 10000);
    ASSERT_EQ(config.slice_ns, 10 * TUCO_MILLISECOND);
    ASSERT(!config.guard_chosen);
    ASSERT_STR(config.topology_dir, "");
    ASSERT_STR(config.cgroup_root, "");
    ASSERT_EQ(config.debug.schedtrace_ms, 0);
    ASSERT(!config.debug.migrate);
    ASSERT(!config.debug.plain_fence);
}

TEST(the_program_overrides_defaults) {
    clear_environment();
    user =
        (tuco_config){.procs = 7, .stack_size = 16 * KIB, .max_threads = 1, .slice = 1};
    ASSERT_EQ(rt_config_load(&config, &user), 0);
    ASSERT_EQ(config.procs, 7);
    ASSERT(config.procs_chosen);
    ASSERT_EQ(config.stack_bytes, 16 * KIB);
    ASSERT_EQ(config.max_threads, 1);
    ASSERT_EQ(config.slice_ns, 1);
}

TEST(stack_sizes_are_rounded_up) {
    clear_environment();
    user.stack_size = 16 * KIB + 1;
    ASSERT_EQ(rt_config_load(&config, &user), 0);
    ASSERT_EQ(config.stack_bytes, 32 * KIB);
    user.stack_size = 64 * GIB - 1;
    ASSERT_EQ(rt_config_load(&config, &user), 0);
    ASSERT_EQ(config.stack_bytes, 64 * GIB);
}

TEST(limits_of_fields_are_accepted) {
    static const tuco_config good[] = {
        {.procs = 1},
        {.procs = 1024},
        {.stack_size = 16 * KIB},
        {.stack_size = 64 * GIB},
        {.max_threads = INT32_MAX},
        {.slice = TUCO_NEVER},
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(good); i++) {
        ASSERT_EQ(rt_config_check(&good[i]), 0);
    }
}

TEST(fields_out_of_range_are_named) {
    static const struct {
        tuco_config config;
        const char *text;
    } bad[] = {
        {{.procs = -1}, "tuco: tuco_config.procs = -1: not 0 to 1024\n"},
        {{.procs = 1025}, "tuco: tuco_config.procs = 1025: not 0 to 1024\n"},
        {{.stack_size = 16 * KIB - 1},
         "tuco: tuco_config.stack_size = 16383: not 0 or 16384 to 68719476736\n"},
        {{.stack_size = 64 * GIB + 1},
         "tuco: tuco_config.stack_size = 68719476737: not 0 or 16384 to 68719476736\n"},
        {{.stack_size = SIZE_MAX},
         "tuco: tuco_config.stack_size = 18446744073709551615: not 0 or 16384 to"},
        {{.max_threads = -1}, "tuco: tuco_config.max_threads = -1: not 0 or more\n"},
        {{.slice = -1}, "tuco: tuco_config.slice = -1: not 0 or more\n"},
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(bad); i++) {
        const char *text = check_messages(&bad[i].config);
        ASSERT_HAS(text, bad[i].text);
        ASSERT_EQ(test_occurrences(text, "\n"), 1);
    }
}

/* ---- The environment ---- */

TEST(the_environment_overrides_the_program) {
    user = (tuco_config){.procs = 7, .stack_size = 16 * KIB};
    ASSERT_EQ(load_with("TUCOPROCS", "3"), 0);
    ASSERT_EQ(config.procs, 3);
    ASSERT_EQ(config.stack_bytes, 16 * KIB);
    ASSERT_EQ(load_with("TUCOSTACK", "1M"), 0);
    ASSERT_EQ(config.procs, 7);
    ASSERT_EQ(config.stack_bytes, MIB);
}

TEST(empty_variables_count_as_unset) {
    user = (tuco_config){.procs = 7, .stack_size = 16 * KIB};
    for (size_t i = 0; i < RT_ARRAY_LENGTH(variables); i++) {
        test_setenv(variables[i], "");
    }
    ASSERT_EQ(rt_config_load(&config, &user), 0);
    ASSERT_EQ(config.procs, 7);
    ASSERT_EQ(config.stack_bytes, 16 * KIB);
    ASSERT(!config.guard_chosen);
    ASSERT_STR(config.topology_dir, "");
    ASSERT_STR(config.cgroup_root, "");
}

TEST(procs) {
    ASSERT_EQ(load_with("TUCOPROCS", "1"), 0);
    ASSERT_EQ(config.procs, 1);
    ASSERT(config.procs_chosen);
    ASSERT_EQ(load_with("TUCOPROCS", "1024"), 0);
    ASSERT_EQ(config.procs, 1024);
}

TEST(bad_procs) {
    static const char *const bad[] = {"0",
                                      "1025",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "2x",
                                      "x",
                                      "0x2",
                                      "1.5",
                                      "18446744073709551617",
                                      "1K",
                                      "1:",
                                      "1/"};
    for (size_t i = 0; i < RT_ARRAY_LENGTH(bad); i++) {
        char wanted[128];
        snprintf(wanted, sizeof(wanted),
                 "tuco: TUCOPROCS=\"%s\": not a number from 1 to 1024\n", bad[i]);
        ASSERT_STR(messages_with("TUCOPROCS", bad[i]), wanted);
    }
}

TEST(stack) {
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {
        {"16384", 16 * KIB},  {"16K", 16 * KIB},    {"17K", 32 * KIB},
        {"65537", 128 * KIB}, {"3M", 4 * MIB},      {"1G", GIB},
        {"64G", 64 * GIB},    {"65536M", 64 * GIB}, {"68719476736", 64 * GIB},
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(good); i++) {
        ASSERT_EQ(load_with("TUCOSTACK", good[i].text), 0);
        ASSERT_EQ(config.stack_bytes, good[i].bytes);
    }
}

TEST(bad_stack) {
    static const char *const bad[] = {
        "0",
        "16383",
        "15K",
        "68719476737",
        "65G",
        "K",
        "1T",
        "1k",
        "1KB",
        "-1M",
        " 1M",
        "1 M",
        "1MM",
        "0.5G",
        "M1",
        "18446744073709551616",
        "18014398509481984K",
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(bad); i++) {
        const char *text = messages_with("TUCOSTACK", bad[i]);
        ASSERT_HAS(text, bad[i]);
        ASSERT_MATCH(text, "^tuco: TUCOSTACK=\".*\": not a size from 16K to 64G, ");
    }
}

TEST(guard) {
    ASSERT_EQ(load_with("TUCOGUARD", "madvise"), 0);
    ASSERT_EQ(config.guard, RT_GUARD_ADVISE);
    ASSERT(config.guard_chosen);
    ASSERT_EQ(load_with("TUCOGUARD", "mprotect"), 0);
    ASSERT_EQ(config.guard, RT_GUARD_PROTECT);
    ASSERT_EQ(load_with("TUCOGUARD", "gap"), 0);
    ASSERT_EQ(config.guard, RT_GUARD_GAP);
    ASSERT_STR(messages_with("TUCOGUARD", "ga"),
               "tuco: TUCOGUARD=\"ga\": not one of madvise, mprotect, gap\n");
    ASSERT_HAS(messages_with("TUCOGUARD", "gaps"), "TUCOGUARD=\"gaps\"");
}

/* A path of the maximal length, or one byte longer. */
static const char *long_path(bool too_long) {
    static char path[257];
    memset(path, 'd', sizeof(path));
    path[too_long ? 256 : 255] = '\0';
    return path;
}

/* A path that is too long is refused, and shown shortened on one line. */
TEST(topology) {
    ASSERT_EQ(load_with("TUCOTOPOLOGY", long_path(false)), 0);
    ASSERT_STR(config.topology_dir, long_path(false));
    ASSERT_MATCH(
        messages_with("TUCOTOPOLOGY", long_path(true)),
        "^tuco: TUCOTOPOLOGY=\"d{200}\\.\\.\\.\": not a path of at most 255 bytes$");
}

/* The directory is checked even if the number of processors does not depend on it. */
TEST(cgroup) {
    ASSERT_MATCH(messages_with("TUCOCGROUP", long_path(false)),
                 "^tuco: TUCOCGROUP: d{255}/proc/self/cgroup: there is no such file$");
    ASSERT_MATCH(
        messages_with("TUCOCGROUP", long_path(true)),
        "^tuco: TUCOCGROUP=\"d{200}\\.\\.\\.\": not a path of at most 255 bytes$");
    user.procs = 7;
    ASSERT_STR(messages_with("TUCOCGROUP", "/nowhere"),
               "tuco: TUCOCGROUP: /nowhere/proc/self/cgroup: there is no such file\n");
}

/* Together with another bad value: each has its own line. */
TEST(cgroup_and_another) {
    clear_environment();
    test_setenv("TUCOCGROUP", "/nowhere");
    test_setenv("TUCOPROCS", "0");
    const char *text = messages();
    ASSERT_HAS(text, "tuco: TUCOPROCS=\"0\": ");
    ASSERT_HAS(text, "tuco: TUCOCGROUP: /nowhere/proc/self/cgroup: ");
    ASSERT_EQ(test_occurrences(text, "\n"), 2);
}

TEST(all_bad_variables_are_reported) {
    user.slice = -5;
    test_setenv("TUCOPROCS", "0");
    test_setenv("TUCOSTACK", "1");
    test_setenv("TUCOGUARD", "none");
    test_setenv("TUCOTOPOLOGY", NULL);
    test_setenv("TUCODEBUG", "migrate=2,schedtrace=no");
    const char *text = messages();
    ASSERT_EQ(test_occurrences(text, "\n"), 6);
    ASSERT_HAS(text, "tuco_config.slice = -5");
    ASSERT_HAS(text, "TUCOPROCS=\"0\"");
    ASSERT_HAS(text, "TUCOSTACK=\"1\"");
    ASSERT_HAS(text, "TUCOGUARD=\"none\"");
    ASSERT_HAS(text, "TUCODEBUG: migrate=\"2\": not 0 or 1\n");
    ASSERT_HAS(text,
               "TUCODEBUG: schedtrace=\"no\": not a number of milliseconds from 0 to ");
}

static void load_over_a_pattern(void *arg) {
    (void)arg;
    const unsigned char *bytes = (const unsigned char *)&config;
    memset(&config, 0x5a, sizeof(config));
    ASSERT_EQ(load_with("TUCOPROCS", "x"), -EINVAL);
    for (size_t i = 0; i < sizeof(config); i++) {
        ASSERT_EQ(bytes[i], 0x5a);
    }
}

TEST(a_failed_load_changes_nothing) {
    test_child_run(&child, load_over_a_pattern, NULL);
    EXPECT_STATUS(&child, 0);
}

/* ---- TUCODEBUG ---- */

TEST(debug_keys) {
    ASSERT_EQ(load_with("TUCODEBUG", "schedtrace=1000,migrate=1,fence=plain"), 0);
    ASSERT_EQ(config.debug.schedtrace_ms, 1000);
    ASSERT(config.debug.migrate);
    ASSERT(config.debug.plain_fence);
    ASSERT_EQ(load_with("TUCODEBUG", "fence=auto,schedtrace=2147483647,migrate=0"), 0);
    ASSERT_EQ(config.debug.schedtrace_ms, INT32_MAX);
    ASSERT(!config.debug.migrate);
    ASSERT(!config.debug.plain_fence);
}

TEST(debug_keys_of_preemption) {
    ASSERT_EQ(load_with("TUCODEBUG", "asyncpreemptoff=1,preemptmax=1,mutexcheck=1"), 0);
    ASSERT(config.debug.asyncpreempt_off);
    ASSERT_EQ(config.debug.preempt_max, 1);
    ASSERT(config.debug.mutexcheck);
    ASSERT_EQ(load_with("TUCODEBUG", ""), 0);
    ASSERT(config.debug.container_procs);
    ASSERT(config.debug.update_procs);
    ASSERT_EQ(load_with("TUCODEBUG", "containermaxprocs=0,updatemaxprocs=0"), 0);
    ASSERT(!config.debug.container_procs);
    ASSERT(!config.debug.update_procs);
    ASSERT_EQ(load_with("TUCODEBUG", "mutexcheck=0,preemptmax=10000,asyncpreemptoff=0"),
              0);
    ASSERT(!config.debug.asyncpreempt_off);
    ASSERT_EQ(config.debug.preempt_max, 10000);
    ASSERT(!config.debug.mutexcheck);
    ASSERT_EQ(load_with("TUCODEBUG", ""), 0);
    ASSERT_EQ(config.debug.preempt_max, 256);
}

TEST(the_last_of_a_debug_key_counts) {
    ASSERT_EQ(load_with("TUCODEBUG", ",migrate=1,,schedtrace=5,migrate=0,"), 0);
    ASSERT(!config.debug.migrate);
    ASSERT_EQ(config.debug.schedtrace_ms, 5);
}

TEST(bad_debug_values) {
    static const char *const bad[] = {
        "schedtrace",        "schedtrace=",  "schedtrace=-1",  "schedtrace=2147483648",
        "migrate",           "migrate=",     "migrate=2",      "migrate=01",
        "fence=heavy",       "fence=plain ", "schedtrace=1=2", "asyncpreemptoff",
        "asyncpreemptoff=2", "preemptmax",   "preemptmax=0",   "preemptmax=10001",
        "preemptmax=-1",     "mutexcheck=",  "mutexcheck=yes",
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(bad); i++) {
        const char *text = messages_with("TUCODEBUG", bad[i]);
        ASSERT_MATCH(text, "^tuco: TUCODEBUG: [a-z]+=\".*\": not ");
        size_t key = strcspn(bad[i], "=");
        ASSERT_EQ(strncmp(text + strlen("tuco: TUCODEBUG: "), bad[i], key), 0);
        ASSERT_EQ(test_occurrences(text, "\n"), 1);
    }
}

static void load_unknown_key(void *arg) {
    (void)arg;
    ASSERT_EQ(load_with("TUCODEBUG", "gctrace=1,migrate=1,mig=1"), 0);
    ASSERT(config.debug.migrate);
}

TEST(unknown_debug_keys_are_reported_and_ignored) {
    test_child_run(&child, load_unknown_key, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, "tuco: TUCODEBUG: unknown key \"gctrace\" ignored; "
                           "known keys: schedtrace migrate ");
    ASSERT_HAS(child.text, "\ntuco: TUCODEBUG: unknown key \"mig\" ignored; "
                           "known keys: schedtrace migrate ");
    ASSERT_EQ(test_occurrences(child.text, "\n"), 2);
}
