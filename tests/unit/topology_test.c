/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: distances follow a directory laid out as sysfs; a level that is missing there
   is the same for all CPUs; a malformed file is named and refused; a thief chooses the
   nearest P that has goroutines. */
#include "test.h"
#include "described.h"
#include "os/fault.h"
#include "sched/findrunnable.h"
#include "sched/g.h"
#include "sched/runq.h"
#include "sched/sched.h"
#include "cpu/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The machine described: 2 sockets of 2 last-level caches of 2 cores of 2 threads. As on
   many real ones the second threads of all cores are numbered after the first. */
#define CPUS    16
#define CORES   (CPUS / 2)
#define CACHES  (CORES / 2)
#define NODES   2
#define NOTHING ((const char *)NULL)

static struct rt_topology topology;
static struct test_child child;

/* ---- Describing a machine ---- */

/* Writes a line to the file of that path in the description; NOTHING removes it. */
__attribute__((format(printf, 2, 3))) static void put(const char *line,
                                                      const char *format, ...) {
    char path[256];
    va_list args;
    int length = snprintf(path, sizeof(path), "%s/", described_root);
    va_start(args, format);
    vsnprintf(path + length, sizeof(path) - (size_t)length, format, args);
    va_end(args);
    described_make_parents(path);
    if (line == NOTHING) {
        remove(path);
        return;
    }
    FILE *f = fopen(path, "w");
    ASSERT(f != NULL);
    fprintf(f, "%s\n", line);
    fclose(f);
}

static int core_of(int cpu) {
    return cpu % CORES;
}

static int cache_of(int cpu) {
    return core_of(cpu) / 2;
}

static int node_of(int cpu) {
    return cache_of(cpu) / (CACHES / NODES);
}

static void put_cache(int cpu, int index, int level, const char *type,
                      const char *shared) {
    char text[8];
    snprintf(text, sizeof(text), "%d", level);
    put(text, "cpu/cpu%d/cache/index%d/level", cpu, index);
    put(type, "cpu/cpu%d/cache/index%d/type", cpu, index);
    put(shared, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
}

/* No real machine has an instruction cache at the highest level; it must be ignored. */
static void put_cpu(int cpu) {
    char core[32];
    char cache[64];
    int core_low = core_of(cpu);
    int cache_low = cache_of(cpu) * 2;
    snprintf(core, sizeof(core), "%d,%d", core_low, core_low + CORES);
    snprintf(cache, sizeof(cache), "%d-%d,%d-%d", cache_low, cache_low + 1,
             cache_low + CORES, cache_low + CORES + 1);
    put(core, "cpu/cpu%d/topology/core_cpus_list", cpu);
    put_cache(cpu, 0, 1, "Data", core);
    put_cache(cpu, 1, 1, "Instruction", core);
    put_cache(cpu, 2, 3, "Unified", cache);
    put_cache(cpu, 3, 2, "Unified", core);
    put_cache(cpu, 4, 4, "Instruction", "0-15");
}

static void put_machine(void) {
    described_make();
    put("0-15", "cpu/possible");
    for (int cpu = 0; cpu < CPUS; cpu++) {
        put_cpu(cpu);
    }
    put("0-1", "node/possible");
    put("0-3,8-11", "node/node0/cpulist");
    put("4-7,12-15", "node/node1/cpulist");
}

/* ---- Looking at what was read ---- */

static void load(void) {
    ASSERT_EQ(rt_topology_load(&topology, described_root), 0);
}

static enum rt_distance expected(int a, int b) {
    if (node_of(a) != node_of(b)) {
        return RT_FAR;
    }
    if (cache_of(a) != cache_of(b)) {
        return RT_NEAR_NODE;
    }
    return core_of(a) == core_of(b) ? RT_NEAR_CORE : RT_NEAR_CACHE;
}

static void expect_machine(void) {
    ASSERT_EQ(topology.cpus_count, CPUS);
    for (int a = 0; a < CPUS; a++) {
        for (int b = 0; b < CPUS; b++) {
            ASSERT_EQ(rt_topology_distance(&topology, a, b), expected(a, b));
        }
    }
}

static void expect_distance(int a, int b, enum rt_distance distance) {
    ASSERT_EQ(rt_topology_distance(&topology, a, b), distance);
    ASSERT_EQ(rt_topology_distance(&topology, b, a), distance);
}

static void load_in_child(void *arg) {
    const char *dir = arg;
    int rc = rt_topology_load(&topology, dir);
    ASSERT_EQ(topology.cpus_count > 0, rc == 0);
    rt_topology_free(&topology);
    exit(-rc);
}

/* Returns the messages of a failing load of dir. */
static const char *messages(char *dir) {
    test_child_run(&child, load_in_child, dir);
    ASSERT_EQ(child.status, EINVAL);
    return child.text;
}

/* ---- Choosing a victim: no runtime runs, and there is a P on each CPU ---- */

static struct rt_p ps[CPUS];
static struct rt_g idler;

static void make_ps(void) {
    put_machine();
    ASSERT_EQ(rt_topology_load(&rt_sched.topology, described_root), 0);
    rt_sched.ps = ps;
    rt_store_rlx(&rt_sched.ps_end, CPUS); /* relaxed: no other thread is there */
    for (int i = 0; i < CPUS; i++) {
        ps[i].id = (uint32_t)i;
        rt_init(&ps[i].cpu, i);
    }
}

static void forget_ps(void) {
    rt_store_rlx(&rt_sched.ps_end, 0); /* relaxed: likewise */
    rt_sched.ps = NULL;
    rt_topology_free(&rt_sched.topology);
}

/* Requires that every walk of P thief ends at a P of that distance, and that each such P
   is reached. */
static void expect_victims(int thief, int distance, int count) {
    bool seen[CPUS] = {false};
    for (uint32_t random = 0; random < CPUS * CPUS; random++) {
        struct rt_p *victim = rt_steal_victim(&ps[thief], random);
        ASSERT(victim != NULL);
        ASSERT_EQ(expected(thief, (int)victim->id), distance);
        ASSERT_LT(0, rt_runq_length(&victim->runq));
        seen[victim->id] = true;
    }
    for (int i = 0; i < CPUS; i++) {
        count -= seen[i];
    }
    ASSERT_EQ(count, 0);
}

/* Empties the run queues of all Ps at that distance from P thief. */
static void empty(int thief, enum rt_distance distance) {
    for (int i = 0; i < CPUS; i++) {
        if (i != thief && expected(thief, i) == distance) {
            ASSERT(rt_runq_pop(&ps[i].runq) == &idler);
        }
    }
}

TEST(a_thief_chooses_the_nearest_that_has_goroutines) {
    make_ps();
    for (int thief = 0; thief < CPUS; thief++) {
        for (int i = 0; i < CPUS; i++) {
            ASSERT(i == thief || rt_runq_put(&ps[i].runq, &idler));
        }
        expect_victims(thief, RT_NEAR_CORE, 1);
        empty(thief, RT_NEAR_CORE);
        expect_victims(thief, RT_NEAR_CACHE, 2);
        empty(thief, RT_NEAR_CACHE);
        expect_victims(thief, RT_NEAR_NODE, 4);
        empty(thief, RT_NEAR_NODE);
        expect_victims(thief, RT_FAR, 8);
        empty(thief, RT_FAR);
        ASSERT(rt_steal_victim(&ps[thief], 0) == NULL);
    }
    forget_ps();
}

/* ---- Whole descriptions ---- */

TEST(distances_of_a_described_machine) {
    put_machine();
    load();
    expect_machine();
    rt_topology_free(&topology);
}

TEST(groups_are_named_by_their_lowest_cpu_and_node) {
    put_machine();
    load();
    ASSERT_EQ(topology.core[13], 5);
    ASSERT_EQ(topology.cache[13], 4);
    ASSERT_EQ(topology.node[13], 1);
    ASSERT_EQ(topology.core[8], 0);
    ASSERT_EQ(topology.node[8], 0);
    rt_topology_free(&topology);
}

TEST(cpus_that_do_not_exist_are_far) {
    put_machine();
    load();
    expect_distance(0, CPUS, RT_FAR);
    expect_distance(0, -1, RT_FAR);
    expect_distance(-1, -1, RT_FAR);
    expect_distance(INT32_MAX, INT32_MIN, RT_FAR);
    expect_distance(CPUS, CPUS, RT_FAR);
    rt_topology_free(&topology);
    expect_distance(0, 0, RT_FAR);
    rt_topology_free(&topology);
}

TEST(older_names_are_read) {
    put_machine();
    put(NOTHING, "cpu/possible");
    put("0-15", "cpu/present");
    put(NOTHING, "node/possible");
    put("0,3", "node/online");
    put(NOTHING, "node/node1/cpulist");
    put("4-7,12-15", "node/node3/cpulist");
    for (int cpu = 0; cpu < CPUS; cpu++) {
        char list[16];
        snprintf(list, sizeof(list), "%d,%d", core_of(cpu), core_of(cpu) + CORES);
        put(NOTHING, "cpu/cpu%d/topology/core_cpus_list", cpu);
        put(list, "cpu/cpu%d/topology/thread_siblings_list", cpu);
    }
    load();
    expect_machine();
    ASSERT_EQ(topology.node[4], 3);
    rt_topology_free(&topology);
}

TEST(cpus_and_nodes_are_counted_without_lists) {
    put_machine();
    put(NOTHING, "cpu/possible");
    put(NOTHING, "node/possible");
    load();
    expect_machine();
    rt_topology_free(&topology);
}

/* A node with only memory, a possible node that is absent, and a node that is not
   possible. */
TEST(nodes_with_gaps) {
    put_machine();
    put("0-4,9", "node/possible");
    put("", "node/node0/cpulist");
    put("0-3,8-11", "node/node4/cpulist");
    put("0-15", "node/node5/cpulist");
    put("4-7,12-15", "node/node9/cpulist");
    put(NOTHING, "node/node1/cpulist");
    load();
    expect_machine();
    ASSERT_EQ(topology.node[0], 4);
    ASSERT_EQ(topology.node[15], 9);
    rt_topology_free(&topology);
}

/* The kernel reports the same for all members of a group; a description may not. */
TEST(the_lowest_cpu_speaks_for_its_group) {
    described_make();
    put("0-2", "cpu/possible");
    put("0-1", "cpu/cpu0/topology/core_cpus_list");
    put("1", "cpu/cpu1/topology/core_cpus_list");
    put("1-2", "cpu/cpu2/topology/core_cpus_list");
    load();
    ASSERT_EQ(topology.core[0], 0);
    ASSERT_EQ(topology.core[1], 0);
    ASSERT_EQ(topology.core[2], 2);
    rt_topology_free(&topology);
}

/* CPU 15 is possible but offline: the others do not mention it and it has no files. */
TEST(offline_cpus_are_far) {
    put_machine();
    for (int cpu = 0; cpu < CPUS; cpu++) {
        if (cache_of(cpu) == cache_of(15)) {
            put(core_of(cpu) == 7 ? "7" : "6,14", "cpu/cpu%d/topology/core_cpus_list",
                cpu);
            put("6-7,14", "cpu/cpu%d/cache/index2/shared_cpu_list", cpu);
        }
    }
    put("4-7,12-14", "node/node1/cpulist");
    put(NOTHING, "cpu/cpu15/topology/core_cpus_list");
    put(NOTHING, "cpu/cpu15/cache/index0/level");
    load();
    ASSERT_EQ(topology.cpus_count, CPUS);
    for (int cpu = 0; cpu < CPUS - 1; cpu++) {
        expect_distance(cpu, 15, RT_FAR);
    }
    expect_distance(6, 14, RT_NEAR_CORE);
    expect_distance(7, 14, RT_NEAR_CACHE);
    rt_topology_free(&topology);
}

/* ---- Levels that nothing is said about ---- */

TEST(without_nodes_all_are_on_one) {
    put_machine();
    put(NOTHING, "node/node0/cpulist");
    put(NOTHING, "node/node1/cpulist");
    load();
    expect_distance(0, 8, RT_NEAR_CORE);
    expect_distance(0, 1, RT_NEAR_CACHE);
    expect_distance(0, 2, RT_NEAR_NODE);
    expect_distance(0, 4, RT_NEAR_NODE);
    rt_topology_free(&topology);
}

TEST(without_caches_all_on_a_node_share_one) {
    put_machine();
    for (int cpu = 0; cpu < CPUS; cpu++) {
        put(NOTHING, "cpu/cpu%d/cache/index0/level", cpu);
    }
    load();
    expect_distance(0, 8, RT_NEAR_CORE);
    expect_distance(0, 2, RT_NEAR_CACHE);
    expect_distance(0, 4, RT_FAR);
    rt_topology_free(&topology);
}

TEST(without_cores_all_behind_a_cache_are_on_one) {
    put_machine();
    for (int cpu = 0; cpu < CPUS; cpu++) {
        put(NOTHING, "cpu/cpu%d/topology/core_cpus_list", cpu);
    }
    load();
    expect_distance(0, 1, RT_NEAR_CORE);
    expect_distance(0, 2, RT_NEAR_NODE);
    expect_distance(0, 4, RT_FAR);
    rt_topology_free(&topology);
}

TEST(a_number_of_cpus_alone_is_enough) {
    described_make();
    put("0-3,8,10-11", "cpu/possible");
    load();
    ASSERT_EQ(topology.cpus_count, 12);
    expect_distance(0, 11, RT_NEAR_CORE);
    expect_distance(0, 12, RT_FAR);
    expect_distance(0, -1, RT_FAR);
    rt_topology_free(&topology);
}

TEST(the_largest_machine) {
    described_make();
    put("0-8191", "cpu/possible");
    load();
    ASSERT_EQ(topology.cpus_count, RT_TOPOLOGY_CPUS_MAX);
    expect_distance(0, 8191, RT_NEAR_CORE);
    rt_topology_free(&topology);
}

/* ---- Descriptions that are wrong ---- */

TEST(a_directory_without_cpus_is_refused) {
    described_make();
    ASSERT_MATCH(messages(described_root),
                 "^tuco: TUCOTOPOLOGY=\"/tmp/tuco-test-.*\": not a "
                 "directory laid out as /sys/devices/system: ");
    put("0", "cpu"); // a file of that name is not a directory
    ASSERT_HAS(messages(described_root), "there is no cpu/ in it\n");
    described_remove();
    ASSERT_HAS(messages(described_root), "there is no cpu/ in it\n");
}

TEST(malformed_lists_are_refused) {
    static const char *const bad[] = {
        "0-",
        "-1",
        "0,",
        ",0",
        "0,,1",
        "0 1",
        " 0",
        "0 ",
        "3-1",
        "a",
        "0x1",
        "0-1-2",
        "+0",
        "0-1,",
        "8192",
        "0-8192",
        "0\n\n",
        "1:",
        "0--1",
        "0-3/2",
        "~0",
        "4294967296",
        "99999999999999999999",
    };
    described_make();
    for (size_t i = 0; i < RT_ARRAY_LENGTH(bad); i++) {
        put(bad[i], "cpu/possible");
        put("0", "cpu/present");
        ASSERT_MATCH(messages(described_root), "^tuco: TUCOTOPOLOGY: \"");
        ASSERT_HAS(child.text,
                   "/cpu/possible: not a list of numbers such as 0-3,8,10-11\n");
    }
}

TEST(all_wrong_files_are_named) {
    put_machine();
    put("4-", "cpu/cpu4/topology/core_cpus_list");
    put("high", "cpu/cpu6/cache/index2/level");
    put("4-7;12-15", "node/node1/cpulist");
    const char *text = messages(described_root);
    ASSERT_HAS(text, "TUCOTOPOLOGY: \"4-\" in ");
    ASSERT_HAS(text, "cpu/cpu4/topology/core_cpus_list: not a list of numbers");
    ASSERT_HAS(text, "cpu/cpu6/cache/index2/level: not the level of a cache\n");
    ASSERT_HAS(text, "node/node1/cpulist: not a list of numbers");
}

TEST(a_cpu_is_in_its_own_lists) {
    put_machine();
    put("1,9", "cpu/cpu0/topology/core_cpus_list");
    ASSERT_HAS(messages(described_root),
               "cpu/cpu0/topology/core_cpus_list: not a list with this CPU");
}

TEST(a_list_that_does_not_fit_is_refused) {
    static char line[40000];
    described_make();
    memset(line, '0', sizeof(line) - 1);
    put(line, "cpu/possible");
    ASSERT_HAS(messages(described_root), "cpu/possible: not a short text\n");
}

TEST(a_path_that_is_too_long_is_refused) {
    static char path[600];
    memset(path, 'd', sizeof(path) - 1);
    ASSERT_HAS(messages(path), "there is no cpu/ in it\n");
}

/* For one of these lengths cpu/possible does not fit by one letter; without that letter it
   would be found. */
TEST(a_path_that_is_too_long_is_not_cut) {
    static char path[600];
    described_make();
    put("0-3", "cpu/possibl");
    for (size_t length = strlen(strcpy(path, described_root)); length < 505; length++) {
        path[length] = '/';
        ASSERT_EQ(rt_topology_load(&topology, path), 0);
        ASSERT_EQ(topology.cpus_count, 0);
        rt_topology_free(&topology);
    }
}

/* ---- The machine that this runs on, and memory ---- */

TEST(the_system_itself) {
    ASSERT_EQ(rt_topology_load(&topology, ""), 0);
    for (int cpu = 0; cpu < topology.cpus_count; cpu++) {
        expect_distance(cpu, cpu, RT_NEAR_CORE);
    }
    expect_distance(0, topology.cpus_count, RT_FAR);
    rt_topology_free(&topology);
}

static int allocations_left;

static int fail_after(enum os_fault_kind kind) {
    return kind == OS_FAULT_ALLOC && allocations_left-- == 0 ? ENOMEM : 0;
}

TEST(no_memory) {
    put_machine();
    os_fault_hook = fail_after;
    for (int n = 0; n < 2; n++) {
        allocations_left = n;
        ASSERT_EQ(rt_topology_load(&topology, described_root), -ENOMEM);
        ASSERT_EQ(topology.cpus_count, 0);
        expect_distance(0, 0, RT_FAR);
    }
    allocations_left = 2;
    load();
    os_fault_hook = NULL;
    expect_machine();
    rt_topology_free(&topology);
}
