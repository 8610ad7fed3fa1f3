/* SPDX-License-Identifier: MIT */
/* The cgroup that bounds the CPU time of the process, as /proc/self/cgroup names it. */
#ifndef RT_CPU_CGROUP_H
#define RT_CPU_CGROUP_H

#include "base/compiler.h"
#include "cpu/lines.h"

/* The kernel opens no longer path, its end included. */
#define RT_CGROUP_PATH_BYTES ((size_t)4096)

enum rt_cgroup_version {
    RT_CGROUP_V1 = 1, /* a hierarchy for each controller, or for a few of them */
    RT_CGROUP_V2,     /* one for all */
};

struct rt_cgroup {
    enum rt_cgroup_version version;
    size_t length;
    char path[RT_CGROUP_PATH_BYTES]; /* in its hierarchy, from '/' on; terminated */
};

/* Reads such a file. A v1 hierarchy that has the controller "cpu" is the one that counts,
   wherever it stands; without one it is v2's. Returns -ENODATA if there is neither,
   -EINVAL if a line is not as it should be, -ENAMETOOLONG if one or its path is too long
   for the buffer or for *cgroup, or the error of a read. *cgroup is undefined then. */
int rt_cgroup_read(struct rt_lines *l, struct rt_cgroup *cgroup) RT_NODISCARD;

/* True if the process has not moved from the one to the other. */
bool rt_cgroup_same(const struct rt_cgroup *a, const struct rt_cgroup *b);

#endif
