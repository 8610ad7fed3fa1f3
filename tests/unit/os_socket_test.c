/* SPDX-License-Identifier: MIT */
/* Proves: sockets are made, connected and named as os.h documents, errno is kept, and
   every call fails as documented. */
#include "fault.h"
#include "test.h"
#include "base/alloc.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct os_address loopback = {.family = OS_FAMILY_IPV4,
                                           .ip = {127, 0, 0, 1}};

static int make_listener(struct os_address *address) {
    int fd = os_socket_make(address->family,
                            address->family == OS_FAMILY_UNIX ? OS_FD_STREAM : OS_FD_TCP);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(os_socket_bind(fd, address, 0), 0);
    ASSERT_EQ(os_socket_listen(fd), 0);
    ASSERT_EQ(os_socket_local(fd, address), 0);
    return fd;
}

static int finish_connecting(int fd, const struct os_address *address) {
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int result;
    while ((result = os_socket_connect(fd, address)) == -EINPROGRESS) {
        ASSERT_EQ(poll(&p, 1, -1), 1);
    }
    return result;
}

static void await_readable(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ASSERT_EQ(poll(&p, 1, -1), 1);
}

/* The kernel continues to connect, as in a non-blocking call. */
TEST(connecting_is_interrupted) {
    struct os_address address = loopback;
    int listener = make_listener(&address);
    int fd = os_socket_make(OS_FAMILY_IPV4, OS_FD_TCP);
    test_fault_plan(OS_FAULT_CONNECT, 1, 1, EINTR);
    ASSERT_EQ(os_socket_connect(fd, &address), -EINPROGRESS);
    ASSERT_EQ(finish_connecting(fd, &address), 0);
    test_fault_clear();
    close(fd);
    close(listener);
}

TEST(connects) {
    struct os_address address = loopback;
    struct os_address remote;
    int listener = make_listener(&address);
    int fd = os_socket_make(OS_FAMILY_IPV4, OS_FD_TCP);
    errno = 1234;
    ASSERT_EQ(os_socket_remote(fd, &remote), -ENOTCONN);
    ASSERT_EQ(os_socket_accept(listener), -EAGAIN);
    ASSERT_EQ(finish_connecting(fd, &address), 0);
    ASSERT_EQ(os_socket_connect(fd, &address), 0);
    ASSERT_EQ(os_socket_remote(fd, &remote), 0);
    ASSERT_EQ(memcmp(&remote, &address, sizeof address), 0);
    await_readable(listener);
    int accepted = os_socket_accept(listener);
    ASSERT_GE(accepted, 0);
    ASSERT_EQ(fcntl(accepted, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    ASSERT_EQ(fcntl(accepted, F_GETFD), FD_CLOEXEC);
    ASSERT_EQ(errno, 1234);
}

TEST(refused) {
    struct os_address address = loopback;
    close(make_listener(&address));
    int fd = os_socket_make(OS_FAMILY_IPV4, OS_FD_TCP);
    ASSERT_EQ(finish_connecting(fd, &address), -ECONNREFUSED);
    ASSERT_EQ(os_socket_accept(fd), -EINVAL);
    ASSERT_EQ(os_socket_accept(os_socket_make(OS_FAMILY_IPV4, OS_FD_MESSAGES)),
              -EOPNOTSUPP);
}

/* The errors that the kernel reports for a connection that failed before it was
   accepted. */
TEST(passes_over_what_failed) {
    static const int errors[] = {ECONNABORTED, EPROTO,      ENOPROTOOPT,
                                 ENETDOWN,     ENETUNREACH, EHOSTDOWN,
                                 EHOSTUNREACH, ENONET,      EINTR};
    struct os_address address = loopback;
    int listener = make_listener(&address);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        int fd = os_socket_make(OS_FAMILY_IPV4, OS_FD_TCP);
        ASSERT_EQ(finish_connecting(fd, &address), 0);
        await_readable(listener);
        test_fault_plan(OS_FAULT_ACCEPT, 1, 3, errors[i]);
        ASSERT_GE(os_socket_accept(listener), 0);
        ASSERT_EQ(test_fault_calls(OS_FAULT_ACCEPT), 4);
    }
    test_fault_plan(OS_FAULT_ACCEPT, 1, 1, EMFILE);
    ASSERT_EQ(os_socket_accept(listener), -EMFILE);
}

TEST(no_room) {
    struct os_address address = {.family = OS_FAMILY_UNIX};
    int listener = make_listener(&address);
    ASSERT_EQ(listen(listener, 0), 0);
    int first = os_socket_make(OS_FAMILY_UNIX, OS_FD_STREAM);
    int second = os_socket_make(OS_FAMILY_UNIX, OS_FD_STREAM);
    ASSERT_EQ(os_socket_connect(first, &address), 0);
    ASSERT_EQ(os_socket_connect(second, &address), -EAGAIN);
    ASSERT_EQ(os_socket_connect(second, &address), -EAGAIN);
    ASSERT_GE(os_socket_accept(listener), 0);
    ASSERT_EQ(os_socket_connect(second, &address), 0);
}

TEST(names_of_unix_sockets) {
    struct os_address address = {.family = OS_FAMILY_UNIX};
    struct os_address given;
    int fds[2];
    close(make_listener(&address));
    ASSERT(address.name_bytes > 1 && address.name[0] == '\0');
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    ASSERT_EQ(os_socket_local(fds[0], &given), 0);
    ASSERT_EQ(given.family, OS_FAMILY_UNIX);
    ASSERT_EQ(given.name_bytes, 0);
    ASSERT_EQ(os_socket_local(socket(AF_NETLINK, SOCK_RAW, 0), &given), -EAFNOSUPPORT);
    ASSERT_EQ(os_socket_local(0x7fff, &given), -EBADF);
}

TEST(services_and_interfaces) {
    struct os_address *list = NULL;
    char name[OS_INTERFACE_NAME_BYTES];
    ASSERT_EQ(os_service_find("no-such-service", OS_FD_STREAM), -EADDRNOTAVAIL);
    ASSERT_EQ(os_interface_find("no-such-thing"), -ENODEV);
    ASSERT_EQ(os_interface_name(UINT32_MAX, name), -ENODEV);
    if (if_nametoindex("lo") != 0) {
        ASSERT_EQ(os_interface_name((uint32_t)os_interface_find("lo"), name), 0);
        ASSERT_STR(name, "lo");
    }
    int count = os_host_find("127.0.0.1", OS_FAMILIES_BOTH, &list); // needs no lookup
    ASSERT_EQ(count, 1);
    ASSERT_EQ(memcmp(list, &loopback, sizeof loopback), 0);
    rt_free(list);
}

/* The error must not be that the name does not exist. */
TEST(no_descriptor_to_ask_with) {
    struct os_address *list = NULL;
    struct rlimit before;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    errno = 1234;
    ASSERT_EQ(os_host_find("localhost", OS_FAMILIES_BOTH, &list), -EMFILE);
    ASSERT_EQ(os_service_find("domain", OS_FD_MESSAGES), -EMFILE);
    ASSERT_EQ(os_interface_find("lo"), -EMFILE);
    ASSERT_EQ(os_interface_name(1, (char[OS_INTERFACE_NAME_BYTES]){0}), -EMFILE);
    ASSERT_EQ(errno, 1234);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(readiness_of_others) {
    int fds[2];
    struct pollfd p;
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN), 0);
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN | POLLOUT), POLLOUT);
    int watcher = os_fd_watcher(fds[0], POLLIN);
    ASSERT_EQ(fcntl(watcher, F_GETFD), FD_CLOEXEC);
    p = (struct pollfd){.fd = watcher, .events = POLLIN};
    ASSERT_EQ(poll(&p, 1, 0), 0);
    ASSERT_EQ(write(fds[1], "x", 1), 1);
    ASSERT_EQ(poll(&p, 1, 0), 1);
    ASSERT_EQ(poll(&p, 1, 0), 1);
    ASSERT_EQ(os_fd_ready(fds[0], 0), -EINVAL);
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN | POLLHUP), -EINVAL);
    ASSERT_EQ(os_fd_ready(-1, POLLIN), -EBADF);
    ASSERT_EQ(os_fd_ready(0x7fff, POLLIN), -EBADF);
    ASSERT_EQ(os_fd_watcher(open("/proc/self/exe", O_RDONLY), POLLPRI), -EPERM);
}

TEST(failures) {
    struct os_address address = loopback;
    struct os_address *list;
    int listener = make_listener(&address);
    int fds = test_count_fds();
    for (int call = 1; call <= 2; call++) {
        test_fault_plan(OS_FAULT_FD_WATCHER, call, 1, EMFILE);
        ASSERT_EQ(os_fd_watcher(listener, POLLIN), -EMFILE);
    }
    for (int kind = 0; kind < OS_FAULT_KINDS; kind++) {
        test_fault_plan((enum os_fault_kind)kind, 1, 1, ENOBUFS);
    }
    ASSERT_EQ(os_fd_ready(listener, POLLIN), -ENOBUFS);
    ASSERT_EQ(os_socket_make(OS_FAMILY_IPV4, OS_FD_TCP), -ENOBUFS);
    ASSERT_EQ(os_socket_bind(listener, &address, 0), -ENOBUFS);
    ASSERT_EQ(os_socket_accept(listener), -ENOBUFS);
    ASSERT_EQ(os_socket_connect(listener, &address), -ENOBUFS);
    ASSERT_EQ(os_socket_local(listener, &address), -ENOBUFS);
    ASSERT_EQ(os_host_find("127.0.0.1", OS_FAMILIES_IPV4, &list), -ENOBUFS);
    ASSERT_EQ(os_host_find("127.0.0.1", OS_FAMILIES_IPV4, &list), -ENOMEM);
    ASSERT_EQ(test_count_fds(), fds);
}
