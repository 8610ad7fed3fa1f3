/* SPDX-License-Identifier: MIT */
/* Proves: the parser finds the line of /proc/self/cgroup that bounds CPU time, and
   refuses a file with a malformed line. */
#include "cpu_texts.h"
#include "cpu/cgroup.h"

#include <errno.h>
#include <stdio.h>

#define BUFFER_BYTES (3 * RT_CGROUP_PATH_BYTES)

static struct rt_cgroup cgroup;

static int read_text(const char *text, size_t length, size_t buffer_bytes) {
    struct rt_lines l = texts_open(text, length, buffer_bytes);
    int rc = rt_cgroup_read(&l, &cgroup);
    texts_close(&l);
    return rc;
}

static void text_is(const char *text, enum rt_cgroup_version version, const char *path) {
    ASSERT_EQ(read_text(text, strlen(text), BUFFER_BYTES), 0);
    ASSERT_EQ(cgroup.version, version);
    ASSERT_STR(cgroup.path, path);
    ASSERT_EQ(cgroup.length, strlen(path));
}

static void text_fails(const char *text, int rc) {
    ASSERT_EQ(read_text(text, strlen(text), BUFFER_BYTES), rc);
}

TEST(one_version_alone) {
    text_is("0::/a/b/c\n", RT_CGROUP_V2, "/a/b/c");
    text_is("0::/\n", RT_CGROUP_V2, "/");
    text_is("2:cpu,cpuacct:/a/b/cpu\n1:blkio:/a/b/blkio\n", RT_CGROUP_V1, "/a/b/cpu");
    text_is("1:blkio:/a/b/blkio\n12:cpu:/x\n", RT_CGROUP_V1, "/x");
}

TEST(v1_with_the_controller_wins_wherever_it_stands) {
    text_is("2:cpu,cpuacct:/a/b/cpu\n1:blkio:/a\n0::/a/b/v2\n", RT_CGROUP_V1, "/a/b/cpu");
    text_is("0::/a/b/v2\n1:blkio:/a\n2:cpu,cpuacct:/a/b/cpu\n", RT_CGROUP_V1, "/a/b/cpu");
    text_is("2:blkio:/a\n1:name=systemd:/b\n0::/a/b/v2\n", RT_CGROUP_V2, "/a/b/v2");
}

static void list_has_cpu(const char *list, bool has) {
    char text[128];
    snprintf(text, sizeof(text), "3:%s:/one\n0::/two\n", list);
    text_is(text, has ? RT_CGROUP_V1 : RT_CGROUP_V2, has ? "/one" : "/two");
}

TEST(the_controller_is_named_exactly) {
    list_has_cpu("", false);
    list_has_cpu(",", false);
    list_has_cpu("cpu", true);
    list_has_cpu("memory,cpu", true);
    list_has_cpu("cpu,memory", true);
    list_has_cpu("memory,cpu,block", true);
    list_has_cpu("memory,cpuacct,block", false);
    list_has_cpu("cpuset", false);
    list_has_cpu("xcpu", false);
    list_has_cpu("CPU", false);
    list_has_cpu("name=cpu", false);
    list_has_cpu(" cpu", false);
}

TEST(a_path_may_contain_anything) {
    text_is("0::/a:b:c/ d\\040\t\xff\n", RT_CGROUP_V2, "/a:b:c/ d\\040\t\xff");
    text_is("0::/../../x\n", RT_CGROUP_V2, "/../../x");
    text_is("0::/a (deleted)\n", RT_CGROUP_V2, "/a (deleted)");
}

TEST(files_that_lack_a_cgroup) {
    text_fails("", -ENODATA);
    text_fails("1:memory:/a\n", -ENODATA);
    text_fails("1:cpuacct:/a\n2:cpuset:/b\n", -ENODATA);
}

TEST(lines_of_another_form) {
    static const char *const texts[] = {
        "0",
        "0:",
        "0::",
        "0::a",
        "0\n",
        "0:\n",
        "0::\n",
        "0::a\n",
        "\n",
        ":\n",
        "::\n",
        "::/\n",
        ":cpu:/\n",
        "x:cpu:/\n",
        "-1:cpu:/\n",
        "1 :cpu:/\n",
        "0:cpu:/\n",
        "0::/a",
        "1:cpu\n",
        "1:cpu:\n",
        "1:cpu:a\n",
        "2:cpu:/a",
        "1:memory\n2:cpu:/\n",
        "\n0::/\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        text_fails(texts[i], -EINVAL);
    }
    ASSERT_EQ(read_text("0::/a\0b\n", 8, BUFFER_BYTES), -EINVAL);
    ASSERT_EQ(read_text("0::/a\0\n", 7, BUFFER_BYTES), -EINVAL);
}

/* Writes "0::", a path of that length, and a newline. */
static size_t long_text(char *text, size_t path_length) {
    memcpy(text, "0::/", 4);
    memset(text + 4, 'a', path_length - 1);
    text[3 + path_length] = '\n';
    return 4 + path_length;
}

TEST(paths_up_to_their_limit) {
    static char text[4 * RT_CGROUP_PATH_BYTES];
    size_t length = long_text(text, RT_CGROUP_PATH_BYTES - 1);
    ASSERT_EQ(read_text(text, length, BUFFER_BYTES), 0);
    ASSERT_EQ(cgroup.length, RT_CGROUP_PATH_BYTES - 1);
    ASSERT_EQ(strlen(cgroup.path), RT_CGROUP_PATH_BYTES - 1);
    length = long_text(text, RT_CGROUP_PATH_BYTES);
    ASSERT_EQ(read_text(text, length, BUFFER_BYTES), -ENAMETOOLONG);
    text[0] = '1'; /* the hierarchy of another controller: its length is of no interest */
    ASSERT_EQ(read_text(text, length, BUFFER_BYTES), -ENODATA);
    length = long_text(text, BUFFER_BYTES);
    ASSERT_EQ(read_text(text, length, BUFFER_BYTES), -ENAMETOOLONG);
}

TEST(lines_up_to_the_size_of_the_buffer) {
    ASSERT_EQ(read_text("0::/abcd\n", 9, 9), 0);
    ASSERT_EQ(read_text("0::/abcd\n", 9, 8), -ENAMETOOLONG);
    ASSERT_EQ(read_text("0::/abcd", 8, 9), -EINVAL);
}

TEST(to_be_the_same_is_version_and_path) {
    static struct rt_cgroup other;
    text_is("0::/a\n", RT_CGROUP_V2, "/a");
    other = cgroup;
    ASSERT(rt_cgroup_same(&cgroup, &other));
    text_is("1:cpu:/a\n", RT_CGROUP_V1, "/a");
    ASSERT(!rt_cgroup_same(&cgroup, &other));
    text_is("0::/b\n", RT_CGROUP_V2, "/b");
    ASSERT(!rt_cgroup_same(&cgroup, &other));
    text_is("0::/ab\n", RT_CGROUP_V2, "/ab");
    ASSERT(!rt_cgroup_same(&cgroup, &other));
    ASSERT(!rt_cgroup_same(&other, &cgroup));
}
