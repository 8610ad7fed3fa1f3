/* SPDX-License-Identifier: MIT */
/* The set of descriptors that the kernel watches, and the thread that has taken it. */
#ifndef RT_SCHED_NETPOLL_POLLSET_H
#define RT_SCHED_NETPOLL_POLLSET_H

/*
 * There is one set, the poller. One thread at a time polls: it takes the poller, and gives
 * it back. While it sleeps there, rt_netpoll_break() wakes it. netpoll.c decides which
 * thread polls, and when.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "os/os.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_p;

/* Atomic: read at many schedulings, rarely written. */
RT_EXTERN struct rt_netpoll_shared {
    rt_atomic(uint32_t) number;  /* number of the current poller; 0: none */
    rt_atomic(uint32_t) watched; /* how many descriptors are registered */
} rt_netpoll_shared RT_CACHE_ALIGNED;

/* The kernel's set: valid while the number is not 0, until rt_netpoll_free(). A thread
   waits in it only while it has taken the poller. */
RT_EXTERN struct os_poll rt_netpoll_set;

/* Each runtime has its own poller with a new number, made when the first descriptor is
   waited for. 0: there is none. */
static inline uint32_t rt_netpoll_number(void) {
    /* relaxed: a number; see rt_netpoll_end() */
    return rt_load_rlx(&rt_netpoll_shared.number);
}

/* True if a thread may wait for a descriptor. */
static inline bool rt_netpoll_wanted(void) {
    /* acquire: the poller exists. Pairs with rt_netpoll_add(). See also 'Some thread
       polls' in netpoll.c. */
    return rt_load_acq(&rt_netpoll_shared.watched) != 0;
}

/* Registers fd with the kernel, edge-triggered, and stores the number of the poller,
   which is made if there is none. Each event of fd has the token. Returns -ESRCH if no
   runtime runs, -EEXIST if fd is registered already, -EPERM if its kind cannot be polled,
   -EMFILE, -ENFILE, -ENOSPC or -ENOMEM. Called outside. */
int rt_netpoll_add(int fd, uint64_t token, uint32_t *number) RT_NODISCARD;

/* Removes fd, if the poller of that number still exists. Called outside. */
void rt_netpoll_remove(int fd, uint32_t number);

/* One thread polls at a time: it takes the poller, true, and gives it back. */
bool rt_netpoll_take(void);
void rt_netpoll_give(void);

#define RT_NETPOLL_NO_P UINT32_MAX

/* The number of the P whose M sleeps in the poller, or RT_NETPOLL_NO_P. A hint. The M
   itself sets it. */
uint32_t rt_netpoll_sleeper(void);
void rt_netpoll_set_sleeper(uint32_t p_id);

/* Makes the thread that sleeps in the poller return, or the next one that does. */
void rt_netpoll_break(void);

/* Records that p_id polls now; RT_NETPOLL_NO_P: the M that is about to be woken will.
   Returns the time. */
int64_t rt_netpoll_stamp(uint32_t p_id);

/* Which P polled last, and when. Hints. */
uint32_t rt_netpoll_looker(void);
int64_t rt_netpoll_looked_ns(void);

/* Owner of p, now and then: has the next scheduling poll, if no P has polled for long. */
void rt_netpoll_remind(struct rt_p *p);

/* True if a thread has taken the poller. A hint. */
bool rt_netpoll_is_taken(void);

/* The runtime has ended: threads find no poller from now on. False: there was none. */
bool rt_netpoll_forget(void);

/* After rt_netpoll_forget(), when no other thread is left: closes the set. */
void rt_netpoll_free(void);

#endif
