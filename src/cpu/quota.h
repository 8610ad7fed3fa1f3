/* SPDX-License-Identifier: MIT */
/* How much CPU time a cgroup may use: an exact fraction, and what it means in CPUs. */
#ifndef RT_CPU_QUOTA_H
#define RT_CPU_QUOTA_H

#include "base/compiler.h"
#include "cpu/text.h"

/* So much time on all CPUs together in each period of so much. */
struct rt_quota {
    int64_t quota_us;  /* above 0, or RT_QUOTA_NONE */
    int64_t period_us; /* above 0, also if there is no limit */
};

/* No limit: however much there is. */
#define RT_QUOTA_NONE      (-1)
#define RT_QUOTA_UNLIMITED ((struct rt_quota){RT_QUOTA_NONE, 1})

/* No process is made to do with fewer processors by a limit, only by a lack of CPUs: with
   one, whoever blocks it holds up all others, though there is time left to be used. */
#define RT_QUOTA_PROCS_MIN 2

/* The text of v2's cpu.max: "150000 100000\n" or "max 100000\n". Returns -EINVAL, with
   *quota untouched, for anything else. */
int rt_quota_parse_v2(struct rt_text t, struct rt_quota *quota) RT_NODISCARD;

/* The text of v1's cpu.cfs_quota_us or cpu.cfs_period_us: "150000\n", or "-1\n" for no
   limit, which *number_us is RT_QUOTA_NONE for. Returns -EINVAL, with *number_us
   untouched, for anything else. */
int rt_quota_parse_v1(struct rt_text t, int64_t *number_us) RT_NODISCARD;

/* True if a allows less than b, which may be by less than a double would show. */
bool rt_quota_less(struct rt_quota a, struct rt_quota b);

/* How many processors to use the quota with, on so many CPUs: as many as it pays for, a
   part of one being one, at least RT_QUOTA_PROCS_MIN and at most the CPUs. */
int rt_quota_procs(struct rt_quota quota, int cpus);

#endif
