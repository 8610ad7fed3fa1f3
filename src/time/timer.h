/* SPDX-License-Identifier: MIT */
/* Timers of the runtime: armed, disarmed from any thread, fired by the scheduler. */
#ifndef RT_TIME_TIMER_H
#define RT_TIME_TIMER_H

/*
 * Every P has a timing wheel of its own, and the monitor has one. A timer is always armed
 * in the wheel of the caller's P, wherever it was before; threads without a P use the
 * monitor's. So only its owner can make a P's next deadline earlier, and an M that sleeps
 * until that deadline never has to be woken for a new one.
 *
 *   operation   who                             takes
 *   ---------   -----------------------------   ------------------------------------------
 *   arm         whoever owns the timer          the lock of the wheel it goes to
 *   disarm      whoever owns the timer          the lock of the wheel that it is in
 *   run         a P's owner, thieves; for the   the wheel's lock, to take a batch out; none
 *               monitor's, the monitor          to deliver it
 *   leave       who takes a P out of use        its wheel's lock, and then the monitor's
 *
 * "Owns": the goroutine for the timer in its descriptor; for a timer of the program,
 * whoever holds that timer's lock. A timer is never armed twice.
 *
 * When a goroutine's timer is due, its claim is tried under the wheel's lock, and who loses
 * leaves: see 'Claim' in sched/wait.h. So nothing is in flight that the goroutine would
 * have to wait for: once it finds its timer in no wheel, nobody touches it any more.
 *
 * For other timers, (timer, tag) is copied under the lock and fire(timer, tag, now) called
 * without it: at that time the timer may have been armed anew, or be unwanted. Its owner
 * tells that by the tag, and keeps its memory until fire() has come: an armed timer has a
 * reference, which disarming gives back to its caller, and firing to fire(). When the
 * runtime ends, those that are still armed are let go by fire(timer, tag,
 * RT_TIMER_DROPPED).
 */
#include "base/compiler.h"
#include "base/wheel.h"
#include <stdbool.h>

struct rt_g;
struct rt_p;

/* In place of the time, which is always positive. */
#define RT_TIMER_DROPPED 0

/* Arms t, which is not armed; when_ns is not RT_WHEEL_NEVER. Any thread of the runtime;
   others between rt_enter() and rt_leave(). */
void rt_timer_arm(struct rt_timer *t, int64_t when_ns);

/* True: it was armed, and will not fire. Any thread, as above. */
bool rt_timer_disarm(struct rt_timer *t);

/* In a commit function, after g's registers are saved: at when_ns g is woken, if nobody
   else has won the claim of ticket. */
void rt_timer_arm_g(struct rt_g *g, uint32_t ticket, int64_t when_ns);

/* g itself, after a wait for which the above was called. */
void rt_timer_disarm_g(struct rt_g *g);

/* On a scheduler stack. Fires a batch of the timers of p that are due at now_ns;
   goroutines become runnable on the caller's P. Who is not the owner of p gives way to
   whoever is at it. False: there was none. */
bool rt_timers_run(struct rt_p *p, int64_t now_ns, bool is_owner);

/* The monitor. Fires all its own timers that are due at now_ns. */
void rt_timers_run_monitor(int64_t now_ns);

/* All timers of p, which is in the caller's hands and goes out of use, are the monitor's
   from here on. Any thread; a signal handler as well. */
void rt_timers_leave(struct rt_p *p);

/* Makes room for the wheels, before the runtime runs. -ENOMEM. */
int rt_timers_begin(void) RT_NODISCARD;

/* Gives a new P its wheel. */
void rt_timers_make(struct rt_p *p);

/* After it has ended: lets go of all timers and frees the wheels. */
void rt_timers_free(void);

#endif
