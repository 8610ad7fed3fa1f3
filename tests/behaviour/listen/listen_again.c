/* SPDX-License-Identifier: MIT */
/* Proves: listening at an address in use returns -EADDRINUSE. A TCP port is free again as
   soon as its listener is closed, although the kernel still knows its connections. The
   close removes the listener's file, unless the file belongs to another listener or
   process. */
#include "loopback.h"

static tuco_fd *const untouched = (tuco_fd *)&untouched;

static void expect_in_use(const char *network, const char *address) {
    tuco_fd *f = untouched;
    ASSERT_EQ(tuco_listen(network, address, &f), -EADDRINUSE);
    ASSERT(f == untouched);
}

static int port_main(void *arg) {
    (void)arg;
    char address[LO_TEXT];
    tuco_fd *ends[2];
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    lo_local(l, address);
    for (int i = 0; i < 3; i++) {
        expect_in_use("tcp", address);
        lo_connect("tcp", l, ends);
        lo_close(ends[1]); // first, so that the kernel remembers it for a while
        lo_close(ends[0]);
        lo_close(l);
        l = lo_listen("tcp", address);
    }
    lo_close(l);
    return 0;
}

TEST(port) {
    RUN(port_main);
}

TEST(port_of_messages) {
    char address[LO_TEXT];
    tuco_fd *l = lo_listen("udp", "127.0.0.1:0");
    expect_in_use("udp", lo_local(l, address));
    lo_close(l);
    lo_close(lo_listen("udp", address));
}

TEST(file) {
    char path[LO_TEXT];
    tuco_fd *l = lo_listen("unix", lo_path(path));
    expect_in_use("unix", path);
    lo_close(l);
    l = lo_listen("unix", path);
    ASSERT_EQ(unlink(path), 0);
    tuco_fd *successor = lo_listen("unix", path);
    lo_close(l);
    expect_in_use("unix", path);
    lo_close(successor);
    ASSERT_EQ(access(path, F_OK), -1);
}

static void close_in_child(void *listener) {
    lo_close(listener);
}

TEST(file_of_another_process) {
    static struct test_child child;
    char path[LO_TEXT];
    tuco_fd *l = lo_listen("unix", lo_path(path));
    test_child_run(&child, close_in_child, l);
    EXPECT_STATUS(&child, 0);
    expect_in_use("unix", path);
    lo_close(l);
    ASSERT_EQ(access(path, F_OK), -1);
}

TEST(abstract_name) {
    char name[LO_TEXT];
    tuco_fd *l = lo_listen("unix", "@");
    expect_in_use("unix", lo_local(l, name));
    lo_close(l);
    lo_close(lo_listen("unix", name));
}
