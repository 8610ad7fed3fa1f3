/* SPDX-License-Identifier: MIT */
/* A handle of a kernel descriptor, seen from the inside: for what accepts and connects. */
#ifndef RT_NET_FD_H
#define RT_NET_FD_H

/*
 * Two counts. References are the program's; the last one that is given back closes the
 * handle. Uses keep the kernel's descriptor: they are the calls that are inside, and the mark
 * CLOSED with them in one word. After the mark no call gets in; the one that leaves last,
 * which may be the close itself, closes the descriptor. So its number, which the kernel gives
 * to somebody else at once, is never used by a call that began before.
 *
 * The memory has two holders, the references and the uses, and goes with the last of them: a
 * call that was woken by a close still finds its handle, although whoever closed it gave the
 * only reference back. That is more than the header promises.
 *
 *     uses        from          to                by
 *     ---------   -----------   ---------------   ------------------------------------------
 *                 n             n + 1             rt_fd_use()
 *                 n             CLOSED + n + 1    close, which is a use itself; refused if
 *                                                 the mark is there
 *                 n             n - 1             rt_fd_unuse()
 *                 CLOSED + n    CLOSED + n - 1    rt_fd_unuse(); at CLOSED + 0, once, the
 *                                                 descriptor is closed
 *
 * Closed against waiting. A call counts itself before it looks whether it is closed, and
 * with the same operation; close sets the mark before it wakes those who wait for their
 * turn or for readiness, and both of these remember that they are closed. So who came in
 * before is woken, or does not go to sleep.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "net/polldesc.h"
#include "net/lane.h"
#include "os/os.h"

#include <tuco/net.h>

#define RT_FD_CLOSED (UINT32_C(1) << 31)

/* What there is to do before the kernel's descriptor is closed, by who closes it. Outside. */
struct rt_fd_end {
    void (*run)(struct rt_fd_end *end);
};

struct tuco_fd {
    /* Atomic. */
    rt_atomic(uint32_t) references;
    rt_atomic(uint32_t) holders; /* of the memory: see above */
    rt_atomic(bool) secret;      /* nobody else knows the number */
    rt_atomic(uint32_t) uses;
    /* the number of the poller that watches it; 0: none does */
    rt_atomic(uint32_t) poller;

    /* Immutable until it is closed. */
    int number;
    enum os_fd_kind kind;
    struct rt_polldesc *desc; /* NULL: the kernel does not tell when it is ready */
    struct rt_fd_end *end;    /* NULL: nothing */

    struct rt_lane lanes[RT_POLLWAYS];

    /* Whose turn it is to read: see 'Drained' in fd.c. */
    bool drained;
};

/* One call to the kernel or several: what is to be returned, or -EAGAIN if it has to wait
   for readiness, after which it is called again with the same request. Outside. */
typedef int64_t rt_fd_step(tuco_fd *f, void *request);

/* A handle of a socket that is non-blocking already, with one reference: what
   tuco_fd_wrap() would have to find out first. NULL: no memory; then it is the caller's
   still. Outside. */
tuco_fd *rt_fd_adopt(int number, enum os_fd_kind kind) RT_NODISCARD;

/* -EBADF: it is closed. */
int rt_fd_use(tuco_fd *f) RT_NODISCARD;

/* Returns what closing the kernel's descriptor said, if this was the last. */
int rt_fd_unuse(tuco_fd *f);

/* In a step of writing that goes on: -ECANCELED or -ETIMEDOUT if it must not, 0. */
int rt_fd_look_again(tuco_fd *f) RT_NODISCARD;

/* Does the step in the caller's turn, as often as it takes. pc: where the program called
   in. Outside. */
int64_t rt_fd_perform(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                      void *request, const void *pc);

#endif
