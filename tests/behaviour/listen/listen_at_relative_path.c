/* SPDX-License-Identifier: MIT */
/* Proves: the close of a listener at a relative path removes its file if the process is
   still in the same directory. In another directory it does not touch a file of the same
   name. */
#include "loopback.h"

#include <sys/stat.h>

#define NAME "socket"

/* Makes a directory and enters it. */
static char *enter_new(char *path) {
    ASSERT_EQ(mkdir(lo_path(path), 0700), 0);
    ASSERT_EQ(chdir(path), 0);
    return path;
}

static void remove_folder(const char *path) {
    ASSERT_EQ(chdir("/"), 0);
    ASSERT_EQ(rmdir(path), 0);
}

TEST(there) {
    char path[LO_TEXT];
    enter_new(path);
    lo_close(lo_listen("unix", NAME));
    ASSERT_EQ(access(NAME, F_OK), -1);
    remove_folder(path);
}

TEST(elsewhere) {
    char first[LO_TEXT];
    char second[LO_TEXT];
    enter_new(first);
    tuco_fd *l = lo_listen("unix", NAME);
    enter_new(second);
    tuco_fd *other = lo_listen("unix", NAME);
    lo_close(l);
    ASSERT_EQ(access(NAME, F_OK), 0);
    lo_close(other);
    ASSERT_EQ(access(NAME, F_OK), -1);
    remove_folder(second);
    ASSERT_EQ(chdir(first), 0);
    ASSERT_EQ(unlink(NAME), 0);
    remove_folder(first);
}
