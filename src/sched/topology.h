/* SPDX-License-Identifier: MIT */
/* How far apart two CPUs are: the core, the cache and the memory node of each. */
#ifndef RT_SCHED_TOPOLOGY_H
#define RT_SCHED_TOPOLOGY_H

#include "base/compiler.h"
#include <stdint.h>

/* Kernels can be built for this many; the numbers of CPUs are below it. */
#define RT_TOPOLOGY_CPUS_MAX 8192

/* The number of a group that nothing is known about. Such CPUs count as one group. */
#define RT_TOPOLOGY_UNKNOWN (-1)

/* For each CPU the groups that it is in. Immutable between load and free. */
struct rt_topology {
    int cpus_count; /* one more than the highest number of a CPU; 0: nothing is known */
    int32_t *core;  /* CPUs that are threads of one core; the lowest of them */
    int32_t *cache; /* CPUs behind one cache of the highest level; the lowest of them */
    int32_t *node;  /* CPUs that the same memory is near to; the number of the node */
};

/* From near to far, so that they can be compared. */
enum rt_distance {
    RT_NEAR_CORE,
    RT_NEAR_CACHE,
    RT_NEAR_NODE,
    RT_FAR,
};

/* Reads dir, the value of TUCOTOPOLOGY, which is laid out as /sys/devices/system; ""
   stands for that directory itself. A level that dir says nothing about is the same for
   all CPUs. Returns -ENOMEM or, unless dir is "", -EINVAL after a line on standard error
   for all that is wrong: there is no cpu/ in it, or a file does not hold what it should.
   The system's own directory is never wrong: what makes no sense there counts as missing.
   On failure *t is as after rt_topology_free(). */
int rt_topology_load(struct rt_topology *t, const char *dir) RT_NODISCARD;

/* Gives the memory back and leaves a topology in which everything is far. */
void rt_topology_free(struct rt_topology *t);

/* Looks from the outside in, so that a level at which all are the same decides nothing.
   Two nodes are far apart even if a cache spans them. A CPU whose number the machine
   does not have is far from all. */
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
