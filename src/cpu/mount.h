/* SPDX-License-Identifier: MIT */
/* The directory of a cgroup in the file system, from /proc/self/mountinfo. */
#ifndef RT_CPU_MOUNT_H
#define RT_CPU_MOUNT_H

#include "base/compiler.h"
#include "cpu/cgroup.h"
#include "cpu/lines.h"

/* The directory of a cgroup. Cut at a '/' it is that of a parent, down to top_length:
   there the mount ends, and higher levels of the hierarchy are not visible. */
struct rt_mount {
    size_t length;
    size_t top_length;               /* of the mount point; 0 if that is "/" */
    char path[RT_CGROUP_PATH_BYTES]; /* terminated */
};

/* Parses the file up to the first mount that shows the cgroup. Returns -ENODATA if none
   does,
   -EINVAL if a line is malformed, -ENAMETOOLONG if the line that matters or the directory
   is too long, or a read error. On failure *mount is undefined. Lines of other file
   systems may have any length. */
int rt_mount_find(struct rt_lines *l, const struct rt_cgroup *cgroup,
                  struct rt_mount *mount) RT_NODISCARD;

/* Decodes the kernel's escapes, three octal digits after a backslash, and terminates the
   result. Returns its length, -EINVAL for any other escape or an escaped zero, or
   -ENAMETOOLONG. */
int rt_mount_unescape(struct rt_text t, char *path, size_t bytes) RT_NODISCARD;

#endif
