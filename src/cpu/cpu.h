/* SPDX-License-Identifier: MIT */
/* How many CPUs the process has, and how many its quota allows. */
#ifndef RT_CPU_H
#define RT_CPU_H

#include "base/compiler.h"
#include "cpu/quota.h"

/*
 * root, the value of TUCOCGROUP, is a directory to use as "/": proc/self/cgroup,
 * proc/self/mountinfo and the mount points named there are looked up below it. "" is the
 * system itself.
 *
 * Nothing is cached between calls, not even a descriptor: to notice a move to another
 * cgroup or a changed limit, call again. Any thread may call, with 8 KiB of stack.
 */

/* The number of CPUs in the calling thread's affinity mask. At least 1. */
int rt_cpu_count(void);

/* Stores in *limit the tightest limit of the process's cgroup and its visible ancestors.
   Returns
   -EAGAIN  the system is out of memory or descriptors, or the process was moved during the
            call: the previous value is the best guess;
   -EINVAL  a file below root is malformed; one line on standard error names the first.
   Without root there is no -EINVAL: a malformed or unreadable file of the system counts as
   no limit. On failure *limit is unchanged. */
int rt_cpu_limit(const char *root, struct rt_quota *limit) RT_NODISCARD;

/* The default number of processors: see rt_quota_procs(). At least 1 and at most
   rt_cpu_count(), or the errors of rt_cpu_limit(). */
int rt_cpu_default_procs(const char *root) RT_NODISCARD;

/* The buffers for a caller that reads repeatedly and must not allocate then. Freed by
   rt_free(). NULL: no memory. root must outlive it. */
struct rt_cpu_reader;
struct rt_cpu_reader *rt_cpu_reader_make(const char *root) RT_NODISCARD;

/* Like rt_cpu_default_procs(), but prints nothing and does not allocate. */
int rt_cpu_reader_procs(struct rt_cpu_reader *reader) RT_NODISCARD;

#endif
