/* SPDX-License-Identifier: MIT */
/* Reads the lines of /proc/self/mountinfo, see proc(5). */
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
 * Root is the part of the hierarchy that the mount shows: a cgroup is in it if root is
 * the beginning of its path, and then what is left of the path goes behind the point.
 *
 * Both paths are told as seen from the cgroup namespace of the process. What is outside
 * of that begins with "/..", once for each level up, in root as well as in the path of a
 * cgroup: the same beginning is the same place here too. But if the part of the path that
 * is left goes up, then the cgroup is outside of the mount. And a root that is above the
 * namespace, with a cgroup inside, cannot be put together: the names in between are not
 * told. Such a mount shows the cgroup at a place that nobody can know.
 */

/* What of a line matters. */
struct entry {
    struct rt_text root;
    struct rt_text point;
    struct rt_text type;
};

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* Takes one byte of a path, escaped or not, off the front; -EINVAL: a bad escape. */
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

/* Leaves what follows the type. Without a blank behind it, at the end of a line that is
   cut, the type may be the beginning of a longer word, and does not count. */
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

/* Returns 1 if the line is of the hierarchy that the version means, 0 if not, and the
   error too_short if it ends before that can be told. */
static int parse_entry(const struct rt_line *line, enum rt_cgroup_version version,
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

/* The part of the cgroup's path that is below root, from its '/' on; NULL: it is not
   below it. */
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
    /* The buffer of the result holds the root first: it is as long as any that fits. */
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
        rc = parse_entry(&line, cgroup->version, cut ? -ENAMETOOLONG : -EINVAL, &e);
        if (rc > 0) {
            rc = place(&e, cgroup, mount);
        }
        if (rc != 0) {
            return rc < 0 ? rc : 0;
        }
    }
    return rc < 0 ? rc : -ENODATA;
}
