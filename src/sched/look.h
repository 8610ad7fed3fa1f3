/* SPDX-License-Identifier: MIT */
/* How often the owner of a P looks around: at the clock, the poller and other queues. */
#ifndef RT_SCHED_LOOK_H
#define RT_SCHED_LOOK_H

#include "sched/p.h"
#include "sched/tuning.h"
#include <stdbool.h>
#include <stdint.h>

/* Schedulings before the first look, to learn how long they take. */
#define RT_LOOK_SOON 8

static inline uint32_t rt_look_twice(uint32_t interval) {
    return interval < RT_LOOK_INTERVAL / 2 ? 2 * interval : RT_LOOK_INTERVAL;
}

/* Sets the interval such that the next look comes after RT_LOOK_NS if goroutines go on
   taking as long as since the last look; first if there was none. It at most doubles per
   look, because long goroutines may follow short ones. */
static inline void rt_look_set_interval(struct rt_look *look, int64_t now,
                                        uint32_t first) {
    int64_t most = rt_look_twice(look->interval);
    int64_t count = first;
    if (look->at_ns != 0) {
        count = RT_LOOK_NS * look->interval / (now > look->at_ns ? now - look->at_ns : 1);
    }
    look->interval = count == 0 ? 1 : (uint32_t)(count < most ? count : most);
}

/* While no timer is armed the interval doubles. */
static inline void rt_look_lengthen(struct rt_look *look) {
    if (look->at_ns == 0) {
        look->interval = rt_look_twice(look->interval);
    }
}

/* Starts the next countdown. Returns true at the 61st scheduling. */
static inline bool rt_look_count_down(struct rt_look *look) {
    bool all = look->left == 0;
    if (all) {
        rt_look_lengthen(look);
    }
    uint32_t left = all ? RT_LOOK_INTERVAL : look->left;
    look->countdown = look->interval < left ? look->interval : left;
    look->left = left - look->countdown;
    return all;
}

/* Makes the next look come after at most n schedulings. The 61st stays where it is. */
static inline void rt_look_within(struct rt_look *look, uint32_t n) {
    uint32_t sooner = look->countdown > n ? look->countdown - n : 0;
    look->countdown -= sooner;
    look->left += sooner;
}

/* Makes the 61st look, the one that returns true, come after at most n schedulings. */
static inline void rt_look_all_within(struct rt_look *look, uint32_t n) {
    look->countdown = look->countdown < n ? look->countdown : n;
    uint32_t rest = n - look->countdown;
    look->left = look->left < rest ? look->left : rest;
}

static inline void rt_look_both_within(struct rt_p *p, uint32_t n) {
    rt_look_within(&p->look, n);
    rt_look_within(&p->yielded_look, n);
}

/* Owner. The first timer of p has been armed: looks were rare while there was none. */
static inline void rt_look_soon(struct rt_p *p) {
    rt_look_both_within(p, RT_LOOK_SOON);
    p->next_countdown =
        p->next_countdown < RT_LOOK_SOON ? p->next_countdown : RT_LOOK_SOON;
}

#endif
