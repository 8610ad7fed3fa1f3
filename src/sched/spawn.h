/* SPDX-License-Identifier: MIT */
/* The beginning and the end of a goroutine. */
#ifndef RT_SCHED_SPAWN_H
#define RT_SCHED_SPAWN_H

#include "base/compiler.h"
#include "sched/g.h"

struct rt_p;

/* What a new goroutine is to be, beyond fn(arg). */
struct rt_spawn_options {
    const void *copy; /* arg points to a copy of this */
    size_t copy_bytes;
    const char *name;
    unsigned stack_log2; /* 0: the default */
    const void *pc;      /* where the program asked for it */
};

/* Makes a goroutine runnable, from any thread. Returns as tuco_go() does. */
int rt_spawn(tuco_fn *fn, void *arg, const struct rt_spawn_options *options) RT_NODISCARD;

/* The same for a timer, on a scheduler's stack or the monitor's, for a goroutine that the
   program asked for at pc in the goroutine creator_id. */
int rt_spawn_from_timer(tuco_fn *fn, void *arg, uint64_t creator_id, const void *pc)
    RT_NODISCARD;

/* Makes the main goroutine, in nobody's queue, out of the caches of p, which has no M
   yet. NULL: no memory. */
struct rt_g *rt_spawn_main(struct rt_p *p, tuco_fn *fn, void *arg);

/* A call to be made when its goroutine ends. */
struct rt_defer {
    struct rt_defer *next;
    tuco_fn *fn;
    void *arg;
    bool allocated; /* freed before the call; else it lies in a frame that outlives it */
};

/* The goroutine itself. The record is the caller's, and stays until the call has been
   made. */
void rt_defer_push(struct rt_g *g, struct rt_defer *d, tuco_fn *fn, void *arg);

/* The goroutine itself: makes all deferred calls, the last first. */
void rt_defer_run_all(struct rt_g *g);

/* Monitor: lets the goroutines that found no memory for a stack try again. */
void rt_spawn_feed_starved(void);

/* While it is held, no goroutine passes from the starved to the queued. */
void rt_spawn_starving_lock(void);
void rt_spawn_starving_unlock(void);

/* End of the runtime: forgets the goroutines that were left behind waiting for a
   stack. */
void rt_spawn_reset(void);

#endif
