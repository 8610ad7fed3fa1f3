/* SPDX-License-Identifier: MIT */
/* Parses /proc/self/cgroup: lines of hierarchy:controller,...:path, see cgroups(7). */
#include "cpu/cgroup.h"

#include <errno.h>

struct entry {
    struct rt_text hierarchy;   /* "0": v2 */
    struct rt_text controllers; /* empty for v2 */
    struct rt_text path;
};

static bool text_is_number(struct rt_text t) {
    for (size_t i = 0; i < t.length; i++) {
        if (t.start[i] < '0' || t.start[i] > '9') {
            return false;
        }
    }
    return t.length > 0;
}

/* A path may contain any byte but zero. */
static bool text_is_path(struct rt_text t) {
    return t.length > 0 && t.start[0] == '/' && memchr(t.start, '\0', t.length) == NULL;
}

static bool cgroup_parse_entry(struct rt_text line, struct entry *e) {
    if (!rt_text_take(&line, ':', &e->hierarchy) ||
        !rt_text_take(&line, ':', &e->controllers)) {
        return false;
    }
    e->path = line;
    if (rt_text_is(e->hierarchy, "0") && e->controllers.length > 0) {
        return false;
    }
    return text_is_number(e->hierarchy) && text_is_path(e->path);
}

static int keep(struct rt_cgroup *cgroup, enum rt_cgroup_version version,
                struct rt_text path) {
    if (path.length >= sizeof cgroup->path) {
        return -ENAMETOOLONG;
    }
    cgroup->version = version;
    cgroup->length = path.length;
    memcpy(cgroup->path, path.start, path.length);
    cgroup->path[path.length] = '\0';
    return 0;
}

/* All lines are about equally long, so one that does not fit is an error, whichever it
   is. */
static int next_entry(struct rt_lines *l, struct entry *e) {
    struct rt_line line;
    int rc = rt_lines_next(l, &line);
    if (rc <= 0) {
        return rc;
    }
    if (!line.whole) {
        return line.text.length == l->bytes ? -ENAMETOOLONG : -EINVAL;
    }
    return cgroup_parse_entry(line.text, e) ? 1 : -EINVAL;
}

int rt_cgroup_read(struct rt_lines *l, struct rt_cgroup *cgroup) {
    struct entry e;
    bool found = false;
    for (;;) {
        int rc = next_entry(l, &e);
        if (rc < 0) {
            return rc;
        }
        if (rc == 0) {
            return found ? 0 : -ENODATA;
        }
        if (rt_text_is(e.hierarchy, "0")) {
            rc = keep(cgroup, RT_CGROUP_V2, e.path);
            found = true;
        } else if (rt_text_has(e.controllers, ',', "cpu")) {
            return keep(cgroup, RT_CGROUP_V1, e.path);
        }
        if (rc < 0) {
            return rc;
        }
    }
}

bool rt_cgroup_same(const struct rt_cgroup *a, const struct rt_cgroup *b) {
    return a->version == b->version && a->length == b->length &&
           memcmp(a->path, b->path, a->length) == 0;
}
