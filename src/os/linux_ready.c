/* SPDX-License-Identifier: MIT */
/* The kernel behind os.h: what a descriptor of somebody else's is ready for. */
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
        return -EBADF; /* poll() would pass it over */
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

int os_fd_watcher(int fd, int events) {
    OS_KEEP_ERRNO;
    struct epoll_event event = {.events = (uint32_t)events};
    int error = os_fault(OS_FAULT_FD_WATCHER);
    int watcher = error != 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (watcher < 0) {
        return error != 0 ? -error : -errno;
    }
    error = os_fault(OS_FAULT_FD_WATCHER);
    if (error == 0 && epoll_ctl(watcher, EPOLL_CTL_ADD, fd, &event) != 0) {
        error = errno;
    }
    if (error != 0) {
        close(watcher);
        return -error;
    }
    return watcher;
}
