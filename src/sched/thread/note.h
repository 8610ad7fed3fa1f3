/* SPDX-License-Identifier: MIT */
/* The note of an M: how it sleeps without a goroutine, and how it is woken. */
#ifndef RT_SCHED_THREAD_NOTE_H
#define RT_SCHED_THREAD_NOTE_H

/*
 * A note has four values: 0 awake, 1 asleep in the kernel, 2 woken, 3 asleep in the
 * poller. An M sets its note to 0 before it publishes itself to wakers: by its P's bit in
 * the set of idle Ps, in the list of spare Ms, as the M that is held back, or by
 * waits_lockedm. Exactly one thread takes the M from there, and owns the note then: only
 * this waker wakes the M, and before that it writes what the M is to find, such as its P.
 * It calls the kernel only if the M has gone to sleep: on the futex, or in the poller, by
 * rt_netpoll_break().
 *
 * Where. ('Where') A thread that gives its P away and then sleeps leaves its CPU to the
 * thread that it wakes. But the kernel does not know that yet, and puts the woken thread
 * where it slept before. If that CPU is busy, the two threads there share it for
 * milliseconds, while this one becomes idle. So among several Ms that would do, the waker
 * chooses one that went to sleep on this CPU, if it is among the first RT_NOTE_NEAR_MAX.
 *
 * Rejected: to set the affinity of the other thread to this CPU until it is awake. To undo
 * that would also undo changes that the program made meanwhile, and it gains nothing on a
 * busy machine. A pipe in place of the futex, which would wake the thread here by itself:
 * two descriptors for each thread.
 */
#include <stdbool.h>
#include <stdint.h>

struct rt_m;

#define RT_NOTE_NEAR_MAX 32
#define RT_NOTE_ANYWHERE (-1)

/* Any thread: the CPU that it is about to leave if m->hands_p_off is set, otherwise
   RT_NOTE_ANYWHERE. See 'Where'. */
int rt_note_near(void);

/* The M, before it publishes itself to wakers. */
void rt_note_reset(struct rt_m *m);

/* The waker, which owns the note. */
void rt_note_wake(struct rt_m *m);

/* The M. Spins on the note. True: woken; false: end_ns has passed. */
bool rt_note_watch(struct rt_m *m, int64_t end_ns);

/* The M. Sleeps. True: woken; false: the deadline has passed. */
bool rt_note_sleep(struct rt_m *m, int64_t deadline_ns);

/* The M. Until rt_note_poll_end() it is woken by rt_netpoll_break(). False: it has been
   woken already, and must not sleep. */
bool rt_note_poll_begin(struct rt_m *m);

/* The M, between the two. */
bool rt_note_is_woken(const struct rt_m *m);

/* The M. True: it has been woken. */
bool rt_note_poll_end(struct rt_m *m);

#endif
