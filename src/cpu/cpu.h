/* SPDX-License-Identifier: MIT */
/* How many CPUs there are for the process, and how many it may keep busy. */
#ifndef RT_CPU_H
#define RT_CPU_H

#include "base/compiler.h"
#include "cpu/quota.h"

/*
 * Root, the value of TUCOCGROUP, is a directory that stands for "/": proc/self/cgroup,
 * proc/self/mountinfo and the mount points named there are looked up below it. "" is the
 * system itself.
 *
 * Nothing is kept from one call to the next, not even a descriptor: a process that was
 * moved to another cgroup, or whose limit was changed, gets to know by asking again. Any
 * thread may ask, with 8 KiB of stack.
 */

/* How many CPUs the affinity mask of the calling thread has. At least 1. */
int rt_cpu_count(void);

/* The tightest of the limits of the process' cgroup and of those above it, as far up as
   they can be seen. Returns
   -EAGAIN  the system lacks memory or descriptors, or the process was moved while this
            looked: what was true before is the best guess;
   -EINVAL  something below root is not as it should be, after a line on standard error
            about the first such thing.
   The system itself is never wrong: what makes no sense there, or may not be read, is no
   limit. On failure *limit is untouched. */
int rt_cpu_limit(const char *root, struct rt_quota *limit) RT_NODISCARD;

/* How many processors to use if nobody says: see rt_quota_procs(). At least 1 and at most
   rt_cpu_count(), or the errors of rt_cpu_limit(). */
int rt_cpu_default_procs(const char *root) RT_NODISCARD;

/* For who asks again and again, and may not allocate then: what it takes, to be freed by
   rt_free(). NULL: no memory. root has to stay. */
struct rt_cpu_reader;
struct rt_cpu_reader *rt_cpu_reader_make(const char *root) RT_NODISCARD;

/* As rt_cpu_default_procs(), without the line on standard error. */
int rt_cpu_reader_procs(struct rt_cpu_reader *reader) RT_NODISCARD;

#endif
