/* SPDX-License-Identifier: MIT */
/* How far apart two CPUs are: the core, the cache and the memory node of each. */
#ifndef RT_CPU_TOPOLOGY_H
#define RT_CPU_TOPOLOGY_H

#include "base/compiler.h"
#include <stdint.h>

/* The kernel's largest configuration; CPU numbers are below it. */
#define RT_TOPOLOGY_CPUS_MAX 8192

/* A group that is unknown. All such CPUs count as one group. */
#define RT_TOPOLOGY_UNKNOWN (-1)

/* The groups of each CPU. Immutable between load and free. */
struct rt_topology {
    int cpus_count; /* the highest CPU number plus one; 0: the topology is unknown */
    int32_t *core;  /* threads of one core: the lowest CPU of the core */
    int32_t *cache; /* CPUs that share a last-level cache: the lowest of them */
    int32_t *node;  /* the number of the memory node */
};

/* In order of distance, so that values can be compared. */
enum rt_distance {
    RT_NEAR_CORE,
    RT_NEAR_CACHE,
    RT_NEAR_NODE,
    RT_FAR,
};

/* Reads dir, the value of TUCOTOPOLOGY, laid out as /sys/devices/system; "" is that
   directory itself. A level without files is the same for all CPUs. Returns -ENOMEM or,
   unless dir is "", -EINVAL after printing a line to standard error for each fault: dir
   has no cpu/, or a file is malformed. In the system's own directory malformed files count
   as missing. On failure *t is as after rt_topology_free(). */
int rt_topology_load(struct rt_topology *t, const char *dir) RT_NODISCARD;

/* Frees the memory and leaves a topology in which all CPUs are far apart. */
void rt_topology_free(struct rt_topology *t);

/* Compares from the outermost level in, so that a level that is the same for all CPUs
   decides nothing. Two nodes are far apart even if they share a cache. A CPU number that
   the machine does not have is far from all. */
static inline enum rt_distance rt_topology_distance(const struct rt_topology *t,
                                                    int cpu_a, int cpu_b) {
    if (unlikely((unsigned)cpu_a >= (unsigned)t->cpus_count ||
                 (unsigned)cpu_b >= (unsigned)t->cpus_count)) {
        return RT_FAR;
    }
    if (t->node[cpu_a] != t->node[cpu_b]) {
        return RT_FAR;
    }
    if (t->cache[cpu_a] != t->cache[cpu_b]) {
        return RT_NEAR_NODE;
    }
    return t->core[cpu_a] == t->core[cpu_b] ? RT_NEAR_CORE : RT_NEAR_CACHE;
}

#endif
