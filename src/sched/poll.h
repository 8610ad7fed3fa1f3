/* SPDX-License-Identifier: MIT */
/* Who asks the kernel which descriptors are ready, and when. The essay is in poll.c. */
#ifndef RT_SCHED_POLL_H
#define RT_SCHED_POLL_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/globq.h"
#include <stdbool.h>

struct rt_m;
struct rt_p;
struct rt_polldesc;

/* Read at many schedulings, written by few. */
extern struct rt_poll_shared {
    rt_atomic(uint32_t) number;  /* of the poller there is; 0: none */
    rt_atomic(uint32_t) watched; /* how many descriptors it knows */
} rt_poll_shared RT_CACHE_ALIGNED;

/* Each runtime has a poller of its own, with another number, from the first descriptor on
   that somebody waits for. 0: there is none. */
static inline uint32_t rt_poll_number(void) {
    return rt_load_rlx(&rt_poll_shared.number); /* relaxed: a number; see rt_poll_end() */
}

/* Somebody may wait for a descriptor. */
static inline bool rt_poll_wanted(void) {
    /* acquire: there is a poller then. Pairs with rt_poll_add(). See also 'Nobody
       polls'. */
    return rt_load_acq(&rt_poll_shared.watched) != 0;
}

/* Has the kernel tell when fd becomes ready, and stores the number of the poller, which
   is made if need be. Returns -ESRCH if no runtime runs, -EEXIST if fd is known already,
   -EPERM if it is of a kind that cannot be told of, -EMFILE, -ENFILE, -ENOSPC or -ENOMEM.
   Outside. */
int rt_poll_add(int fd, const struct rt_polldesc *d, uint32_t *number) RT_NODISCARD;

/* Undoes that, if the poller of that number is still there. Outside. */
void rt_poll_remove(int fd, uint32_t number);

/* Before and after a wait for a descriptor. Inside. */
void rt_poll_wait_begin(void);
void rt_poll_wait_end(void);

/* How many waits for descriptors have ended by now; and whether anybody has waited for
   one, or was on the way back from it, at any moment since then. */
uint64_t rt_poll_waits_ended(void);
bool rt_poll_awaited(uint64_t ended);

/* One thread polls at a time: who has taken the poller, true, gives it back. */
bool rt_poll_take(void);
void rt_poll_give(void);

/* M whose P is idle: takes the poller to sleep there, unless others see to it. */
bool rt_poll_take_to_sleep(const struct rt_p *p);

/* m, on its scheduler's stack, with a P that has nothing to run: looks whether
   descriptors are ready. True: somebody has been woken, so that the P's queue may have
   something. */
bool rt_poll_look(struct rt_m *m);

/* The same for a P that may have something. */
void rt_poll_look_between(struct rt_m *m);

/* p, which is busy and has nothing to run: another one sees to the descriptors, and to what
   it keeps, and there are no CPUs for both. A hint. */
bool rt_poll_is_left_to_others(const struct rt_p *p);

/* Owner of p, now and then: has its next scheduling look, if it is time to. */
void rt_poll_remind(struct rt_p *p);

/* m, which has taken the poller and made itself and that P known to wakers: sleeps there
   until descriptors are ready for somebody, whom it appends, or until the deadline:
   false; or until it is woken: true. */
bool rt_poll_sleep(struct rt_m *m, uint32_t p_id, int64_t deadline_ns,
                   struct rt_glist *ready);

/* Makes those runnable: on p, which is the caller's, or if it is NULL for everybody. */
void rt_poll_deliver(struct rt_p *p, struct rt_glist *ready);

/* The number of the P whose M sleeps in the poller: a hint. */
#define RT_POLL_NO_P UINT32_MAX
uint32_t rt_poll_sleeper(void);

/* Whoever sleeps in the poller returns, or the next one to come. */
void rt_poll_break(void);

/* Monitor: when it has to see to the poller itself, because Ps are too busy to; OS_NEVER:
   somebody sleeps in it, or nobody needs it. */
int64_t rt_poll_stale_ns(void);

/* Monitor, which has taken the poller: sleeps in it until then, and makes runnable whom
   it finds. */
void rt_poll_monitor_sleep(int64_t deadline_ns);

/* The runtime has ended: nobody polls from here on, and foreign threads that wait look
   again. nobody_left: there is nobody either who could use the kernel's set. */
void rt_poll_end(bool nobody_left);

#endif
