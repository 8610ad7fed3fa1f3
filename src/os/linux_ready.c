/* SPDX-License-Identifier: MIT */
/* os.h on Linux: readiness of descriptors that the poller does not manage. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "os/fault.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS (POLLIN | POLLOUT | POLLPRI | POLLRDHUP)

/* What poll() reports of a file whose driver has no function for it. */
#define ALWAYS_READY (POLLIN | POLLOUT)

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI &&
                   EPOLLRDHUP == POLLRDHUP,
               "the kernel has the same numbers for both of its calls");

int os_fd_ready(int fd, int events) {
    OS_KEEP_ERRNO;
    struct pollfd asked = {.fd = fd, .events = (short)events};
    int error = os_fault(OS_FAULT_FD_READY);
    if (error != 0) {
        return -error;
    }
    if (events == 0 || (events & ~EVENTS) != 0) {
        return -EINVAL;
    }
    if (fd < 0) {
        return -EBADF; /* poll() would ignore it */
    }
    int n;
    do {
        n = poll(&asked, 1, 0 /* without waiting */);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return -errno;
    }
    return (asked.revents & POLLNVAL) != 0 ? -EBADF : asked.revents;
}

static int add_to_watcher(int watcher, int fd, uint32_t events) {
    struct epoll_event event = {.events = events};
    int error = os_fault(OS_FAULT_FD_WATCHER);
    if (error != 0) {
        return -error;
    }
    return epoll_ctl(watcher, EPOLL_CTL_ADD, fd, &event) != 0 ? -errno : 0;
}

int os_fd_watcher(int fd, int events) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_FD_WATCHER);
    int watcher = error != 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (watcher < 0) {
        return error != 0 ? -error : -errno;
    }
    error = add_to_watcher(watcher, fd, (uint32_t)events);
    if (error != 0) {
        close(watcher);
        return error;
    }
    return watcher;
}

bool os_fd_is_unwatchable(int fd, int events) {
    if ((events & ALWAYS_READY) != 0 || os_fd_ready(fd, ALWAYS_READY) != ALWAYS_READY) {
        return false;
    }
    int watcher = os_fd_watcher(fd, events);
    if (watcher >= 0) {
        (void)os_fd_close(watcher);
    }
    return watcher == -EPERM;
}

int os_socket_watcher(int fd) {
    return os_fd_watcher(fd, POLLOUT);
}

int os_socket_watch(int watcher, int fd) {
    OS_KEEP_ERRNO;
    return add_to_watcher(watcher, fd, EPOLLOUT);
}
