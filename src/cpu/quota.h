/* SPDX-License-Identifier: MIT */
/* A cgroup's CPU quota: an exact fraction, and how many CPUs it amounts to. */
#ifndef RT_CPU_QUOTA_H
#define RT_CPU_QUOTA_H

#include "base/compiler.h"
#include "cpu/text.h"

/* quota_us of CPU time, on all CPUs together, in each period_us. */
struct rt_quota {
    int64_t quota_us;  /* above 0, or RT_QUOTA_NONE */
    int64_t period_us; /* above 0, also if there is no limit */
};

/* No limit. */
#define RT_QUOTA_NONE      (-1)
#define RT_QUOTA_UNLIMITED ((struct rt_quota){RT_QUOTA_NONE, 1})

/* A quota alone never reduces the default below this; only a lack of CPUs does. With one
   processor, a goroutine that blocks it delays all others although quota is left. */
#define RT_QUOTA_PROCS_MIN 2

/* Parses v2's cpu.max: "150000 100000\n" or "max 100000\n". Returns -EINVAL for anything
   else; then *quota is unchanged. */
int rt_quota_parse_v2(struct rt_text t, struct rt_quota *quota) RT_NODISCARD;

/* Parses v1's cpu.cfs_quota_us or cpu.cfs_period_us: "150000\n", or "-1\n" for no limit,
   which gives RT_QUOTA_NONE. Returns -EINVAL for anything else; then *number_us is
   unchanged. */
int rt_quota_parse_v1(struct rt_text t, int64_t *number_us) RT_NODISCARD;

/* Whether a allows less than b. Exact, where a comparison of doubles might not be. */
bool rt_quota_less(struct rt_quota a, struct rt_quota b);

/* The number of processors for a quota on cpus CPUs: the quota in CPUs, rounded up, at
   least RT_QUOTA_PROCS_MIN and at most cpus. */
int rt_quota_procs(struct rt_quota quota, int cpus);

#endif
