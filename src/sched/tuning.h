/* SPDX-License-Identifier: MIT */
/* The scheduler's constants in nanoseconds, each with its reason. Those of sysmon's looks
   are in sysmon.c and retake.c. */
#ifndef RT_SCHED_TUNING_H
#define RT_SCHED_TUNING_H

#include <stdint.h>

#define RT_US ((int64_t)1000)
#define RT_MS (1000 * RT_US)
#define RT_S  (1000 * RT_MS)

/* Waking: park.c, findrunnable.c. */

/* A waker that goes on for longer after a wake-up keeps the woken goroutine waiting: see
   'Habits' in park.c. */
#define RT_GOES_ON_NS (2 * RT_US)

/* A thief takes the G in a runnext after it has been there for that long without its P
   scheduling anything. A waker that waits for its answer needs a fiftieth of that. */
#define RT_RUNNEXT_AGE_NS (3 * RT_US)

/* Sleeping: stopm.c, startm.c, lockedm.c. */

/* How long an M searches or watches its note before it sleeps: less than a wake-up costs.
   For the only spare M, and for one whose locked goroutine waits, it is the same: two
   goroutines that talk to each other need their Ms sooner. */
#define RT_LINGER_NS (20 * RT_US)

/* How long before a timer is due an M wakes up, at most: what watching the clock may
   cost. */
#define RT_WATCH_NS (25 * RT_US)

/* The shortest sleep that is worth it. */
#define RT_SLEEP_MIN_NS (10 * RT_US)

/* How soon an M tries again to take its P back, while wakers claim theirs. */
#define RT_COME_BACK_NS (20 * RT_US)

/* A P that has been idle for this long returns its caches. */
#define RT_CACHE_IDLE_NS RT_S

/* An M that has been spare for this long ends, which frees its stack. */
#define RT_MIDLE_NS (5 * RT_S)

/* Announced calls: entersyscall.c. */

/* A call shorter than this was not worth giving the P up for. */
#define RT_CALL_SHORT_NS (20 * RT_US)

/* Timers: look.h, runtimer.h, findrunnable.c. */

/* How often a P with timers reads the clock, which takes about 30 ns. */
#define RT_LOOK_NS (20 * RT_US)

/* How long timers are fired before goroutines run. */
#define RT_TIMERS_SLICE_NS RT_MS

/* How long goroutines run between two such slices; at least one of them. */
#define RT_TIMERS_BREAK_NS (RT_TIMERS_SLICE_NS / 8)

/* How long a thief fires the timers of another P before it looks for other work. */
#define RT_TIMERS_THIEF_NS (RT_TIMERS_SLICE_NS / 8)

/* How long a P that helps another with its timers tries to get their lock. The owner takes
   the lock again a few microseconds after each release. */
#define RT_TIMERS_HELP_NS (100 * RT_US)

/* The global queue: see 'Age' in globq.c. */

/* When a chunk counts as aged. */
#define RT_GLOBQ_AGED_NS (10 * RT_MS)

/* How long the aged chunks take to drain. If they drained faster, goroutines that spawn
   would be run breadth first. */
#define RT_GLOBQ_DRAIN_NS (40 * RT_MS)

/* The poller: netpoll.c, pollset.c. */

/* How long no P has polled before a P with goroutines does. */
#define RT_NETPOLL_DUE_NS (100 * RT_US)

/* How long no P has polled before sysmon does: longer, so that a P with goroutines is
   first. */
#define RT_NETPOLL_STALE_NS (300 * RT_US)

/* How long a ring may be full at each poll before the P polls all the same. */
#define RT_NETPOLL_FULL_NS (2 * RT_MS)

/* Work that a P finishes in less time is not worth another thread: see 'Waking others'. */
#define RT_NETPOLL_WORTH_NS RT_MS

/* Goroutines that take less time are short: see 'One server'. */
#define RT_NETPOLL_SHORT_NS (20 * RT_US)

/* Lack of threads and memory: newm.c, newmhandoff.c, preempt.c, thread.c, foreign.c. */

/* How soon the starter tries again to join a thread that has left the runtime, or to
   start one beyond max_threads. The interval doubles each time, because destructors of
   the program may run in the thread that ends. */
#define RT_STARTER_PAUSE_MIN_NS (100 * RT_US)
#define RT_STARTER_PAUSE_MAX_NS (10 * RT_MS)

/* How long goroutines may wait for a P that has no M, or whose M sleeps in the kernel,
   before the lack of threads is reported or ends the process. */
#define RT_STUCK_NS RT_S

/* The whole process may have been stopped for longer than RT_STUCK_NS. So if two looks
   are further apart than this, the time begins anew. */
#define RT_LACK_GAP_NS (100 * RT_MS)

/* How long sysmon waits for a new thread for a P that it takes, before the P goes straight
   to a stopped goroutine. */
#define RT_NO_SPARE_NS (5 * RT_MS)

/* Between tries to get memory for a wait, which cannot fail, or for a signal stack: other
   threads may free some meanwhile. */
#define RT_MEMORY_RETRY_NS RT_MS

/* The end of the runtime: thread.c. tuco_run() is to return within 100 ms. */

/* The CPU time that a goroutine which still runs gets to end or to call the library, and
   the time in all. */
#define RT_GRACE_CPU_NS (10 * RT_MS)
#define RT_GRACE_NS     (40 * RT_MS)

/* The time between two looks at such goroutines. */
#define RT_GRACE_LOOK_NS (5 * RT_MS)

/* Deadlocks: deadlock.c. */

/* How soon sysmon checks again while there are unknown threads. The interval doubles each
   time, because the check asks the kernel. */
#define RT_CHECKDEAD_MIN_NS (10 * RT_MS)
#define RT_CHECKDEAD_MAX_NS (10 * RT_S)

/* With TUCODEBUG=deadlock=1: how long all goroutines sleep before that is reported. */
#define RT_CHECKDEAD_QUIET_NS RT_S

#endif
