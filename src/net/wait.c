/* SPDX-License-Identifier: MIT */
/* Waiting for a descriptor that is not the runtime's. */
#include "net/fd.h"

#include <errno.h>

/*
 * Problem. A library has a descriptor of its own, and says what it waits for. Several
 * goroutines may wait for the same one, for different events; it may be in the library's
 * own epoll set; it may be a blocking one; a handle of ours may use the same number; and
 * after the wait the library may close it and get the number again for something else.
 * The poller watches a number once, and by edges.
 *
 * Rejected. The number itself in the poller's set: two who wait for it would need one
 * registration for both, and a handle of the same number would take it for its own. A
 * registration that stays for the next wait: nobody tells us when the number means
 * another file. A copy of the descriptor for each wait, by dup(): closing the copy is not
 * without consequences, since it gives up the process's locks on the file and its
 * notification of a message queue, and stops what a game controller is doing. A stock of
 * watchers: two calls to the kernel instead of five, but the end of the runtime would
 * have to give them back, and a child process would share them with its parent.
 *
 * The way taken. Each wait makes a descriptor of its own that is ready for reading while
 * one of the events is there, an epoll set with one member, and waits for that as one
 * waits for any handle: with its deadline, from any thread. It watches by level, leaves
 * the file alone, and goes with the wait, and all that the kernel has noted goes with it.
 * Most descriptors are ready when they are asked for; that costs one call, and none of
 * this.
 *
 * Price. ('Price') A descriptor and some microseconds for each wait; and the kernel
 * refuses to tell more than 500 sets of the same file that are in a set themselves, and
 * more than 100 if the file is a set that has members.
 *
 * Ready against deadline. The events are asked for after the wait in any case: what is
 * there counts, even if the deadline was noticed first.
 */

struct request {
    int number;
    int events;
};

/* f only says when to look. */
static int64_t look_step(tuco_fd *f, void *raw) {
    const struct request *r = raw;
    (void)f;
    int events = os_fd_ready(r->number, r->events);
    return events != 0 ? events : -EAGAIN;
}

static int wait_by_watcher(struct request *r, int64_t deadline_ns, const void *pc) {
    int watcher = os_fd_watcher(r->number, r->events);
    if (watcher < 0) {
        return watcher;
    }
    tuco_fd *f = rt_fd_adopt(watcher, OS_FD_OTHER);
    if (f == NULL) {
        (void)os_fd_close(watcher);
        return -ENOMEM;
    }
    rt_polldesc_set_deadline(f->desc, RT_POLLWAY_READ, deadline_ns);
    int64_t result = rt_fd_perform(f, RT_POLLWAY_READ, look_step, r, pc);
    (void)tuco_fd_close(f);
    return result == -EINVAL ? -ENOSPC : (int)result; /* see 'Price' */
}

/* Public */

int tuco_fd_wait(int fd, int events, tuco_time deadline) {
    struct request r = {.number = fd, .events = events};
    int result = os_fd_ready(fd, events);
    if (result != 0) {
        return result;
    }
    if (deadline <= os_now()) {
        return -ETIMEDOUT;
    }
    result = wait_by_watcher(&r, deadline, __builtin_return_address(0));
    if (result == -ETIMEDOUT) {
        int late = os_fd_ready(fd, events);
        return late != 0 ? late : -ETIMEDOUT;
    }
    return result;
}
