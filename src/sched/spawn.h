/* SPDX-License-Identifier: MIT */
/* Spawn and end of a goroutine. */
#ifndef RT_SCHED_SPAWN_H
#define RT_SCHED_SPAWN_H

#include "base/compiler.h"
#include "base/die.h"
#include "sched/g.h"

struct rt_p;

/* Options of a new goroutine, besides fn(arg). */
struct rt_spawn_options {
    const void *copy; /* not NULL: fn gets a pointer to a copy of this instead of arg */
    size_t copy_bytes;
    const char *name;
    unsigned stack_log2; /* 0: the default */
    const void *pc;      /* return address of the public call */
};

/* Any thread. Ends the process if there is no function for a goroutine. */
static inline void rt_spawn_check(bool has_function) {
    if (unlikely(!has_function)) {
        rt_fatal("go of nil func value");
    }
}

/* Any thread. Spawns a goroutine. Returns what tuco_go() returns. */
int rt_spawn(tuco_fn *fn, void *arg, const struct rt_spawn_options *options) RT_NODISCARD;

/* The same for a timer, on a scheduler stack or sysmon's. creator_id and pc say which
   goroutine set the timer and where. */
int rt_spawn_from_timer(tuco_fn *fn, void *arg, uint64_t creator_id, const void *pc)
    RT_NODISCARD;

/* Makes the main goroutine from the caches of p, which has no M yet. Does not queue it.
   NULL: no memory. */
struct rt_g *rt_spawn_main(struct rt_p *p, tuco_fn *fn, void *arg);

/* A deferred call. The goroutine itself. */
struct rt_defer {
    struct rt_defer *next;
    tuco_fn *fn;
    void *arg;
    bool allocated; /* freed before the call; else in a frame that outlives the call */
};

/* The goroutine itself. The caller keeps d until the call has been made. */
void rt_defer_push(struct rt_g *g, struct rt_defer *d, tuco_fn *fn, void *arg);

/* The goroutine itself. Makes all deferred calls, the last first. */
void rt_defer_run_all(struct rt_g *g);

/* The goroutine itself, in its last deferred call. Enters the runtime until the end: the
   goroutine can no longer be preempted or lose its P. So if main learns of that call and
   returns, it does not leave this goroutine behind. */
void rt_end_begin(void);

#endif
