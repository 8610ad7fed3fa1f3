/* SPDX-License-Identifier: MIT */
/* The set of descriptors that the kernel watches, and the thread that has taken it. */
#include "sched/netpoll/pollset.h"
#include "base/lock.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"
#include "sched/tuning.h"

#include <errno.h>

struct rt_netpoll_shared rt_netpoll_shared;
struct os_poll rt_netpoll_set;

static struct {
    /* Atomic. */
    rt_atomic(uint32_t) taken;
    rt_atomic(uint32_t) sleeper;  /* see rt_netpoll_sleeper() */
    rt_atomic(int64_t) looked_ns; /* when a P polled last, or an M was woken to poll */
    rt_atomic(uint32_t) looker;   /* that P; RT_NETPOLL_NO_P: the woken M has not yet */
} poller RT_CACHE_ALIGNED = {.sleeper = RT_NETPOLL_NO_P};

static struct {
    struct rt_lock lock;  /* guards what follows, and making the poller */
    uint32_t last_number; /* 0 is skipped when it wraps */
} making = {.lock = RT_LOCK_INIT(poll)};

/* Descriptors */

static int make_locked(void) {
    if (rt_netpoll_number() != 0) {
        return 0;
    }
    if (rt_phase_now() != RT_RUNNING) {
        return -ESRCH;
    }
    int error = os_poll_make(&rt_netpoll_set);
    if (error == 0) {
        making.last_number += making.last_number == UINT32_MAX ? 2 : 1;
        /* relaxed, both: no thread polls yet; published by the number */
        rt_store_rlx(&poller.looked_ns, os_now());
        rt_store_rlx(&poller.looker, RT_NETPOLL_NO_P);
        /* release: publishes the set. Pairs with the acquire in poller_ensure(). */
        rt_store_rel(&rt_netpoll_shared.number, making.last_number);
    }
    return error;
}

/* Makes the poller if there is none. Inside, so that the runtime does not end
   meanwhile. */
static int poller_ensure(uint32_t *number) {
    /* acquire: the set. Pairs with make_locked(). */
    *number = rt_load_acq(&rt_netpoll_shared.number);
    if (likely(*number != 0)) {
        return 0;
    }
    rt_lock(&making.lock);
    int error = make_locked();
    *number = rt_netpoll_number();
    rt_unlock(&making.lock);
    return error;
}

int rt_netpoll_add(int fd, uint64_t token, uint32_t *number) {
    rt_enter();
    int error = poller_ensure(number);
    if (error == 0) {
        /* sc: before the kernel can report; see 'Some thread polls'. release: publishes
           the set. Pairs with rt_netpoll_wanted(). */
        rt_add_sc(&rt_netpoll_shared.watched, 1);
        error = os_poll_add(&rt_netpoll_set, fd, token);
        if (error != 0) {
            rt_sub_sc(&rt_netpoll_shared.watched, 1);
        }
    }
    rt_leave();
    return error;
}

void rt_netpoll_remove(int fd, uint32_t number) {
    rt_enter();
    if (number != 0 && rt_netpoll_number() == number) {
        os_poll_remove(&rt_netpoll_set, fd);
        rt_sub_sc(&rt_netpoll_shared.watched, 1);
    }
    rt_leave();
}

/* Polling */

bool rt_netpoll_take(void) {
    /* relaxed: the swap decides. acquire: takes over the events. Pairs with
       rt_netpoll_give(). */
    return rt_load_rlx(&poller.taken) == 0 && rt_swap_acqrel(&poller.taken, 1) == 0;
}

void rt_netpoll_give(void) {
    /* release: hands over the events. Pairs with rt_netpoll_take(). */
    rt_store_rel(&poller.taken, 0);
}

bool rt_netpoll_is_taken(void) {
    return rt_load_rlx(&poller.taken) != 0; /* relaxed: a hint */
}

int64_t rt_netpoll_stamp(uint32_t p_id) {
    int64_t now = os_now();
    rt_store_rlx(&poller.looker, p_id); /* relaxed, both: hints */
    rt_store_rlx(&poller.looked_ns, now);
    return now;
}

uint32_t rt_netpoll_looker(void) {
    return rt_load_rlx(&poller.looker); /* relaxed: a hint */
}

int64_t rt_netpoll_looked_ns(void) {
    return rt_load_rlx(&poller.looked_ns); /* relaxed: a hint */
}

void rt_netpoll_remind(struct rt_p *p) {
    if (rt_netpoll_wanted() && !rt_netpoll_is_taken() &&
        os_now() - rt_netpoll_looked_ns() >= RT_NETPOLL_DUE_NS) {
        rt_attention_set(p, RT_ATTENTION_NETPOLL);
    }
}

/* Sleeping */

uint32_t rt_netpoll_sleeper(void) {
    return rt_load_rlx(&poller.sleeper); /* relaxed: a hint */
}

void rt_netpoll_set_sleeper(uint32_t p_id) {
    rt_store_rlx(&poller.sleeper, p_id); /* relaxed: a hint */
}

void rt_netpoll_break(void) {
    os_poll_wake(&rt_netpoll_set);
}

/* The end */

/* Under the lock: a thread that is about to make a poller has done so, or finds that the
   runtime does not run. */
bool rt_netpoll_forget(void) {
    rt_lock(&making.lock);
    bool there = rt_netpoll_number() != 0;
    rt_swap_sc(&rt_netpoll_shared.number, 0); /* sc: atomic; the lock orders it */
    rt_unlock(&making.lock);
    return there;
}

void rt_netpoll_free(void) {
    rt_store_rlx(&rt_netpoll_shared.watched, 0); /* relaxed: no other thread is left */
    os_poll_free(&rt_netpoll_set);
}
