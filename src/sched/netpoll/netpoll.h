/* SPDX-License-Identifier: MIT */
/* The poller: which thread polls the kernel for ready descriptors, and when. The essay is
   in netpoll.c. */
#ifndef RT_SCHED_NETPOLL_NETPOLL_H
#define RT_SCHED_NETPOLL_NETPOLL_H

#include "base/compiler.h"
#include "sched/globq.h"
#include <stdbool.h>

struct rt_m;
struct rt_p;

/* M whose P, p, is idle: takes the poller to sleep in it. False: another P serves the
   poller. */
bool rt_netpoll_take_to_sleep(const struct rt_p *p);

/* Whether p, which has nothing to run, defers to the P that polled last: leaves it the
   poller, and the goroutines that it keeps. See 'One server' in netpoll.c. A hint. */
bool rt_netpoll_defers(const struct rt_p *p);

/* m, on its scheduler stack, with a P that has nothing to run: polls without waiting.
   True: it has made goroutines runnable, so that the P's queue may have some. */
bool rt_netpoll_look(struct rt_m *m);

/* The same for a P that may have goroutines to run. */
void rt_netpoll_look_between(struct rt_m *m);

/* m has taken the poller, and its P, p_id, is published as idle. Sleeps in the poller.
   True: a waker woke m. False: the deadline has passed, or goroutines are ready, which it
   appends to ready. */
bool rt_netpoll_sleep(struct rt_m *m, uint32_t p_id, int64_t deadline_ns,
                      struct rt_glist *ready);

/* After rt_netpoll_sleep(): makes the goroutines of ready runnable on p, which the caller
   holds; NULL: in the global queue. */
void rt_netpoll_deliver(struct rt_p *p, struct rt_glist *ready);

/* Sysmon: when it has to poll itself, because the Ps are too busy; OS_NEVER: an M sleeps
   in the poller, or no thread waits for a descriptor. */
int64_t rt_netpoll_stale_ns(void);

/* Sysmon, which has taken the poller: sleeps in it until the deadline, and makes the
   goroutines of events runnable. */
void rt_netpoll_sysmon_sleep(int64_t deadline_ns);

/* The runtime has ended, and no thread polls any more: wakes foreign threads that wait
   for descriptors, so that they find no poller. none_inside: no foreign thread is inside,
   so that the kernel's set can be closed. */
void rt_netpoll_end(bool none_inside);

#endif
