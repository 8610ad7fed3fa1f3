/* SPDX-License-Identifier: MIT */
/* Parses /proc/self/mountinfo, see proc(5). */
#include "cpu/mount.h"

#include <errno.h>

/*
 * A line is
 *
 *   36 35 98:0 /sandbox /sys/fs/cgroup rw,noatime shared:1 - cgroup2 cgroup rw,nsdelegate
 *   |          |        |              |          |          |       |      |
 *   ids        root     point          options    any        type    source options of the
 *                                                 number of                 file system
 *
 * root is the part of the hierarchy that the mount shows. It shows a cgroup if root is a
 * prefix of the cgroup's path; the rest of the path is then appended to point.
 *
 * Both paths are relative to the cgroup namespace of the process. A path outside of it
 * begins with "/..", once for each level up, in root as well as in the path of a cgroup,
 * so equal prefixes are equal places there too. But if the rest of the path contains "..",
 * the cgroup is outside of the mount. If root is above the namespace and the cgroup
 * inside, the names in between are unknown: such a mount shows the cgroup at a path that
 * cannot be computed.
 */

/* The fields that are used. */
struct entry {
    struct rt_text root;
    struct rt_text point;
    struct rt_text type;
};

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* Takes one byte of a path, escaped or not, off the front. -EINVAL: a bad escape. */
static int take_byte(struct rt_text *t) {
    const char *c = t->start;
    size_t taken = 1;
    int byte = (unsigned char)c[0];
    if (byte == '\\') {
        taken = 4;
        if (t->length < taken || !is_octal(c[1]) || !is_octal(c[2]) || !is_octal(c[3])) {
            return -EINVAL;
        }
        byte = (c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0');
    }
    t->start += taken;
    t->length -= taken;
    return byte != 0 && byte <= UINT8_MAX ? byte : -EINVAL;
}

int rt_mount_unescape(struct rt_text t, char *path, size_t bytes) {
    size_t length = 0;
    while (t.length > 0) {
        int byte = take_byte(&t);
        if (byte < 0) {
            return byte;
        }
        if (length + 1 >= bytes) {
            return -ENAMETOOLONG;
        }
        path[length++] = (char)byte;
    }
    path[length] = '\0';
    return (int)length;
}

static bool goes_up(const char *path) {
    return rt_text_has((struct rt_text){path, strlen(path)}, '/', "..");
}

static bool skip_fields(struct rt_text *line, int count) {
    struct rt_text field;
    while (count > 0 && rt_text_take(line, ' ', &field)) {
        count--;
    }
    return count == 0;
}

/* Leaves in *line what follows the type. Without a blank after it, at the end of a
   truncated line, the type may be incomplete and is not accepted. */
static bool parse_fields(struct rt_text *line, struct entry *e) {
    struct rt_text field;
    if (!skip_fields(line, 3 /* ids */) || !rt_text_take(line, ' ', &e->root) ||
        !rt_text_take(line, ' ', &e->point) || !skip_fields(line, 1 /* options */)) {
        return false;
    }
    do {
        if (!rt_text_take(line, ' ', &field)) {
            return false;
        }
    } while (!rt_text_is(field, "-"));
    return rt_text_take(line, ' ', &e->type);
}

/* Returns 1 if the line is of the version's hierarchy, 0 if not, or too_short if the line
   ends before that is known. */
static int mount_parse_entry(const struct rt_line *line, enum rt_cgroup_version version,
                             int too_short, struct entry *e) {
    struct rt_text rest = line->text;
    if (!parse_fields(&rest, e)) {
        return too_short;
    }
    if (version == RT_CGROUP_V2) {
        return rt_text_is(e->type, "cgroup2");
    }
    if (!rt_text_is(e->type, "cgroup")) {
        return 0;
    }
    if (!line->whole || !skip_fields(&rest, 1 /* source, which may be empty */)) {
        return too_short;
    }
    return rt_text_has(rest, ',', "cpu");
}

/* The part of the cgroup's path below root, beginning with '/'. NULL: it is not below
   root. */
static const char *below(const struct rt_cgroup *cgroup, const char *root,
                         size_t root_length) {
    const char *rest = cgroup->path;
    if (root_length > 1) {
        if (strncmp(rest, root, root_length) != 0) {
            return NULL;
        }
        rest += root_length;
    }
    if ((rest[0] != '\0' && rest[0] != '/') || goes_up(rest)) {
        return NULL;
    }
    return rest[0] == '/' && rest[1] == '\0' ? "" : rest;
}

/* Returns 1 with the directory, 0 if the mount does not show the cgroup, or an error. */
static int place(const struct entry *e, const struct rt_cgroup *cgroup,
                 struct rt_mount *mount) {
    /* The result's buffer holds the root first. Any root that matters fits into it. */
    int length = rt_mount_unescape(e->root, mount->path, sizeof mount->path);
    if (length < 0) {
        return length == -ENAMETOOLONG ? 0 : length;
    }
    if (mount->path[0] != '/') {
        return -EINVAL;
    }
    const char *rest = below(cgroup, mount->path, (size_t)length);
    if (rest == NULL) {
        return 0;
    }
    length = rt_mount_unescape(e->point, mount->path, sizeof mount->path);
    if (length < 0) {
        return length;
    }
    if (mount->path[0] != '/' || goes_up(mount->path)) {
        return -EINVAL;
    }
    mount->top_length = length == 1 ? 0 : (size_t)length;
    mount->length = mount->top_length + strlen(rest);
    if (mount->length >= sizeof mount->path) {
        return -ENAMETOOLONG;
    }
    memcpy(mount->path + mount->top_length, rest, strlen(rest) + 1);
    return 1;
}

int rt_mount_find(struct rt_lines *l, const struct rt_cgroup *cgroup,
                  struct rt_mount *mount) {
    struct rt_line line;
    struct entry e;
    int rc;
    while ((rc = rt_lines_next(l, &line)) > 0) {
        bool cut = !line.whole && line.text.length == l->bytes;
        rc = mount_parse_entry(&line, cgroup->version, cut ? -ENAMETOOLONG : -EINVAL, &e);
        if (rc > 0) {
            rc = place(&e, cgroup, mount);
        }
        if (rc != 0) {
            return rc < 0 ? rc : 0;
        }
    }
    return rc < 0 ? rc : -ENODATA;
}
