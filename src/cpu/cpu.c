/* SPDX-License-Identifier: MIT */
/* Finds the process's cgroup and the tightest CPU limit that applies to it. */
#include "cpu/cpu.h"
#include "base/alloc.h"
#include "base/die.h"
#include "cpu/cgroup.h"
#include "cpu/mount.h"
#include "os/os.h"

#include <errno.h>
#include <stdio.h>

/*
 * Files read:
 *
 *   /proc/self/cgroup                       the cgroup, and whether it is of v1 or v2
 *   /proc/self/mountinfo                    where its hierarchy is mounted
 *   cpu.max                                 v2: quota and period
 *   cpu.cfs_quota_us, cpu.cfs_period_us     v1: one each
 *   /proc/self/cgroup                       again: is it still the same cgroup
 *
 * A limit applies to all cgroups below it, and a parent's may be the tighter one. So we
 * read the files of every level, up to the root of the mount. A level may have none: the
 * root of v2 never has any, and others lack them if their parent does not enable the
 * controller.
 *
 * The process may be moved and its old cgroup removed while we read. Then files are
 * missing, and a limit would seem to be gone. The second read of the cgroup's name detects
 * that.
 */

#define PATH_BYTES RT_CGROUP_PATH_BYTES

/* Two paths of a mount, and as much again for the rest of its line. */
#define LINES_BYTES (3 * PATH_BYTES)

#define TEXT_BYTES  64 /* of a file with a limit: at most two numbers of 19 digits */
#define LOOKS_MAX   4  /* per reading: no process is moved all the time */
#define SHOWN_BYTES 60 /* of a malformed text */

/* How much of a path a message shows, so that it fits the line of rt_print(). */
#define SHOWN_PATH_BYTES 800

/* One reading. On the heap, because it is large and threads with small stacks use it. Used
   by one thread at a time. */
struct rt_cpu_reader {
    const char *root;
    bool given;              /* root was set by the user: a malformed file is an error */
    bool silent;             /* such an error is not printed */
    struct rt_quota limit;   /* the tightest so far */
    struct rt_cgroup own;    /* at the latest look */
    struct rt_cgroup before; /* at the look before */
    struct rt_mount mount;   /* of before */
    char path[PATH_BYTES];   /* the current file */
    char text[TEXT_BYTES];   /* its contents, by search_text() */
    char lines[LINES_BYTES]; /* the buffer for longer files */
};

/* A file of lines: how to read it, and the messages for its errors. */
struct source {
    const char *name;
    int (*read)(struct rt_cpu_reader *s, struct rt_lines *l);
    const char *malformed; /* -EINVAL */
    const char *lacking;   /* -ENODATA */
};

/* Errors that are not about the file and may not occur the next time. */
static bool is_passing(int rc) {
    return rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE || rc == -EAGAIN;
}

/* Makes name, in the directory that is the first dir_length bytes of dir, the current
   file. */
static int search_at(struct rt_cpu_reader *s, const char *dir, size_t dir_length,
                     const char *name) {
    int n =
        snprintf(s->path, PATH_BYTES, "%s%.*s/%s", s->root, (int)dir_length, dir, name);
    return n >= 0 && (size_t)n < PATH_BYTES ? 0 : -ENAMETOOLONG;
}

static const char *meaning(int rc) {
    switch (rc) {
    case -ENOENT: return "there is no such file";
    case -ENAMETOOLONG: return "a line or a path is too long";
    case -EACCES: return "it may not be read";
    case -EISDIR: return "it is a directory";
    default: return "it cannot be read";
    }
}

/* Handles an error of the current file. */
static int search_wrong(struct rt_cpu_reader *s, int rc, const char *what) {
    if (is_passing(rc)) {
        return -EAGAIN;
    }
    if (s->given && !s->silent) {
        rt_print("tuco: TUCOCGROUP: %.*s: %s\n", SHOWN_PATH_BYTES, s->path, what);
    }
    return -EINVAL;
}

/* Handles a malformed text. Shows only its first line, so that the message is one line. */
static int search_wrong_text(struct rt_cpu_reader *s, const char *wanted) {
    if (s->given && !s->silent) {
        int shown = (int)strcspn(s->text, "\n");
        rt_print("tuco: TUCOCGROUP: \"%.*s\" in %.*s: not %s\n",
                 shown < SHOWN_BYTES ? shown : SHOWN_BYTES, s->text, SHOWN_PATH_BYTES,
                 s->path, wanted);
    }
    return -EINVAL;
}

static int read_own(struct rt_cpu_reader *s, struct rt_lines *l) {
    return rt_cgroup_read(l, &s->own);
}

static int read_mount(struct rt_cpu_reader *s, struct rt_lines *l) {
    return rt_mount_find(l, &s->own, &s->mount);
}

static const struct source own_source = {
    .name = "cgroup",
    .read = read_own,
    .malformed = "a line is not like 0::/a/b or 2:cpu,cpuacct:/a/b",
    .lacking = "it has no line for the controller cpu, nor one for v2",
};

static const struct source mount_source = {
    .name = "mountinfo",
    .read = read_mount,
    .malformed = "a line is not one that describes a mount",
    .lacking = "none of the mounts shows the cgroup",
};

static int search_source(struct rt_cpu_reader *s, const struct source *source) {
    static const char dir[] = "/proc/self";
    int rc = search_at(s, dir, sizeof dir - 1, source->name);
    int file = rc < 0 ? rc : os_file_open(s->path);
    if (file < 0) {
        return search_wrong(s, file, meaning(file));
    }
    struct rt_lines l = {.file = file, .buffer = s->lines, .bytes = LINES_BYTES};
    rc = source->read(s, &l);
    os_file_close(file);
    if (rc == -EINVAL) {
        return search_wrong(s, rc, source->malformed);
    }
    if (rc == -ENODATA) {
        return search_wrong(s, rc, source->lacking);
    }
    return rc < 0 ? search_wrong(s, rc, meaning(rc)) : 0;
}

/* Reads a file of the cgroup or of a parent, whose directory has dir_length bytes. Returns
   1, 0 if there is none, or an error. ENODEV: the cgroup was removed after the open. */
static int search_text(struct rt_cpu_reader *s, size_t dir_length, const char *name,
                       struct rt_text *t) {
    int rc = search_at(s, s->mount.path, dir_length, name);
    if (rc == 0) {
        rc = os_read_text(s->path, s->text, TEXT_BYTES);
    }
    if (rc == -ENOENT || rc == -ENODEV) {
        return 0;
    }
    if (rc < 0) {
        return search_wrong(s, rc, meaning(rc));
    }
    if (rc == TEXT_BYTES - 1) {
        return search_wrong_text(s, "a short text");
    }
    *t = (struct rt_text){s->text, (size_t)rc};
    return 1;
}

/* Both return 1, 0 if there is no limit, or an error. */

static int read_level_v2(struct rt_cpu_reader *s, size_t dir_length, struct rt_quota *q) {
    struct rt_text t;
    int rc = search_text(s, dir_length, "cpu.max", &t);
    if (rc > 0 && rt_quota_parse_v2(t, q) < 0) {
        return search_wrong_text(s, "a quota and a period like 150000 100000");
    }
    return rc;
}

static int read_level_v1(struct rt_cpu_reader *s, size_t dir_length, struct rt_quota *q) {
    struct rt_text t;
    int rc = search_text(s, dir_length, "cpu.cfs_quota_us", &t);
    if (rc <= 0) {
        return rc;
    }
    if (rt_quota_parse_v1(t, &q->quota_us) < 0) {
        return search_wrong_text(s, "a quota like 150000 or -1");
    }
    if (q->quota_us == RT_QUOTA_NONE) {
        return 0;
    }
    rc = search_text(s, dir_length, "cpu.cfs_period_us", &t);
    if (rc <= 0) {
        return rc < 0 ? rc : search_wrong(s, -ENOENT, meaning(-ENOENT));
    }
    if (rt_quota_parse_v1(t, &q->period_us) < 0 || q->period_us == RT_QUOTA_NONE) {
        return search_wrong_text(s, "a period like 100000");
    }
    return 1;
}

static int read_levels(struct rt_cpu_reader *s) {
    size_t length = s->mount.length;
    for (;;) {
        struct rt_quota q = RT_QUOTA_UNLIMITED;
        int rc = s->own.version == RT_CGROUP_V1 ? read_level_v1(s, length, &q)
                                                : read_level_v2(s, length, &q);
        /* A malformed level of the system does not hide the other levels. */
        if (rc == -EAGAIN || (rc < 0 && s->given)) {
            return rc;
        }
        if (rc > 0 && rt_quota_less(q, s->limit)) {
            s->limit = q;
        }
        if (length == s->mount.top_length) {
            return 0;
        }
        do {
            length--;
        } while (s->mount.path[length] != '/');
    }
}

/* Reads everything but the name of the cgroup, then that name again. Returns 1 if it has
   changed, 0 if not, or an error. */
static int limits_look(struct rt_cpu_reader *s) {
    s->limit = RT_QUOTA_UNLIMITED;
    s->before = s->own;
    int rc = search_source(s, &mount_source);
    if (rc == 0) {
        rc = read_levels(s);
    }
    if (rc == 0) {
        /* After the levels: a later move is left to the next reading. */
        rc = search_source(s, &own_source);
    }
    return rc < 0 ? rc : !rt_cgroup_same(&s->own, &s->before);
}

static int search(struct rt_cpu_reader *s) {
    int rc = search_source(s, &own_source);
    if (rc < 0) {
        return rc;
    }
    for (int i = 0; i < LOOKS_MAX; i++) {
        rc = limits_look(s);
        if (rc <= 0) {
            return rc;
        }
    }
    return -EAGAIN;
}

int rt_cpu_count(void) {
    return os_cpu_count();
}

/* Returns the errors of rt_cpu_limit(). */
static int read_limit(struct rt_cpu_reader *s, struct rt_quota *limit) {
    int rc = search(s);
    if (rc == -EINVAL && !s->given) {
        s->limit = RT_QUOTA_UNLIMITED;
        rc = 0;
    }
    if (rc == 0) {
        *limit = s->limit;
    }
    return rc;
}

static struct rt_cpu_reader *reader_make(const char *root, bool silent) {
    struct rt_cpu_reader *s = rt_alloc(sizeof *s);
    if (s != NULL) {
        s->root = root;
        s->given = root[0] != '\0';
        s->silent = silent;
    }
    return s;
}

int rt_cpu_limit(const char *root, struct rt_quota *limit) {
    struct rt_cpu_reader *s = reader_make(root, false);
    if (s == NULL) {
        return -EAGAIN;
    }
    int rc = read_limit(s, limit);
    rt_free(s);
    return rc;
}

int rt_cpu_default_procs(const char *root) {
    struct rt_quota limit = RT_QUOTA_UNLIMITED;
    int rc = rt_cpu_limit(root, &limit);
    return rc < 0 ? rc : rt_quota_procs(limit, rt_cpu_count());
}

struct rt_cpu_reader *rt_cpu_reader_make(const char *root) {
    return reader_make(root, true);
}

int rt_cpu_reader_procs(struct rt_cpu_reader *reader) {
    struct rt_quota limit = RT_QUOTA_UNLIMITED;
    int rc = read_limit(reader, &limit);
    return rc < 0 ? rc : rt_quota_procs(limit, rt_cpu_count());
}
