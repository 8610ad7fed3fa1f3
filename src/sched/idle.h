/* SPDX-License-Identifier: MIT */
/* Threads with nothing to do: who looks for work, who sleeps, and who is woken. The essay
   is in idle.c. */
#ifndef RT_SCHED_IDLE_H
#define RT_SCHED_IDLE_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/fence.h"
#include <stdbool.h>

struct rt_m;
struct rt_p;

/* The idle word, see idle.c: numbers that change together. */
#define RT_IDLE_ONE      UINT64_C(1)         /* Ps that nobody runs goroutines with */
#define RT_IDLE_SPIN_ONE (UINT64_C(1) << 16) /* Ms that look for work */
/* Ps that no thread can be started for at the moment */
#define RT_IDLE_ASIDE_ONE (UINT64_C(1) << 32)
/* somebody wanted a searcher and found no idle P */
#define RT_IDLE_NEED (UINT64_C(1) << 48)
/* Ps in use, idle or not */
#define RT_IDLE_TOTAL_ONE (UINT64_C(1) << 49)

static inline uint32_t rt_idle_ps(uint64_t word) {
    return (uint32_t)(word & 0xffff);
}

static inline uint32_t rt_idle_spinning(uint64_t word) {
    return (uint32_t)(word >> 16 & 0xffff);
}

static inline uint32_t rt_idle_aside(uint64_t word) {
    return (uint32_t)(word >> 32 & 0xffff);
}

static inline uint32_t rt_idle_total(uint64_t word) {
    return (uint32_t)(word >> 49 & 0x7ff);
}

/* Ps that run goroutines, or look for some. */
static inline uint32_t rt_idle_busy(uint64_t word) {
    return rt_idle_total(word) - rt_idle_ps(word) - rt_idle_aside(word);
}

extern struct rt_idle_word { rt_atomic(uint64_t) word; } rt_idle RT_CACHE_ALIGNED;

/* Wakes Ms to look for work until wanted are looking. */
void rt_idle_wake(uint32_t wanted);

/* How many are woken at once for many goroutines. Each costs the waker microseconds; those
   that are up wake the others. */
#define RT_IDLE_BURST 4u

/* After count goroutines have been put into a ring or the global queue: makes sure that
   somebody looks for them if a P is idle. Any thread. Two loads if there is nothing to
   do. */
static inline void rt_idle_notify(uint32_t count) {
    /* fence(light): the queue before the idle word. Pairs with the fence(heavy) of the
       last searcher in rt_idle_give_up() and rt_idle_found(). Lost-wakeup rule. */
    rt_fence_light();
    /* relaxed: ordered by the fence; rt_idle_wake() decides by a compare-and-swap. */
    uint64_t w = rt_load_rlx(&rt_idle.word);
    if (unlikely(rt_idle_spinning(w) == 0 &&
                 (rt_idle_ps(w) > 0 || (w & RT_IDLE_NEED) == 0))) {
        rt_idle_wake(count < RT_IDLE_BURST ? count : RT_IDLE_BURST);
    }
}

/* M, before it looks into the queues of others. True: it is counted as a searcher now (or
   was before). */
bool rt_idle_try_spin(struct rt_m *m);

/* M, a searcher, has found a goroutine to run: it is a searcher no more, and passes the
   duty on if need be. */
void rt_idle_found(struct rt_m *m);

/* For rest.c. M has found nothing: its P is idle from here on, and m has to sleep with
   it, false; or there is a reason to go on, and m has the P again as a searcher, true. */
bool rt_idle_give_up(struct rt_m *m);

/* Likewise. After p was counted idle, m, which sleeps with it, has a reason to go on: it
   takes p back, as a searcher. False: there are wakers for as many Ps as are idle, or
   somebody has claimed this one. In the first case a waker may still take another P,
   which has become idle since, and leave this one alone. */
bool rt_idle_come_back(struct rt_m *m, struct rt_p *p);

/* Likewise. True: a waker has cleared the bit of p, whose M, which asks, it wakes. */
bool rt_idle_is_claimed(const struct rt_p *p);

/* Any thread, once: all Ps are idle, none has a thread yet. */
void rt_idle_init(uint32_t procs);

/* Takes P number 0 for the calling thread, at start. */
void rt_idle_take_first(void);

/* True if that P was idle a moment ago: thieves need not look there. */
bool rt_idle_has(uint32_t p_id);

/* True if all Ps are idle or set aside, and nobody looks for work: exact at one
   moment. */
bool rt_idle_all(void);

/* Wakes every sleeping M, for the end of the runtime. Attention has been set before. */
void rt_idle_release_all(void);

/* Takes an idle P for the caller, who runs goroutines with it, or gives it to one who
   does; an M that slept with it is a spare one then. NULL: none is idle. Any thread. */
struct rt_p *rt_idle_claim(void);

/* p, which is in the caller's hands and has nothing to do, is idle from here on, without an
   M: no timers are armed in it. */
void rt_idle_put_without_m(struct rt_p *p);

/* The same for that one, also if no thread could be started for it. False: somebody has
   it. */
bool rt_idle_claim_that(struct rt_p *p);

/* p comes into use, idle and without an M. Who adds some looks for work when he is done. */
void rt_idle_add(struct rt_p *p);

/* A P that is in the caller's hands is not in use any more. */
void rt_idle_remove(void);

/* p, which is in the caller's hands, gets a thread as soon as the starter has one. */
void rt_idle_want_thread(struct rt_p *p);

/* Starter: a P that a thread is to be started for, or NULL; and what to do if that
   fails. For both a searcher is counted. */
struct rt_p *rt_idle_take_wanted(void);

/* Who has taken it has no use for it. */
void rt_idle_put_back_wanted(struct rt_p *p);

/* How many there are. */
uint32_t rt_idle_wanted(void);

void rt_idle_set_aside(struct rt_p *p);

/* Monitor: gives those Ps another chance that no thread could be started for. */
void rt_idle_retry_unstartable(void);

#endif
