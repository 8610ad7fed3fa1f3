/* SPDX-License-Identifier: MIT */
/* Proves: for any content of the files with the CPU limits, reading them returns a value
   or an error, stays inside its buffers, and agrees with a simpler reader.

   Inputs are valid files with a few random changes, drawn from the seed. Each test tries
   at least INPUTS_MIN of them, or SYSTEMS_MIN, and continues for --seconds. */
#include "test.h"
#include "base/rand.h"
#include "cpu/cpu.h"
#include "cpu/lines.h"
#include "cpu/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUTS_MIN   TEST_SIZE(20000, 5000)
#define SYSTEMS_MIN  (INPUTS_MIN / 20) // each is several files
#define INPUT_BYTES  ((size_t)64 * 1024)
#define CHANGES_MAX  6
#define LINES_BYTES  (3 * RT_CGROUP_PATH_BYTES) // of a real reading
#define NAMES_MAX    5
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static struct rt_rand rand_state;
static int file = -1;

/* One byte more than is ever used, so that a text can be terminated. */
static char input[INPUT_BYTES + 1];
static size_t input_length;

static uint32_t below(size_t n) {
    return rt_rand_below(&rand_state, (uint32_t)n);
}

static bool one_in(uint32_t n) {
    return below(n) == 0;
}

/* ---- Making inputs ---- */

static const char *const quotas[] = {
    "max 100000\n",
    "150000 100000\n",
    "-1\n",
    "500000\n",
    "9223372036854775807 9223372036854775807\n",
    "1 18446744073709551615\n",
};

static const char *const cgroups[] = {
    "0::/a/b/c\n",
    "2:cpu,cpuacct:/a/b/cpu\n1:blkio:/a/b/blkio\n0::/a/v2\n",
    "12:memory:/\n3:cpuset:/x\n2:cpuacct:/y\n1:name=systemd:/z\n0::/../../init.scope\n",
};

static const char *const mounts[] = {
    "22 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"
    "25 21 0:22 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
    "49 22 0:37 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "56 22 0:40 /a /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
    "31 23 0:28 /../.. /tab\\011\\134x rw master:1 - cgroup2  rw\n"
    "31 23 0:28 /a/b /second rw - cgroup2 none rw\n",
};

/* The texts that a change inserts: all that have a meaning in one of the files. */
static const char *const pieces[] = {
    "\n",
    " ",
    ":",
    ",",
    "/",
    "-",
    " - ",
    "..",
    "/..",
    "\\",
    "\\0",
    "\\040",
    "\\777",
    "cpu",
    "cpu,",
    "0::/",
    "1:cpu:/",
    "cgroup",
    "cgroup2",
    "max",
    "0",
    "9",
    "-1",
    "/a",
    "//",
    "\r",
    "9223372036854775807",
    "9223372036854775808",
    "\t",
    "\xff",
    "/ / rw - cgroup2 x rw\n",
};

static void insert(size_t at, const char *bytes, size_t length) {
    if (input_length + length <= INPUT_BYTES) {
        memmove(input + at + length, input + at, input_length - at);
        memcpy(input + at, bytes, length);
        input_length += length;
    }
}

static void cut(size_t at, size_t length) {
    memmove(input + at, input + at + length, input_length - at - length);
    input_length -= length;
}

static void insert_long(size_t at) {
    static char bytes[2 * LINES_BYTES];
    size_t length = one_in(2) ? 4080 + below(32) : below(sizeof(bytes));
    memset(bytes, one_in(4) ? '/' : 'a', length);
    insert(at, bytes, length);
}

static void change(void) {
    size_t at = below(input_length + 1);
    size_t left = input_length - at;
    const char *piece = pieces[below(COUNT(pieces))];
    char copy[64];
    size_t length = below((left < sizeof(copy) ? left : sizeof(copy) - 1) + 1);
    switch (below(7)) {
    case 0: insert(at, piece, strlen(piece)); break;
    case 1: cut(at, length); break;
    case 2: input_length = at; break;
    case 3:
        memcpy(copy, input + at, length);
        insert(below(input_length + 1), copy, length);
        break;
    case 4:
        if (left > 0) {
            input[at] = (char)rt_rand_next(&rand_state);
        }
        break;
    case 5:
        if (left > 0) {
            cut(at, 1);
            insert(at, piece, strlen(piece));
        }
        break;
    default:
        if (one_in(8)) {
            insert_long(at);
        }
        break;
    }
}

static void make_input(const char *const *texts, uint32_t count) {
    const char *text = texts[below(count)];
    input_length = strlen(text);
    memcpy(input, text, input_length);
    for (uint32_t changes = below(CHANGES_MAX + 1); changes > 0; changes--) {
        change();
    }
    input[input_length] = '\0';
}

/* ---- Running ---- */

static void run(void (*try_one)(void), long inputs_min) {
    rand_state.state = test_seed();
    file = memfd_create("input", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    long tried = 0;
    while (tried < inputs_min || tuco_now() < end) {
        try_one();
        tried++;
    }
    printf("%ld inputs\n", tried);
    fflush(stdout);
    close(file);
}

/* Begins to read the input, with a buffer whose end AddressSanitizer knows. */
static struct rt_lines open_input(size_t buffer_bytes) {
    ASSERT_EQ(ftruncate(file, 0), 0);
    ASSERT_EQ(pwrite(file, input, input_length, 0), input_length);
    ASSERT_EQ(lseek(file, 0, SEEK_SET), 0);
    return (struct rt_lines){
        .file = file, .buffer = malloc(buffer_bytes), .bytes = buffer_bytes};
}

/* ---- Lines ---- */

static void try_lines(void) {
    make_input(mounts, COUNT(mounts));
    struct rt_lines l = open_input(1 + below(one_in(2) ? 16 : 200));
    struct rt_line line;
    size_t at = 0;
    while (at < input_length) {
        const char *newline = memchr(input + at, '\n', input_length - at);
        size_t length =
            newline != NULL ? (size_t)(newline - input) - at : input_length - at;
        ASSERT_EQ(rt_lines_next(&l, &line), 1);
        ASSERT_EQ(line.whole, newline != NULL && length < l.bytes);
        ASSERT_EQ(line.text.length, length < l.bytes ? length : l.bytes);
        ASSERT_EQ(memcmp(line.text.start, input + at, line.text.length), 0);
        at += length + 1;
    }
    ASSERT_EQ(rt_lines_next(&l, &line), 0);
    free(l.buffer);
}

TEST(lines) {
    run(try_lines, INPUTS_MIN);
}

/* ---- Quotas ---- */

static bool matches(const char *pattern, const char *text, regmatch_t *parts) {
    static struct {
        const char *pattern;
        regex_t regex;
    } known[8];
    int i = 0;
    while (known[i].pattern != NULL && known[i].pattern != pattern) {
        i++;
    }
    if (known[i].pattern == NULL) {
        ASSERT_EQ(regcomp(&known[i].regex, pattern, REG_EXTENDED), 0);
        known[i].pattern = pattern;
    }
    return regexec(&known[i].regex, text, 4, parts, 0) == 0;
}

static bool has_zero(void) {
    return memchr(input, '\0', input_length) != NULL;
}

/* The digits at text as a number above 0; 0: it is 0 or too large. */
static int64_t number_at(const char *text) {
    errno = 0;
    long long n = strtoll(text, NULL, 10);
    return errno == 0 ? n : 0;
}

static const char v2_pattern[] = "^(max|[0-9]+) ([0-9]+)\n$";
static const char v1_pattern[] = "^(-?)([0-9]+)\n$";

static void check_v2(int rc, struct rt_quota q) {
    regmatch_t parts[4];
    bool good = !has_zero() && matches(v2_pattern, input, parts);
    int64_t period = good ? number_at(input + parts[2].rm_so) : 0;
    bool none = input[0] == 'm';
    int64_t quota = none ? RT_QUOTA_NONE : good ? number_at(input) : 0;
    good = good && period != 0 && quota != 0;
    ASSERT_EQ(rc, good ? 0 : -EINVAL);
    if (good) {
        ASSERT_EQ(q.quota_us, quota);
        ASSERT_EQ(q.period_us, period);
        int procs = rt_quota_procs(q, 64);
        ASSERT(procs >= 2 && procs <= 64);
    }
}

static void check_v1(int rc, int64_t number) {
    regmatch_t parts[4];
    bool good = !has_zero() && matches(v1_pattern, input, parts);
    int64_t n = good ? number_at(input + parts[2].rm_so) : 0;
    ASSERT_EQ(rc, n != 0 ? 0 : -EINVAL);
    if (n != 0) {
        ASSERT_EQ(number, input[0] == '-' ? RT_QUOTA_NONE : n);
    }
}

static void try_quotas(void) {
    make_input(quotas, COUNT(quotas));
    char *exact = malloc(input_length > 0 ? input_length : 1);
    memcpy(exact, input, input_length);
    struct rt_text t = {exact, input_length};
    struct rt_quota q = {0, 0};
    int64_t number = 0;
    int rc = rt_quota_parse_v2(t, &q);
    check_v2(rc, q);
    rc = rt_quota_parse_v1(t, &number);
    check_v1(rc, number);
    free(exact);
}

TEST(quotas_of_both_versions) {
    run(try_quotas, INPUTS_MIN);
}

/* ---- The cgroup ---- */

static const char entry_pattern[] = "^([0-9]+):([^:]*):(/.*)$";
static const char cpu_pattern[] = "(^|,)cpu(,|$)";

/* Returns the path that the lines of the input name; NULL if they are malformed or none
   does. Changes the input. */
static const char *cgroup_by_patterns(enum rt_cgroup_version *version) {
    const char *found = NULL;
    char *line = input;
    while (*line != '\0') {
        char *newline = strchr(line, '\n');
        regmatch_t parts[4];
        if (newline == NULL) {
            return NULL;
        }
        *newline = '\0';
        if (!matches(entry_pattern, line, parts)) {
            return NULL;
        }
        line[parts[1].rm_eo] = line[parts[2].rm_eo] = '\0';
        const char *controllers = line + parts[2].rm_so;
        regmatch_t ignored[4];
        if (strcmp(line, "0") == 0) {
            if (*controllers != '\0') {
                return NULL;
            }
            found = line + parts[3].rm_so;
            *version = RT_CGROUP_V2;
        } else if (matches(cpu_pattern, controllers, ignored)) {
            *version = RT_CGROUP_V1;
            return line + parts[3].rm_so;
        }
        line = newline + 1;
    }
    return found;
}

static void try_cgroups(void) {
    static struct rt_cgroup cgroup;
    make_input(cgroups, COUNT(cgroups));
    struct rt_lines l = open_input(LINES_BYTES);
    int rc = rt_cgroup_read(&l, &cgroup);
    free(l.buffer);
    ASSERT(rc == 0 || rc == -EINVAL || rc == -ENODATA || rc == -ENAMETOOLONG);
    if (rc == 0) {
        ASSERT_EQ(cgroup.path[0], '/');
        ASSERT_EQ(strlen(cgroup.path), cgroup.length);
    }
    if (has_zero() || input_length >= RT_CGROUP_PATH_BYTES) {
        return;
    }
    enum rt_cgroup_version version = 0;
    const char *path = cgroup_by_patterns(&version);
    ASSERT_EQ(rc == 0, path != NULL);
    if (path != NULL) {
        ASSERT_STR(cgroup.path, path);
        ASSERT_EQ(cgroup.version, version);
    }
}

TEST(the_cgroup_of_the_process) {
    run(try_cgroups, INPUTS_MIN);
}

/* ---- The mount ---- */

static bool has_dots(const char *path) {
    regmatch_t parts[4];
    static const char dots_pattern[] = "(^|/)\\.\\.(/|$)";
    return matches(dots_pattern, path, parts);
}

static void check_mount(const struct rt_mount *m, const struct rt_cgroup *cgroup) {
    ASSERT_EQ(strlen(m->path), m->length);
    ASSERT_LE(m->top_length, m->length);
    ASSERT(!has_dots(m->path));
    ASSERT(m->path[0] == '/' || m->length == 0);
    const char *rest = m->path + m->top_length;
    size_t rest_length = m->length - m->top_length;
    ASSERT(rest[0] == '/' || rest[0] == '\0');
    ASSERT_LE(rest_length, cgroup->length);
    ASSERT_STR(cgroup->path + cgroup->length - rest_length, rest);
}

static void set_cgroup(struct rt_cgroup *cgroup, enum rt_cgroup_version version,
                       const char *path) {
    cgroup->version = version;
    cgroup->length = strlen(path);
    memcpy(cgroup->path, path, cgroup->length + 1);
}

static void try_mounts(void) {
    static struct rt_cgroup cgroup;
    static struct rt_mount mount;
    static const char *const paths[] = {"/", "/a", "/a/b/c", "/../../init.scope", "/.."};
    set_cgroup(&cgroup, one_in(2) ? RT_CGROUP_V1 : RT_CGROUP_V2,
               paths[below(COUNT(paths))]);
    make_input(mounts, COUNT(mounts));
    struct rt_lines l = open_input(one_in(2) ? LINES_BYTES : 1 + below(200));
    int rc = rt_mount_find(&l, &cgroup, &mount);
    free(l.buffer);
    ASSERT(rc == 0 || rc == -EINVAL || rc == -ENODATA || rc == -ENAMETOOLONG);
    if (rc == 0) {
        check_mount(&mount, &cgroup);
    }
}

TEST(the_mount_of_the_cgroup) {
    run(try_mounts, INPUTS_MIN);
}

/* ---- Descriptions that are right ---- */

/* Adds a '/' and a name that is neither empty nor made of dots. */
static void add_name(char *path) {
    static const char letters[] = "ab. \t\\#:,-04";
    size_t at = strlen(path);
    path[at++] = '/';
    for (uint32_t n = below(4); n > 0; n--) {
        path[at++] = letters[below(sizeof(letters) - 1)];
    }
    path[at++] = 'x';
    path[at] = '\0';
}

static void add_names(char *path, uint32_t count) {
    while (count-- > 0) {
        add_name(path);
    }
}

/* Adds a path to the input as the kernel does; an empty one is "/". */
static void add_escaped(const char *path) {
    char escaped[8];
    for (const char *c = *path != '\0' ? path : "/"; *c != '\0'; c++) {
        bool plain = strchr(" \t\n\\#", *c) == NULL;
        snprintf(escaped, sizeof(escaped), plain ? "%c" : "\\%03o", *c);
        insert(input_length, escaped, strlen(escaped));
    }
}

static void add_text(const char *text) {
    insert(input_length, text, strlen(text));
}

static void add_mount(const char *root, const char *point, const char *rest) {
    add_text("31 23 0:28 ");
    add_escaped(root);
    add_text(" ");
    add_escaped(point);
    add_text(one_in(2) ? " rw shared:3 master:1 - " : " rw,relatime - ");
    add_text(rest);
}

/* A mount that does not show the cgroup, for one of the possible reasons. */
static void add_other(const char *root, bool v1) {
    char other[260];
    switch (below(3)) {
    case 0: add_mount(root, "/type", v1 ? "cgroup2 c rw\n" : "cgroup c rw,cpu\n"); break;
    case 1: add_mount(root, "/options", "cgroup cpu rw,cpuacct,cpuset\n"); break;
    default:
        snprintf(other, sizeof(other), "%s/y", root); // names end with x
        add_mount(other, "/root", v1 ? "cgroup c rw,cpu\n" : "cgroup2 c rw\n");
        break;
    }
}

static void try_right_mounts(void) {
    static struct rt_cgroup cgroup;
    static struct rt_mount mount;
    char root[256] = "";
    char path[512];
    char point[256] = "";
    bool v1 = one_in(2);
    input_length = 0;
    for (uint32_t ups = one_in(3) ? below(3) : 0; ups > 0; ups--) {
        strcat(root, "/..");
    }
    add_names(root, below(NAMES_MAX));
    strcpy(path, root);
    add_names(path, below(NAMES_MAX));
    add_names(point, below(NAMES_MAX));
    set_cgroup(&cgroup, v1 ? RT_CGROUP_V1 : RT_CGROUP_V2, *path != '\0' ? path : "/");
    for (uint32_t others = below(4); others > 0; others--) {
        add_other(root, v1);
    }
    add_mount(root, point, v1 ? "cgroup c rw,cpuacct,cpu\n" : "cgroup2  rw\n");
    add_mount(root, "/too/late", v1 ? "cgroup c rw,cpu\n" : "cgroup2 c rw\n");

    struct rt_lines l = open_input(LINES_BYTES);
    ASSERT_EQ(rt_mount_find(&l, &cgroup, &mount), 0);
    free(l.buffer);
    ASSERT_EQ(mount.top_length, strlen(point));
    ASSERT_EQ(strncmp(mount.path, point, mount.top_length), 0);
    ASSERT_STR(mount.path + mount.top_length, path + strlen(root));
}

TEST(right_mounts_are_found) {
    run(try_right_mounts, INPUTS_MIN);
}

/* ---- All of it ---- */

static int root_dir;
static char root_name[64];

static void put_input(const char *name) {
    int fd = openat(root_dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(write(fd, input, input_length), input_length);
    close(fd);
}

/* Reads a system whose files are all changed. Messages are not checked. */
static void try_systems(void) {
    struct rt_quota q;
    make_input(cgroups, COUNT(cgroups));
    put_input("proc/self/cgroup");
    make_input(mounts, COUNT(mounts));
    put_input("proc/self/mountinfo");
    make_input(quotas, COUNT(quotas));
    put_input("sys/fs/cgroup/cpu.max");
    make_input(quotas, COUNT(quotas));
    put_input("sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    int rc = rt_cpu_limit(root_name, &q);
    ASSERT(rc == 0 || rc == -EINVAL);
    if (rc == 0) {
        ASSERT_GT(q.period_us, 0);
        ASSERT(q.quota_us > 0 || q.quota_us == RT_QUOTA_NONE);
    }
}

static const char *const root_dirs[] = {
    "proc", "proc/self", "sys", "sys/fs", "sys/fs/cgroup", "sys/fs/cgroup/cpu",
};

static const char *const root_files[] = {
    "proc/self/cgroup",
    "proc/self/mountinfo",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us",
};

static void make_root(void) {
    snprintf(root_name, sizeof(root_name), "/tmp/cpu-fuzz-XXXXXX");
    ASSERT(mkdtemp(root_name) != NULL);
    root_dir = open(root_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    ASSERT_GE(root_dir, 0);
    for (uint32_t i = 0; i < COUNT(root_dirs); i++) {
        ASSERT_EQ(mkdirat(root_dir, root_dirs[i], 0777), 0);
    }
    input_length = strlen(strcpy(input, "100000\n"));
    put_input("sys/fs/cgroup/cpu/cpu.cfs_period_us");
}

static void remove_root(void) {
    for (uint32_t i = 0; i < COUNT(root_files); i++) {
        unlinkat(root_dir, root_files[i], 0);
    }
    for (uint32_t i = COUNT(root_dirs); i > 0; i--) {
        unlinkat(root_dir, root_dirs[i - 1], AT_REMOVEDIR);
    }
    close(root_dir);
    ASSERT_EQ(rmdir(root_name), 0);
}

static void run_systems(void *arg) {
    (void)arg;
    run(try_systems, SYSTEMS_MIN);
}

TEST(whole_systems) {
    static struct test_child child;
    make_root();
    test_child_run(&child, run_systems, NULL);
    remove_root();
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, "tuco: TUCOCGROUP: ");
}
