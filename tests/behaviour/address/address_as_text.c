/* SPDX-License-Identifier: MIT */
/* Proves: tuco_local_address() and tuco_remote_address() write the whole address or leave
   the buffer unchanged, and return the reason if there is no address. */
#include "loopback.h"

#include <fcntl.h>

static tuco_fd *wrap(int fd) {
    tuco_fd *f = NULL;
    ASSERT_EQ(fd >= 0 ? tuco_fd_wrap(fd, &f) : -ENOMEM, 0);
    return f;
}

TEST(room) {
    char text[LO_TEXT];
    char room[LO_TEXT] = "?";
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    size_t length = strlen(lo_local(l, text));
    for (size_t n = 0; n <= length; n++) {
        ASSERT_EQ(tuco_local_address(l, room, n), -ENOSPC);
        ASSERT_STR(room, "?");
    }
    ASSERT_EQ(tuco_local_address(l, room, length + 1), 0);
    ASSERT_STR(room, text);
    lo_close(l);
}

TEST(no_address) {
    char text[LO_TEXT] = "?";
    int fds[2];
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    ASSERT_EQ(tuco_remote_address(l, text, sizeof text), -ENOTCONN);
    tuco_fd *f = tuco_fd_ref(l);
    lo_close(l);
    ASSERT_EQ(tuco_local_address(f, text, sizeof text), -EBADF);
    ASSERT_EQ(tuco_remote_address(f, text, sizeof text), -EBADF);
    tuco_fd_unref(f);
    ASSERT_EQ(pipe(fds), 0);
    f = wrap(fds[0]);
    ASSERT_EQ(tuco_local_address(f, text, sizeof text), -ENOTSOCK);
    lo_close(f);
    f = wrap(socket(AF_NETLINK, SOCK_RAW, 0));
    ASSERT_EQ(tuco_local_address(f, text, sizeof text), -EAFNOSUPPORT);
    lo_close(f);
    ASSERT_STR(text, "?");
}

TEST(no_name) {
    char text[LO_TEXT] = "?";
    int fds[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    tuco_fd *f = wrap(fds[0]);
    ASSERT_STR(lo_local(f, text), "");
    ASSERT_STR(lo_remote(f, text), "");
    lo_close(f);
}

/* A path longer than the library would bind, without a zero at its end. */
TEST(longest_path) {
    struct {
        sa_family_t family;
        char path[108];
    } raw = {.family = AF_UNIX};
    char text[LO_TEXT];
    memset(raw.path, 'a', sizeof raw.path);
    lo_path(text);
    memcpy(raw.path, text, strlen(text));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(fd, (struct sockaddr *)&raw, sizeof raw), 0);
    tuco_fd *f = wrap(fd);
    ASSERT_EQ(strlen(lo_local(f, text)), sizeof raw.path);
    ASSERT_EQ(memcmp(text, raw.path, sizeof raw.path), 0);
    ASSERT_EQ(unlink(text), 0);
    lo_close(f);
}
