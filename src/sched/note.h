/* SPDX-License-Identifier: MIT */
/* The note of an M: how it sleeps without a goroutine, and how it is woken. */
#ifndef RT_SCHED_NOTE_H
#define RT_SCHED_NOTE_H

/*
 * Four values: 0 awake, 1 asleep in the kernel, 2 woken, 3 asleep in the poller. An M sets its note to 0 before
 * it makes itself known to those who may wake it: by its P's bit in the map of idle Ps,
 * in the list of spare Ms, or by a goroutine that only it may run. Whoever takes it from
 * there, of whom there is only one, owns the note, and what else the M is to find when it
 * comes back: its P. The kernel is called only if the M got as far as sleeping there, by a
 * futex, or in the poller by rt_poll_break().
 *
 * Where. ('Where') A thread that gives its P away and then sleeps leaves its CPU to whom it
 * wakes. But the kernel, which does not know that yet, puts a thread where it slept before;
 * if that CPU is busy the two share it, for milliseconds, while this one has nothing to do.
 * So of several Ms that would do, one that went to sleep on this CPU is chosen, if it is
 * among the first RT_NOTE_NEAR_MAX. And who is stopped by a signal, or lets one that was go
 * on, which happens every few milliseconds, brings the other one to this CPU: for as long as
 * it takes to wake up, it may run nowhere else. A pipe would wake it here by itself, but
 * takes two descriptors for each thread. Wired goroutines are not brought: those that talk
 * to each other do better on two CPUs.
 */
#include <stdbool.h>
#include <stdint.h>

struct rt_m;

#define RT_NOTE_NEAR_MAX 32
#define RT_NOTE_ANYWHERE (-1)

/* Any thread: the CPU that it is about to leave, or RT_NOTE_ANYWHERE if it does not say that
   it is: m->gives_way. See 'Where'. */
int rt_note_near(void);

/* The M, before it makes itself known. */
void rt_note_reset(struct rt_m *m);

/* Its owner: wakes the M. */
void rt_note_wake(struct rt_m *m);

/* The M. Watches the note until it is woken, true, or until that time, false. */
bool rt_note_watch(struct rt_m *m, int64_t end_ns);

/* The M. Sleeps until it is woken, true, or until the deadline, false. */
bool rt_note_sleep(struct rt_m *m, int64_t deadline_ns);

/* The M. From here to rt_note_poll_end() it is woken by rt_poll_break(). False: it has been
   woken by now, and does not sleep. */
bool rt_note_poll_begin(struct rt_m *m);

/* The M, in between. */
bool rt_note_is_woken(const struct rt_m *m);

/* The M. True: it has been woken. */
bool rt_note_poll_end(struct rt_m *m);

#endif
