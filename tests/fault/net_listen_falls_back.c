/* SPDX-License-Identifier: MIT */
/* Proves: without IPv6, listen and dial use IPv4 addresses; any other error is returned;
   a failed listen leaves no file. A dial returns the error of its first address, but
   returns a local lack of descriptors at once. */
#include "fault.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 128

/* The first socket fails: for a listener that is the IPv6 one. */
static int without_ipv6_main(void *arg) {
    (void)arg;
    char text[TEXT_BYTES];
    tuco_fd *l = NULL;
    tuco_fd *f = NULL;
    tuco_fd *accepted = NULL;
    ASSERT_EQ(tuco_listen("tcp", ":0", &l), 0);
    ASSERT_EQ(tuco_local_address(l, text, sizeof text), 0);
    ASSERT_EQ(strncmp(text, "0.0.0.0:", 8), 0);
    ASSERT_EQ(tuco_dial("tcp", strrchr(text, ':'), TUCO_NEVER, &f), 0);
    ASSERT_EQ(tuco_accept(l, &accepted), 0);
    ASSERT_EQ(tuco_fd_close(accepted), 0);
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT_EQ(tuco_fd_close(l), 0);
    return 0;
}

TEST(no_ipv6_in_the_kernel) {
    test_fault_plan(OS_FAULT_SOCKET, 1, 1, EAFNOSUPPORT);
    RUN(without_ipv6_main);
}

TEST(no_ipv6_address) {
    test_fault_plan(OS_FAULT_BIND, 1, 1, EADDRNOTAVAIL);
    RUN(without_ipv6_main);
}

TEST(no_ipv6_only) {
    tuco_fd *l = NULL;
    test_fault_plan(OS_FAULT_SOCKET, 1, 1, EAFNOSUPPORT);
    ASSERT_EQ(tuco_listen("tcp6", ":0", &l), -EAFNOSUPPORT);
}

TEST(other_errors_are_told) {
    tuco_fd *l = NULL;
    test_fault_plan(OS_FAULT_BIND, 1, 1, EADDRINUSE);
    ASSERT_EQ(tuco_listen("tcp", ":0", &l), -EADDRINUSE);
    test_fault_plan(OS_FAULT_SOCKET, 1, 1, EMFILE);
    ASSERT_EQ(tuco_listen("tcp", ":0", &l), -EMFILE);
}

TEST(no_file_is_left) {
    char path[] = "/tmp/tuco-test-XXXXXX";
    tuco_fd *l = NULL;
    ASSERT(mkdtemp(path) != NULL && rmdir(path) == 0); // a name that is free
    int fds = test_count_fds();
    test_fault_plan(OS_FAULT_BIND, 2, 1, EOPNOTSUPP);
    ASSERT_EQ(tuco_listen("unix", path, &l), -EOPNOTSUPP);
    ASSERT_EQ(access(path, F_OK), -1);
    test_fault_plan(OS_FAULT_ALLOC, 1, 1, ENOMEM);
    ASSERT_EQ(tuco_listen("unix", path, &l), -ENOMEM);
    ASSERT_EQ(access(path, F_OK), -1);
    ASSERT_EQ(test_count_fds(), fds);
}

/* This port has two addresses: 127.0.0.1 and ::1. */
static char *unused_port(char text[TEXT_BYTES]) {
    tuco_fd *l = NULL;
    ASSERT_EQ(tuco_listen("tcp", "127.0.0.1:0", &l), 0);
    ASSERT_EQ(tuco_local_address(l, text, TEXT_BYTES), 0);
    ASSERT_EQ(tuco_fd_close(l), 0);
    return strrchr(text, ':');
}

static int first_error_main(void *port) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("tcp", port, TUCO_NEVER, &f), -EHOSTUNREACH);
    return 0;
}

TEST(the_first_error_is_told) {
    char text[TEXT_BYTES];
    char *port = unused_port(text);
    test_fault_plan(OS_FAULT_CONNECT, 1, 1, EHOSTUNREACH);
    ASSERT_EQ(tuco_run(first_error_main, port), 0);
    ASSERT_GT(test_fault_calls(OS_FAULT_CONNECT), 1);
}

TEST(want_is_told_at_once) {
    char text[TEXT_BYTES];
    tuco_fd *f = NULL;
    const char *port = unused_port(text);
    test_fault_plan(OS_FAULT_SOCKET, 1, 1, EMFILE);
    ASSERT_EQ(tuco_dial("tcp", port, TUCO_NEVER, &f), -EMFILE);
    ASSERT_EQ(test_fault_calls(OS_FAULT_SOCKET), 1);
    test_fault_plan(OS_FAULT_CONNECT, 1, 1, EHOSTUNREACH);
    test_fault_plan(OS_FAULT_SOCKET, 2, 1, ENFILE);
    ASSERT_EQ(tuco_dial("tcp", port, TUCO_NEVER, &f), -ENFILE);
}

TEST(a_connection_without_memory_is_closed) {
    char text[TEXT_BYTES];
    tuco_fd *l = NULL;
    tuco_fd *f = NULL;
    tuco_fd *accepted = NULL;
    ASSERT_EQ(tuco_listen("unix", "@", &l), 0);
    ASSERT_EQ(tuco_local_address(l, text, sizeof text), 0);
    ASSERT_EQ(tuco_dial("unix", text, TUCO_NEVER, &f), 0);
    int fds = test_count_fds();
    test_fault_plan(OS_FAULT_ALLOC, 1, 1, ENOMEM);
    ASSERT_EQ(tuco_accept(l, &accepted), -ENOMEM);
    ASSERT_EQ(test_count_fds(), fds);
    ASSERT_EQ(tuco_fd_read(f, text, 1), 0);
    ASSERT_EQ(tuco_accept(l, &accepted), -ESRCH); // no connection is left
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT_EQ(tuco_fd_close(l), 0);
}
