/* SPDX-License-Identifier: MIT */
/* Proves: the parser finds the first line of /proc/self/mountinfo that shows the cgroup,
   undoes its escapes, and refuses a file with a malformed line. */
#include "cpu_texts.h"
#include "cpu/mount.h"

#include <errno.h>
#include <stdio.h>

#define BUFFER_BYTES 512

#define DISK   "22 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"
#define PROC   "20 22 0:19 / /proc rw,nosuid - proc proc rw\n"
#define V2     "25 21 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
#define V1_IO  "54 22 0:38 / /sys/fs/cgroup/io rw - cgroup cgroup rw,io\n"
#define V1     "56 22 0:40 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_SET "59 22 0:43 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"

/* A mount of v2 that shows root at point. */
#define SHOWS(root, point) "31 23 0:28 " root " " point " rw - cgroup2 none rw\n"

static struct rt_mount mount;
static size_t buffer_bytes = BUFFER_BYTES;

static int find(const char *text, size_t length, enum rt_cgroup_version version,
                const char *path) {
    static struct rt_cgroup cgroup;
    struct rt_lines l = texts_open(text, length, buffer_bytes);
    cgroup.version = version;
    cgroup.length = strlen(path);
    ASSERT_LT(cgroup.length, sizeof(cgroup.path));
    strcpy(cgroup.path, path);
    int rc = rt_mount_find(&l, &cgroup, &mount);
    texts_close(&l);
    return rc;
}

static int find_v2(const char *text, const char *path) {
    return find(text, strlen(text), RT_CGROUP_V2, path);
}

static int find_v1(const char *text, const char *path) {
    return find(text, strlen(text), RT_CGROUP_V1, path);
}

/* Requires the mount point, and after it the path to the cgroup. */
static void mount_is(int rc, const char *top, const char *rest) {
    ASSERT_EQ(rc, 0);
    ASSERT_EQ(mount.top_length, strlen(top));
    ASSERT_EQ(strncmp(mount.path, top, mount.top_length), 0);
    ASSERT_STR(mount.path + mount.top_length, rest);
    ASSERT_EQ(mount.length, strlen(mount.path));
}

TEST(each_version_has_its_mount) {
    mount_is(find_v1(DISK PROC V1_IO V1 V1_SET, "/a"), "/sys/fs/cgroup/cpu", "/a");
    mount_is(find_v2(DISK PROC V2, "/a/b"), "/sys/fs/cgroup", "/a/b");
    mount_is(find_v1(DISK V2 V1_IO V1, "/a"), "/sys/fs/cgroup/cpu", "/a");
    mount_is(find_v2(DISK V1_IO V1 V2, "/a"), "/sys/fs/cgroup", "/a");
    mount_is(find_v2(V2, "/"), "/sys/fs/cgroup", "");
    mount_is(find_v2(SHOWS("/", "/"), "/a"), "", "/a");
    mount_is(find_v2(SHOWS("/", "/"), "/"), "", "");
}

TEST(none_has) {
    ASSERT_EQ(find_v2("", "/"), -ENODATA);
    ASSERT_EQ(find_v2(DISK PROC V1, "/"), -ENODATA);
    ASSERT_EQ(find_v1(DISK PROC V2 V1_IO V1_SET, "/"), -ENODATA);
}

TEST(optional_fields_and_an_empty_source) {
    mount_is(find_v2("1 2 0:1 / /m rw shared:1 master:2 x - cgroup2 c rw\n", "/"), "/m",
             "");
    mount_is(find_v2("1 2 0:1 / /m rw - cgroup2  rw\n", "/"), "/m", "");
    mount_is(find_v1("1 2 0:1 / /m rw - cgroup  rw,cpu\n", "/"), "/m", "");
    ASSERT_EQ(find_v1("1 2 0:1 / /m rw,cpu - cgroup cpu rw,cpuacct\n", "/"), -ENODATA);
}

TEST(a_root_matches_up_to_the_end_of_a_name) {
    mount_is(find_v2(SHOWS("/sandbox", "/m"), "/sandbox"), "/m", "");
    mount_is(find_v2(SHOWS("/sandbox", "/m"), "/sandbox/a/b"), "/m", "/a/b");
    ASSERT_EQ(find_v2(SHOWS("/sand", "/m"), "/sandbox"), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/sandbox", "/m"), "/sand"), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/sandbox/a", "/m"), "/sandbox"), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/other", "/m"), "/"), -ENODATA);
}

TEST(the_first_that_fits_is_taken) {
    mount_is(find_v2(SHOWS("/x", "/1") SHOWS("/a", "/2") SHOWS("/", "/3"), "/a/b"), "/2",
             "/b");
    mount_is(find_v2(SHOWS("/a/bb", "/1") SHOWS("/", "/2") SHOWS("/a", "/3"), "/a/b"),
             "/2", "/a/b");
}

TEST(what_is_outside_of_the_namespace) {
    mount_is(find_v2(SHOWS("/../..", "/m"), "/../../init.scope"), "/m", "/init.scope");
    mount_is(find_v2(SHOWS("/..", "/m"), "/.."), "/m", "");
    ASSERT_EQ(find_v2(SHOWS("/../..", "/m"), "/../..a"), -ENODATA);
    /* Above the mount, or beside it. */
    ASSERT_EQ(find_v2(SHOWS("/", "/m"), "/.."), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/", "/m"), "/../a"), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/..", "/m"), "/../../a"), -ENODATA);
    ASSERT_EQ(find_v2(SHOWS("/a", "/m"), "/a/../b"), -ENODATA);
    /* Below it, but at an unknown path. */
    ASSERT_EQ(find_v2(SHOWS("/../..", "/m"), "/a"), -ENODATA);
    mount_is(find_v2(SHOWS("/../..", "/1") SHOWS("/", "/2"), "/a"), "/2", "/a");
    /* These are names. */
    mount_is(find_v2(SHOWS("/", "/m"), "/..a/b../..."), "/m", "/..a/b../...");
}

TEST(escapes) {
    mount_is(find_v2(SHOWS("/", "/tab\\011tab"), "/a"), "/tab\ttab", "/a");
    mount_is(find_v2(SHOWS("/a\\040b", "/m"), "/a b/c"), "/m", "/c");
    mount_is(find_v2(SHOWS("/a\\134040", "/m"), "/a\\040"), "/m", "");
    ASSERT_EQ(find_v2(SHOWS("/a\\0", "/m"), "/a"), -EINVAL);
    ASSERT_EQ(find_v2(SHOWS("/", "/m\\"), "/a"), -EINVAL);
    /* Other mounts are not parsed. */
    mount_is(find_v2("1 2 0:1 /\\ /\\x rw - ext4 x rw\n" V2, "/"), "/sys/fs/cgroup", "");
}

static void unescaped(const char *escaped, const char *path) {
    char out[32];
    struct rt_text t = {escaped, strlen(escaped)};
    ASSERT_EQ(rt_mount_unescape(t, out, sizeof(out)), strlen(path));
    ASSERT_STR(out, path);
    ASSERT_EQ(rt_mount_unescape(t, out, strlen(path) + 1), strlen(path));
    ASSERT_EQ(rt_mount_unescape(t, out, strlen(path)), -ENAMETOOLONG);
}

TEST(escapes_are_undone) {
    unescaped("/a/b/c", "/a/b/c");
    unescaped("/a/b\\040b/c", "/a/b b/c");
    unescaped("/a/b\\011b/c", "/a/b\tb/c");
    unescaped("/a/b\\012b/c", "/a/b\nb/c");
    unescaped("/a/b\\134b/c", "/a/b\\b/c");
    unescaped("/a/b\\043b/c", "/a/b#b/c");
    unescaped("\\134b/c", "\\b/c");
    unescaped("/a/\\134", "/a/\\");
    unescaped("\\040\\040\\040", "   ");
    unescaped("/\\3770", "/\xff"
                         "0");
}

TEST(escapes_that_are_none) {
    static const char *const texts[] = {
        "\\",    "\\0",   "\\01",  "/a\\b", "\\018", "\\01c", "\\400",
        "\\777", "\\000", "\\x41", "\\\\",  "\\-01", "a\\04", "\\ 40",
    };
    char out[32];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct rt_text t = {texts[i], strlen(texts[i])};
        ASSERT_EQ(rt_mount_unescape(t, out, sizeof(out)), -EINVAL);
    }
    for (size_t length = 1; length <= 3; length++) {
        /* More digits follow, but outside of this text. */
        struct rt_text t = {"\\040 and more than there is room for", length};
        ASSERT_EQ(rt_mount_unescape(t, out, sizeof(out)), -EINVAL);
    }
    ASSERT_EQ(rt_mount_unescape((struct rt_text){"a\0b", 3}, out, sizeof(out)), -EINVAL);
}

TEST(lines_of_another_form) {
    static const char *const texts[] = {
        "\n",
        " \n",
        "- - -\n",
        "1 2 0:1 / /m rw\n",
        "1 2 0:1 / /m rw -\n",
        "1 2 0:1 / /m rw - cgroup2\n",
        "1 2 0:1 / /m rw x - cgroup2\n",
        "1 2 0:1 / /m rw cgroup2 c rw\n",
        "1 2 0:1 a /m rw - cgroup2 c rw\n",
        "1 2 0:1 / m rw - cgroup2 c rw\n",
        "1 2 0:1  /m rw - cgroup2 c rw\n",
        "1 2 0:1 /  rw - cgroup2 c rw\n",
        "1 2 0:1 / /m/../n rw - cgroup2 c rw\n",
        "1 2 0:1 / /.. rw - cgroup2 c rw\n",
        "x",
        DISK "x\n" V2,
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ASSERT_EQ(find_v2(texts[i], "/a"), -EINVAL);
    }
    ASSERT_EQ(find_v1("1 2 0:1 / /m rw - cgroup c\n", "/a"), -EINVAL);
    ASSERT_EQ(find_v1("1 2 0:1 / /m rw - cgroup c rw,cpu", "/a"), -EINVAL);
    static const char zero[] = "1 2 0:1 /\0 /m rw - cgroup2 c rw\n";
    ASSERT_EQ(find(zero, sizeof(zero) - 1, RT_CGROUP_V2, "/"), -EINVAL);
}

/* Adds an option of that length to a line, and more lines after it. */
static const char *with_long_options(const char *line, size_t length, const char *more) {
    static char text[4 * BUFFER_BYTES];
    size_t at = strlen(line);
    memcpy(text, line, at);
    memset(text + at, 'o', length);
    text[at + length] = '\n';
    strcpy(text + at + length + 1, more);
    return text;
}

TEST(long_lines_of_other_file_systems) {
    static const char overlay[] = "262 31 0:72 / /o rw shared:7 - overlay o rw,lower=";
    mount_is(find_v2(with_long_options(overlay, 3 * BUFFER_BYTES, V2), "/a"),
             "/sys/fs/cgroup", "/a");
    mount_is(find_v1(with_long_options(overlay, BUFFER_BYTES, V1), "/a"),
             "/sys/fs/cgroup/cpu", "/a");
}

TEST(long_lines_of_the_hierarchy) {
    static const char v2[] = "1 2 0:1 / /m rw - cgroup2 c rw,";
    static const char v1[] = "1 2 0:1 / /m rw - cgroup c rw,cpu,";
    mount_is(find_v2(with_long_options(v2, BUFFER_BYTES, ""), "/a"), "/m", "/a");
    ASSERT_EQ(find_v1(with_long_options(v1, BUFFER_BYTES, ""), "/a"), -ENAMETOOLONG);
    ASSERT_EQ(find_v2(with_long_options("1 2 0:1 / /", BUFFER_BYTES, V2), "/a"),
              -ENAMETOOLONG);
}

TEST(a_type_that_is_cut_is_not_a_type) {
    char text[BUFFER_BYTES + 64];
    const char *end = " rw - cgroup2 c rw\n";
    size_t point = BUFFER_BYTES - strlen("1 2 0:1 / /") - strlen(" rw - cgroup");
    int n = snprintf(text, sizeof(text), "1 2 0:1 / /%0*d%s", (int)point, 0, end);
    ASSERT_EQ(text[BUFFER_BYTES], '2');
    ASSERT_EQ(find(text, (size_t)n, RT_CGROUP_V1, "/a"), -ENAMETOOLONG);
    ASSERT_EQ(find(text, (size_t)n, RT_CGROUP_V2, "/a"), -ENAMETOOLONG);
}

static const char *name_of(size_t length) {
    static char path[RT_CGROUP_PATH_BYTES];
    memset(path, 'a', length);
    path[0] = '/';
    path[length] = '\0';
    return path;
}

TEST(directories_up_to_their_limit) {
    size_t room = RT_CGROUP_PATH_BYTES - 1 - strlen("/m");
    mount_is(find_v2(SHOWS("/", "/m"), name_of(room)), "/m", name_of(room));
    ASSERT_EQ(find_v2(SHOWS("/", "/m"), name_of(room + 1)), -ENAMETOOLONG);
    mount_is(find_v2(SHOWS("/", "/"), name_of(room + 2)), "", name_of(room + 2));
}

TEST(a_root_that_is_longer_than_any_cgroup_is_of_another) {
    static char text[2 * RT_CGROUP_PATH_BYTES];
    buffer_bytes = sizeof(text);
    int n = snprintf(text, sizeof(text), "31 23 0:28 /%0*d /m rw - cgroup2 c rw\n" V2,
                     (int)RT_CGROUP_PATH_BYTES, 0);
    ASSERT_LT(n, sizeof(text));
    mount_is(find_v2(text, "/a"), "/sys/fs/cgroup", "/a");
}
