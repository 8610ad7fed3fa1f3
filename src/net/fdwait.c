/* SPDX-License-Identifier: MIT */
/* tuco_fd_wait(): waits for events on a descriptor that has no handle. */
#include "net/fd.h"

#include <errno.h>

/*
 * Problem. A library has a descriptor of its own and wants to wait for events on it.
 * Several goroutines may wait for the same descriptor, for different events. It may be in
 * the library's own epoll set; it may be blocking; one of our handles may have the same
 * number; and after the wait the library may close it and get the number again for another
 * file. The poller watches a number once, edge-triggered.
 *
 * Rejected. The number itself in the poller's set: two waiters would have to share one
 * registration, and it would clash with that of a handle of the same number. A registration
 * that stays for the next wait: we are not notified when the number is reused for another
 * file. A dup() of the descriptor for each wait: closing the copy has side effects, since
 * it drops the process's locks on the file and its notification of a message queue, and
 * stops the effects of a game controller. A stock of watchers: it saves three of five
 * system calls, but the runtime would have to free them when it ends, and a child process
 * would share them with its parent.
 *
 * The way taken. Each wait makes a watcher: an epoll set with one member, which is readable
 * while one of the events is pending. The caller waits for the watcher as for any handle,
 * with its deadline, from any thread. The watcher is level-triggered and does not change
 * the file. It is closed after the wait, and the kernel's registration goes with it. Most
 * descriptors are ready at once; then the wait costs one system call and no watcher.
 *
 * Price. ('Price') A descriptor and some microseconds for each wait. The kernel limits the
 * number of nested epoll sets that watch the same file to 500, and to 100 if the file is
 * itself an epoll set with members.
 *
 * Ready against deadline. The events are read once more after the wait: pending events
 * win, even if the deadline was noticed first.
 *
 * Not supported. Some files cannot be watched. They are always ready to read and write, so
 * only a wait for other events finds out. It returns -EPERM before and after its deadline,
 * because more time would not help: a caller that polls learns it too.
 */

struct request {
    int number;
    int events;
};

/* f is the watcher; it only reports when to look. */
static int64_t request_look_step(tuco_fd *f, void *raw) {
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
    int64_t result = rt_fd_perform(f, RT_POLLWAY_READ, request_look_step, r, pc);
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
        return os_fd_is_unwatchable(fd, events) ? -EPERM : -ETIMEDOUT;
    }
    result = wait_by_watcher(&r, deadline, __builtin_return_address(0));
    if (result == -ETIMEDOUT) {
        int late = os_fd_ready(fd, events);
        return late != 0 ? late : -ETIMEDOUT;
    }
    return result;
}
