/* SPDX-License-Identifier: MIT */
/* Where a cgroup is in the file system, as /proc/self/mountinfo tells it. */
#ifndef RT_CPU_MOUNT_H
#define RT_CPU_MOUNT_H

#include "base/compiler.h"
#include "cpu/cgroup.h"
#include "cpu/lines.h"

/* The directory of a cgroup. Cut at a '/' it is that of a parent, as long as what is left
   is not shorter than top_length: there the mount ends, and what is above in the
   hierarchy, if anything is, cannot be seen. */
struct rt_mount {
    size_t length;
    size_t top_length;               /* of the mount point; 0 if that is "/" */
    char path[RT_CGROUP_PATH_BYTES]; /* terminated */
};

/* Reads such a file up to the first mount that shows the cgroup. Returns -ENODATA if none
   does, -EINVAL if a line is not as it should be, -ENAMETOOLONG if the one that matters
   or the directory is too long, or the error of a read. *mount is undefined then. Lines
   of other file systems may be of any length. */
int rt_mount_find(struct rt_lines *l, const struct rt_cgroup *cgroup,
                  struct rt_mount *mount) RT_NODISCARD;

/* Undoes the kernel's escapes, three octal digits after a backslash, and terminates.
   Returns the length, -EINVAL for a backslash with something else after it or for an
   escaped zero, which is in no path, or -ENAMETOOLONG. */
int rt_mount_unescape(struct rt_text t, char *path, size_t bytes) RT_NODISCARD;

#endif
