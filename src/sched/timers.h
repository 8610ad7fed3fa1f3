/* SPDX-License-Identifier: MIT */
/* Timers of the runtime: armed and disarmed by any thread, taken out by the scheduler. */
#ifndef RT_SCHED_TIMERS_H
#define RT_SCHED_TIMERS_H

/*
 * Every P has a timing wheel of its own, and so has sysmon. A timer is always armed in the
 * wheel of the caller's P, wherever it was before; threads without a P use sysmon's wheel.
 * So only its owner can make a P's next deadline earlier, and an M that sleeps until that
 * deadline never has to be woken for a new timer.
 *
 *   operation   caller                          locks
 *   ---------   -----------------------------   ------------------------------------------
 *   arm         owner of the timer              the wheel that it goes to
 *   disarm      owner of the timer              the wheel that it is in
 *   run         owner of the P, thieves; for    the wheel, to take a batch out; none to
 *               sysmon's wheel, sysmon          deliver it
 *   leave       the thread that retires the P   the P's wheel, then sysmon's
 *
 * The owner of a timer is the goroutine, for the timer in its descriptor; for a timer of
 * the program, the thread that holds that timer's lock. A timer is never armed twice.
 *
 * When a goroutine's timer is due, the firing thread tries the goroutine's claim under
 * the wheel's lock, and drops the timer if it loses: see 'Claim' in sched/claim.h. So
 * nothing is in flight for which the goroutine would have to wait: once its timer is in
 * no wheel, no other thread touches it.
 *
 * For other timers, the firing thread copies (timer, tag) under the lock and calls
 * fire(timer, tag, now) without it. By then the timer may have been armed again or
 * cancelled; its owner detects that by the tag, and keeps its memory until fire() is
 * called. An armed timer holds a reference: disarming returns it to the caller, firing
 * passes it to fire(). When the runtime ends, fire(timer, tag, RT_TIMER_DROPPED) is
 * called for timers that are still armed.
 */
#include "base/compiler.h"
#include "base/wheel.h"
#include "os/os.h"
#include "sched/p.h"
#include <stdbool.h>

struct rt_g;

/* Passed as now, which is otherwise positive. */
#define RT_TIMER_DROPPED 0

/* Arms t, which is not armed; when_ns is not RT_WHEEL_NEVER. Any thread of the runtime, or
   a foreign thread between rt_enter() and rt_leave(). */
void rt_timer_arm(struct rt_timer *t, int64_t when_ns);

/* Returns true if t was armed; it will not fire then. Any thread, as above. */
bool rt_timer_disarm(struct rt_timer *t);

/* In a commit function, after g's registers are saved. At when_ns the timer wakes g, unless
   another waker has won the claim of ticket. */
void rt_timer_arm_g(struct rt_g *g, uint32_t ticket, int64_t when_ns);

/* g itself, after a wait for which rt_timer_arm_g() was called. */
void rt_timer_disarm_g(struct rt_g *g);

/* True if a timer of p is due. Reads the clock only if a timer is armed. */
static inline bool rt_timers_are_due(const struct rt_p *p, int64_t *now_ns) {
    /* relaxed: exact for the owner, a hint for thieves; the wheel's lock decides */
    int64_t timer_ns = rt_load_rlx(&p->clock.next_ns);
    return timer_ns != RT_WHEEL_NEVER && timer_ns <= (*now_ns = os_now());
}

/* Owner. True if timers are to be fired now: goroutines run until turn_until_ns even if
   timers are due. *now_ns is 0 if no timer is armed. */
static inline bool rt_timers_have_turn(struct rt_p *p, int64_t *now_ns) {
    *now_ns = 0;
    bool due = rt_timers_are_due(p, now_ns);
    if (*now_ns != 0) {
        rt_store_rlx(&p->looked_ns, *now_ns); /* relaxed: a hint for sysmon */
    }
    return due && *now_ns >= p->turn_until_ns;
}

/* How many timers other than those of goroutines are taken at a time. */
#define RT_TIMERS_BATCH_OTHERS 64

/* What was taken out of a wheel and must be delivered: see runtimer.c. */
struct rt_timers_batch {
    struct rt_g *goroutines; /* claimed; the one that was due first is last */
    bool more;               /* more timers may be due */
    uint32_t others_count;
    struct {
        struct rt_timer *timer;
        uint32_t tag;
    } others[RT_TIMERS_BATCH_OTHERS];
};

/* On a scheduler stack. Takes some timers of p that are due at now_ns into *b. False: the
   caller is a thief, and the wheel's lock is taken. */
bool rt_timers_take(struct rt_p *p, int64_t now_ns, bool is_owner,
                    struct rt_timers_batch *b) RT_NODISCARD;

/* Sysmon. The same for its own wheel. The caller delivers *b before the next call: until
   then the clock of the wheel does not change, see 'Clocks' in timers.c. */
void rt_timers_take_sysmon(int64_t now_ns, struct rt_timers_batch *b);

/* Owner of p, which is being retired. Moves all timers of p to sysmon's wheel. Any
   thread, also in a signal handler. */
void rt_timers_leave(struct rt_p *p);

/* Called before the runtime runs. Reserves memory for the wheels; -ENOMEM. */
int rt_timers_begin(void) RT_NODISCARD;

/* Sets up the wheel of a new P. */
void rt_timers_make(struct rt_p *p);

/* Called after the runtime has ended. Drops all timers and frees the wheels. */
void rt_timers_free(void);

#endif
