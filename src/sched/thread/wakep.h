/* SPDX-License-Identifier: MIT */
/* Which Ms spin, which sleep, and which one a waker wakes. The essay is in wakep.c. */
#ifndef RT_SCHED_THREAD_WAKEP_H
#define RT_SCHED_THREAD_WAKEP_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/fence.h"
#include "sched/thread/pidle.h"
#include <stdbool.h>

struct rt_m;
struct rt_p;

/* Wakes idle Ps until wanted Ms spin. */
void rt_wakep_slow(uint32_t wanted);

/* For rt_wakep(). The same for count goroutines, unless an M spins. */
RT_NOINLINE void rt_wakep_unless_spinning(uint32_t count);

/* The most Ms that one call wakes. Each wake-up costs the waker microseconds; the woken
   Ms wake the others. */
#define RT_PIDLE_BURST 4u

/* Call after putting count goroutines into a ring or the global queue. Makes sure that an
   M spins if a P is idle. Any thread. Costs a load while all Ps are busy. */
static inline void rt_wakep(uint32_t count) {
    /* fence(light): the queue before the idle word, if that has NEED. Pairs with the
       fence(heavy) in fence_last_spinning(). Lost-wakeup rule. */
    rt_fence_light();
    /* relaxed: ordered by the fence */
    if (unlikely(!rt_pidle_is_needed(rt_load_rlx(&rt_pidle.word)))) {
        rt_wakep_unless_spinning(count);
    }
}

/* M, before it looks into the queues of other Ps. Returns true if m counts as spinning.
   False: enough Ms spin already. */
bool rt_spinning_try(struct rt_m *m);

/* M, spinning, has found a goroutine: stops spinning, and wakes another M if there is
   more work. */
void rt_resetspinning(struct rt_m *m);

/* For stopm.c. M has found nothing. False: its P is idle now, and m has to sleep with it.
   True: m has a reason to go on, and holds the P again as a spinning M. */
bool rt_spinning_give_up(struct rt_m *m);

/* For stopm.c. m sleeps with p, which is counted idle, and has a reason to go on: it
   tries to take p back as a spinning M. False: another thread has claimed p, or wakers
   have counted down as many Ps as are idle. In the second case they may claim other Ps
   that have become idle since, and no waker comes for p: the caller has to try again. */
bool rt_pidle_come_back(struct rt_m *m, struct rt_p *p);

/* At start: takes P 0 for the calling thread. */
void rt_pidle_take_first(void);

/* Wakes every M that sleeps with a P, for the end of the runtime. The caller has set
   attention on all Ps. */
void rt_pidle_release_all(void);

/* Takes an idle P for the caller, which runs goroutines with it or hands it to an M. An M
   that slept with the P becomes a spare M. NULL: no P is idle. Any thread. */
struct rt_p *rt_pidleget(void);

/* The caller holds p, which has no work and no armed timer: p becomes idle without an
   M. */
void rt_pidleput(struct rt_p *p);

/* Takes p as rt_pidleget() does, also if p was set aside. False: another thread has p. */
bool rt_pidleget_that(struct rt_p *p);

/* The caller holds p: the starter gives it a spare M or a new thread. Counts a spinning M
   for it. */
void rt_pidle_want_thread(struct rt_p *p);

/* Starter, or an M without a P: takes a P that wants a thread. The spinning M that was
   counted for it goes with it. NULL: no P wants one. */
struct rt_p *rt_pidle_take_wanted(void);

/* Starter, which has taken p and can start no thread: the first runnable goroutine of the
   locked list gets p. False: the list has none, and the caller keeps p. */
bool rt_pidle_give_to_lockedm(struct rt_p *p);

void rt_pidle_set_aside(struct rt_p *p);

/* Sysmon: returns the Ps that were set aside to the idle ones, or requests threads for
   them again. */
void rt_pidle_retry_unstartable(void);

#endif
