/* SPDX-License-Identifier: MIT */
/* The handle of a kernel descriptor: its layout and internal operations. */
#ifndef RT_NET_FD_H
#define RT_NET_FD_H

/*
 * Two counts. References belong to the user; dropping the last one closes the handle. Uses
 * keep the kernel's descriptor open. They count the calls in progress, in one word with the
 * mark CLOSED. After the mark is set no call begins. The closer, which is a use itself,
 * waits until it is the only use, then closes the descriptor. So no call that began before
 * uses the descriptor's number after the kernel gives it to the next open(), and the number
 * is free when the close returns.
 *
 * The memory has two holders, the references together and the uses together; the last one
 * frees it. So a call that the closer wakes still finds its handle, although the closer
 * dropped the only reference. The public header does not promise this.
 *
 *     uses: from    to                by
 *     -----------   ---------------   -------------------------------------------------
 *     n             n + 1             rt_fd_use()
 *     n             CLOSED + n + 1    the closer, which is a use itself; refused if the
 *                                     mark is set
 *     n             n - 1             rt_fd_unuse()
 *     CLOSED + n    CLOSED + n - 1    rt_fd_unuse(), under the closers' lock; the call
 *                                     that finds CLOSED + 1 is the last, and closes the
 *                                     descriptor
 *
 * Waiting for users. ('Waiting for users') The closer parks in a queue, under a lock that
 * all handles share. A call that leaves a closed handle subtracts its use under the same
 * lock, and wakes the closer if only that is left. So either the closer sees the count, or
 * the last call sees the closer:
 *
 *     the last call                          the closer
 *         lock                                   lock
 *     [L] closer                             [L] uses
 *     [S] uses - 1                           [S] closer := itself, queued
 *         unlock; wake the closer, if any        park, unlock
 *
 * The last call does not touch the handle after [S]: the closer may see without the lock
 * that it is alone, and free the handle. The wait is short: the closer has woken each call,
 * or the call is about to read the mark, or is in a system call that does not block. The
 * closer does not wait for
 *   - calls on a descriptor that cannot be polled, which may block in the kernel for any
 *     time: the last of them closes the descriptor
 *   - goroutines of a runtime that ends: they do not run again, and never drop their uses.
 *     rt_fd_release_closers() wakes a foreign thread that waits for them
 *   - calls of the parent's threads, in a child process
 *
 * Closed against waiting. A call adds its use and checks the mark in one operation. The
 * closer sets the mark before it closes the fdmutexes and the polldesc, which wakes their
 * waiters; both remember that they are closed. So a call that began before the close is
 * woken, or does not park.
 *
 * Turns. ('Turns') Each direction has an fdmutex: one operation at a time. Its holder
 * hands it to the first waiter before it wakes that, so no newcomer overtakes a waiter. A
 * wait for it has no deadline of its own: the deadline belongs to the direction, so the
 * holder gives up when it passes, and then each waiter in turn. A close wakes all waiters
 * at once with -ECANCELED, because the holder may be in a system call that cannot be
 * interrupted. Invariant, whenever the lock of an fdmutex is free:
 *     the queue is not empty   -> taken, and not closed
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/netpoll/polldesc.h"
#include "os/os.h"
#include "sched/waitq.h"

#include <tuco/net.h>

#define RT_FD_CLOSED (UINT32_C(1) << 31)

/* A callback that runs just before the kernel's descriptor is closed. Called outside of the
   runtime; it frees itself. */
struct rt_fd_end {
    void (*run)(struct rt_fd_end *end);
};

/* See 'Turns'. */
struct rt_fdmutex {
    struct rt_spin lock;
    /* Under the lock. */
    bool taken;
    bool closed;
    struct rt_waitq queue;
};

struct tuco_fd {
    /* Atomic: any thread that has a reference or a use. */
    rt_atomic(uint32_t) references;
    rt_atomic(uint32_t) holders; /* of the memory: see above */
    rt_atomic(bool) secret;      /* the number is known to this handle only */
    rt_atomic(uint32_t) uses;
    /* the number of the poller that watches the descriptor; 0: none */
    rt_atomic(uint32_t) poller;

    /* Immutable once the handle is published. */
    int number;
    enum os_fd_kind kind;
    struct rt_polldesc *desc; /* NULL: the descriptor cannot be polled */
    struct rt_fd_end *end;    /* NULL: no callback */
    bool wrapped;             /* made by tuco_fd_wrap() */
    uint32_t process;         /* rt_fork_generation() of the process that made it */

    /* Under the closers' lock. */
    struct rt_waiter *closer; /* the parked closer; NULL: none */

    /* Any thread: each has a lock. */
    struct rt_fdmutex fdmutexes[RT_POLLWAYS];

    /* Owner: the holder of the read fdmutex. See 'Drained' in fd.c. */
    bool drained;
};

/* Performs an operation by one or more system calls. Returns its result, or -EAGAIN if it
   has to wait for readiness; then it is called again with the same request. Called outside
   of the runtime. */
typedef int64_t rt_fd_step(tuco_fd *f, void *request);

/* Begins a public function: panics with the function's name if the handle is NULL. */
#define RT_FD_CHECK(f)                   \
    do {                                 \
        if (unlikely((f) == NULL)) {     \
            rt_fd_report_null(__func__); \
        }                                \
    } while (0)

_Noreturn RT_COLD void rt_fd_report_null(const char *function);

/* Makes a handle with one reference; does not make the descriptor non-blocking. NULL: no
   memory. Call it outside. */
tuco_fd *rt_fd_make(int number, struct os_fd_traits traits) RT_NODISCARD;

/* Undoes rt_fd_make(). The caller keeps the descriptor. */
void rt_fd_forget(tuco_fd *f);

/* Makes a handle with one reference for a descriptor that is pollable and non-blocking; it
   saves the system calls of tuco_fd_wrap(). NULL: no memory; the caller keeps the
   descriptor. Call it outside. */
tuco_fd *rt_fd_adopt(int number, enum os_fd_kind kind) RT_NODISCARD;

/* Adds a use. Returns -EBADF if the handle is closed. Any thread, outside. */
int rt_fd_use(tuco_fd *f) RT_NODISCARD;

/* Drops a use. The last use of a closed handle closes the descriptor; returns the result of
   that, or else 0. Call it outside. */
int rt_fd_unuse(tuco_fd *f);

/* The runtime stops: wakes foreign threads that wait in a close, perhaps for goroutines
   that do not run again. Any thread, inside or outside. */
void rt_fd_release_closers(void);

/* Called between two system calls of one write. Returns 0, or -ECANCELED or -ETIMEDOUT if
   the write has to stop. */
int rt_fd_look_again(tuco_fd *f) RT_NODISCARD;

/* Takes the fdmutex, parking if need be. Returns 0, or -ECANCELED if it is closed. pc: the
   caller of the public function. Call it outside. */
int rt_fdmutex_take(struct rt_fdmutex *t, const void *pc) RT_NODISCARD;

/* Releases the fdmutex, or hands it to the first waiter. Call it outside. */
void rt_fdmutex_pass(struct rt_fdmutex *t);

/* Wakes all waiters with -ECANCELED, and makes later calls fail. Call it outside. */
void rt_fdmutex_close(struct rt_fdmutex *t);

/* Takes the fdmutex of the direction and repeats the step until it does not return -EAGAIN.
   pc: the caller of the public function. Call it outside. */
int64_t rt_fd_perform(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                      void *request, const void *pc);

#endif
