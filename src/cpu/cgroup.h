/* SPDX-License-Identifier: MIT */
/* The cgroup that limits the CPU time of the process, from /proc/self/cgroup. */
#ifndef RT_CPU_CGROUP_H
#define RT_CPU_CGROUP_H

#include "base/compiler.h"
#include "cpu/lines.h"

/* The kernel's limit on a path, with the terminating zero. */
#define RT_CGROUP_PATH_BYTES ((size_t)4096)

enum rt_cgroup_version {
    RT_CGROUP_V1 = 1, /* a hierarchy for one or a few controllers */
    RT_CGROUP_V2,     /* one hierarchy for all */
};

struct rt_cgroup {
    enum rt_cgroup_version version;
    size_t length;
    char path[RT_CGROUP_PATH_BYTES]; /* in its hierarchy, begins with '/'; terminated */
};

/* Parses the file. A v1 hierarchy with the controller "cpu" takes precedence, wherever its
   line is; without one it is v2's. Returns -ENODATA if there is neither, -EINVAL if a line
   is malformed, -ENAMETOOLONG if a line does not fit the buffer or a path does not fit
   *cgroup, or a read error. On failure *cgroup is undefined. */
int rt_cgroup_read(struct rt_lines *l, struct rt_cgroup *cgroup) RT_NODISCARD;

/* Whether both are the same cgroup. */
bool rt_cgroup_same(const struct rt_cgroup *a, const struct rt_cgroup *b);

#endif
