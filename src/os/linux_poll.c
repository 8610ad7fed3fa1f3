/* SPDX-License-Identifier: MIT */
/* os.h on Linux: readiness of descriptors, by epoll. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "os/valgrind.h"
#include "os/fault.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000

/* The token of the waker's events; no descriptor of the program has it. */
#define WAKER_TOKEN UINT64_MAX

/* Cleared once epoll_pwait2 turns out to be missing (before Linux 5.11) or forbidden by a
   sandbox. Not used under valgrind, which does not support it and prints a long
   warning. */
static rt_atomic(bool) precise = true;

static int watch(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events | EPOLLET, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0 ? -errno : 0;
}

static int make_epoll(void) {
    int error = os_fault(OS_FAULT_POLL_MAKE);
    if (error != 0) {
        return -error;
    }
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int make_waker(void) {
    int error = os_fault(OS_FAULT_POLL_MAKE);
    if (error != 0) {
        return -error;
    }
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int os_poll_make(struct os_poll *poll) {
    OS_KEEP_ERRNO;
    int result = make_epoll();
    if (result < 0) {
        return result;
    }
    poll->watch = result;
    result = make_waker();
    if (result < 0) {
        goto fail_waker;
    }
    poll->waker = result;
    result = watch(poll->watch, poll->waker, EPOLLIN, WAKER_TOKEN);
    if (result < 0) {
        goto fail_watch;
    }
    return 0;
fail_watch:
    close(poll->waker);
fail_waker:
    close(poll->watch);
    return result;
}

void os_poll_free(struct os_poll *poll) {
    OS_KEEP_ERRNO;
    close(poll->waker);
    close(poll->watch);
}

int os_poll_add(const struct os_poll *poll, int fd, uint64_t token) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_POLL_ADD);
    if (error != 0) {
        return -error;
    }
    return watch(poll->watch, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI, token);
}

void os_poll_remove(const struct os_poll *poll, int fd) {
    OS_KEEP_ERRNO;
    epoll_ctl(poll->watch, EPOLL_CTL_DEL, fd, &(struct epoll_event){.events = 0});
}

/* The nanosecond wait of old kernels: ppoll() on the set, then epoll_wait() without
   waiting. All waiting threads return, and one of them gets the event. */
static int wait_in_two_steps(int epoll, struct epoll_event *events, int max,
                             const struct timespec *timeout) {
    struct pollfd set = {.fd = epoll, .events = POLLIN};
    if (ppoll(&set, 1, timeout, NULL) <= 0) {
        return 0;
    }
    return epoll_wait(epoll, events, max, 0);
}

/* timeout NULL: forever. */
static int wait_for(int epoll, struct epoll_event *events, int max,
                    const struct timespec *timeout) {
    /* relaxed: a thread that sees it late tries for itself */
    if (rt_load_rlx(&precise) && !os_on_valgrind()) {
        int error = os_fault(OS_FAULT_POLL_PRECISE);
        int n = error != 0 ? -1 : epoll_pwait2(epoll, events, max, timeout, NULL);
        error = n < 0 && error == 0 ? errno : error;
        if (error != ENOSYS && error != EPERM) {
            return n;
        }
        rt_store_rlx(&precise, false); /* relaxed: as above */
    }
    return wait_in_two_steps(epoll, events, max, timeout);
}

static uint32_t events_of(uint32_t bits) {
    uint32_t events = 0;
    if ((bits & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        events |= OS_POLL_READ;
    }
    if ((bits & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        events |= OS_POLL_WRITE;
    }
    if ((bits & (EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI)) != 0) {
        events |= OS_POLL_MORE;
    }
    return events;
}

/* Drops the waker's events: returning is all they are for. The eventfd is never read,
   because each write to it is an edge. */
static int hand_out(struct os_poll_event *events, const struct epoll_event *found,
                    int found_count) {
    int count = 0;
    if (found_count < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    for (int i = 0; i < found_count; i++) {
        if (found[i].data.u64 != WAKER_TOKEN) {
            events[count].token = found[i].data.u64;
            events[count++].events = events_of(found[i].events);
        }
    }
    return count;
}

int os_poll_wait(const struct os_poll *poll, struct os_poll_event *events, int max,
                 int64_t deadline_ns) {
    OS_KEEP_ERRNO;
    struct epoll_event found[OS_POLL_EVENTS_MAX];
    int room = max < OS_POLL_EVENTS_MAX ? max : OS_POLL_EVENTS_MAX;
    if (os_fault(OS_FAULT_POLL_WAIT) != 0) {
        return 0;
    }
    if (deadline_ns <= 0) {
        return hand_out(events, found, epoll_wait(poll->watch, found, room, 0));
    }
    int64_t now_ns = deadline_ns == OS_NEVER ? 0 : os_now();
    int64_t rest_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    struct timespec timeout = {.tv_sec = rest_ns / NS_PER_SECOND,
                               .tv_nsec = rest_ns % NS_PER_SECOND};
    int n = wait_for(poll->watch, found, room, deadline_ns == OS_NEVER ? NULL : &timeout);
    return hand_out(events, found, n);
}

void os_poll_wake(const struct os_poll *poll) {
    OS_KEEP_ERRNO;
    uint64_t one = 1;
    /* Fails only after 2^64 - 2 wakes. */
    ssize_t n = write(poll->waker, &one, sizeof one);
    (void)n;
}
