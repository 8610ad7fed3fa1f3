/* SPDX-License-Identifier: MIT */
/* Who asks the kernel which descriptors are ready, and when. */
#include "sched/poll.h"
#include "base/die.h"
#include "base/lock.h"
#include "net/polldesc.h"
#include "sched/crowd.h"
#include "sched/enter.h"
#include "sched/foreign.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/note.h"
#include "sched/park.h"
#include "sched/sched.h"

#include <errno.h>

/*
 * Problem. What the kernel has to tell of descriptors it tells to who asks. If all
 * threads compute nobody does, and a connection waits for as long as they do; if a thread
 * does nothing but ask, each message costs two wake-ups, the asker's and that of who
 * handles it.
 *
 * Rejected. A thread of its own for polling: the two wake-ups. A set for each P, with the
 * descriptors of its goroutines in it: a goroutine that is stolen leaves its descriptors
 * behind, and a P that computes is not asked. Go's way, an idle thread or, every 10 ms,
 * the monitor: a ready goroutine is invisible for that long while all are busy.
 *
 * The way taken. One set, and one thread at a time that polls, which has "taken the
 * poller". Events are then told once, and to who is there. There are four who do it:
 *
 *     a P that has run out of goroutines      looks, before it steals, and runs what it
 *                                             finds
 *     an idle M                               sleeps there in place of its note, until the
 *                                             first timer of its P is due
 *     a P that has goroutines                 looks if nobody has for DUE_NS; it reads the
 *                                             clock for that at every 61st scheduling, and
 *                                             at every 8th wait for a descriptor
 *     the monitor                             sleeps there in place of its futex, if nobody
 *                                             else does, and no P has looked for STALE_NS
 *
 * So a server that is busy polls as a plain loop around epoll_wait() would, between two
 * rounds of its connections, and wakes no thread for it; one that waits does so in one
 * thread, which runs what it was woken for; and while all Ps compute the monitor is told.
 * As long as they see to the poller it looks more and more seldom whether they still do, up
 * to some milliseconds apart: see plan_polling() in monitor.c. What the monitor finds is
 * urgent: it goes to the head of the global queue, the Ps are asked to look there at their
 * next scheduling, and one that does not come to that is stopped: see retake.c. If a P is
 * idle, the one that is woken is left to poll.
 *
 * Sleeping. An M that sleeps in the poller is idle as any other: its P's bit is set, and
 * who clears it owns the M's note. Only the way to wake it is another, which its note
 * says: see note.h. A wake-up goes to the set, and so to the thread that sleeps there,
 * which may be another one by then, or the next one to come: that one looks at its note,
 * and sleeps on. The right one is not missed, since it sleeps there: nobody else polls
 * before it has returned.
 *
 * Nobody polls. ('Nobody polls') If somebody waits for a descriptor, then one sleeps in
 * the poller, or a P is busy, or the monitor is about to look: as long as a P is busy the
 * monitor has a deadline, and it goes dormant only if all are idle, and then in the
 * poller, unless somebody is there. After that:
 *   - who leaves the poller gives it back, and then pokes the monitor, or has a P, for
 *     which the monitor was poked
 *   - a goroutine that waits has a P until then; a foreign thread pokes the monitor
 *     itself
 * Poking and going dormant have their fences: see monitor.h.
 *
 * Waking others. Goroutines that are ready lie in the ring of whoever polled. To wake a
 * thread for them costs some microseconds here and up to fifty until it comes; a message
 * is often handled in five. So a P measures how long its goroutines take, on the average,
 * until the next one comes from its ring. If it will be through with all in the ring in less
 * than WORTH_NS it keeps them: nobody is woken, see rt_runq_keep(). If it is mistaken, it
 * finds out at its next look; if it does not come to that, the monitor sees to it as it does
 * for the next slot.
 *
 * Crowded. If there is no CPU for another thread, see crowd.c, one that comes nevertheless
 * only takes the others' turns. Then a P keeps what it will be through with before the
 * kernel would change its turns, and who has nothing to do leaves the descriptors to the P
 * that has looked last, and what is kept to who keeps it, for as long as that P is busy and
 * has looked within STALE_NS. If it does not look again, because it computes, the monitor
 * does.
 *
 * The end. Ms and monitor are gone when the set is closed, and foreign threads are kept
 * out. One that was about to wait finds READY in its descriptor, tries again, and is told
 * that there is no poller: see rt_poll_end().
 */

/* After how long without a look a P with many short goroutines looks, and the monitor. */
#define DUE_NS   ((int64_t)100 * 1000)
#define STALE_NS ((int64_t)300 * 1000)

/* So often a P whose goroutines wait for descriptors reads the clock for that. */
#define REMIND_INTERVAL 8

/* What is over before another thread would be there; and if that has to wait for a CPU. */
#define WORTH_NS         ((int64_t)200 * 1000)
#define WORTH_CROWDED_NS ((int64_t)3000 * 1000)

/* How long a ring may be full at each look before some are polled all the same, and how
   many. */
#define FULL_NS     ((int64_t)2000 * 1000)
#define FULL_EVENTS 16

/* What was measured last counts an eighth. */
#define PACE_SHIFT 3

struct rt_poll_shared rt_poll_shared;

static struct {
    struct os_poll set; /* valid from when there is a number until rt_poll_end() */

    /* Atomic. */
    rt_atomic(uint32_t) taken;
    rt_atomic(uint32_t) sleeper;       /* see rt_poll_sleeper() */
    rt_atomic(int64_t) looked_ns;      /* when a P has looked last, */
    rt_atomic(uint32_t) looker;        /* and which; RT_POLL_NO_P: it is about to */
    rt_atomic(uint64_t) foreign_begun; /* waits of foreign threads */
    rt_atomic(uint64_t) foreign_ended;

    /* Who has taken it. */
    struct os_poll_event events[OS_POLL_EVENTS_MAX];
} poller RT_CACHE_ALIGNED = {.sleeper = RT_POLL_NO_P};

static struct {
    struct rt_lock lock;  /* guards what follows, and that there is one poller */
    uint32_t last_number; /* 0 is left out when it comes around */
} making = {.lock = RT_LOCK_INIT(poll)};

/* Descriptors */

static int make_locked(void) {
    if (rt_poll_number() != 0) {
        return 0;
    }
    if (rt_phase_now() != RT_RUNNING) {
        return -ESRCH;
    }
    int error = os_poll_make(&poller.set);
    if (error == 0) {
        making.last_number += making.last_number == UINT32_MAX ? 2 : 1;
        /* relaxed, both: nobody looks yet; published by the number */
        rt_store_rlx(&poller.looked_ns, os_now());
        rt_store_rlx(&poller.looker, RT_POLL_NO_P);
        /* release: the set. Pairs with the lock, and with rt_poll_add(). */
        rt_store_rel(&rt_poll_shared.number, making.last_number);
    }
    return error;
}

/* Inside, so that the runtime does not end meanwhile. */
static int be_there(uint32_t *number) {
    *number = rt_load_acq(&rt_poll_shared.number); /* acquire: pairs with make_locked() */
    if (likely(*number != 0)) {
        return 0;
    }
    rt_lock(&making.lock);
    int error = make_locked();
    *number = rt_poll_number();
    rt_unlock(&making.lock);
    return error;
}

int rt_poll_add(int fd, const struct rt_polldesc *d, uint32_t *number) {
    rt_enter();
    int error = be_there(number);
    if (error == 0) {
        /* sc, before the kernel can tell: see 'Nobody polls'. release: the set. Pairs
           with rt_poll_wanted(). */
        rt_add_sc(&rt_poll_shared.watched, 1);
        error = os_poll_add(&poller.set, fd, rt_polldesc_token(d));
        if (error != 0) {
            rt_sub_sc(&rt_poll_shared.watched, 1);
        }
    }
    rt_leave();
    return error;
}

void rt_poll_remove(int fd, uint32_t number) {
    rt_enter();
    if (number != 0 && rt_poll_number() == number) {
        os_poll_remove(&poller.set, fd);
        rt_sub_sc(&rt_poll_shared.watched, 1);
    }
    rt_leave();
}

/* Those who wait, counted as goroutines are in rt_sched_live(): per P, and without
   contention. */

void rt_poll_wait_begin(void) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        struct rt_p *p = m->p;
        rt_p_count(&p->polls_begun);
        if (p->poll_countdown-- == 0) {
            p->poll_countdown = REMIND_INTERVAL - 1;
            rt_poll_remind(p);
        }
        return;
    }
    rt_add_sc(&poller.foreign_begun, 1); /* sc: before the monitor is looked at */
    rt_monitor_poke();
}

void rt_poll_wait_end(void) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_p_count(&m->p->polls_ended);
    } else {
        rt_add_sc(&poller.foreign_ended, 1);
    }
}

/* acquire, all: pair with the release in rt_p_count(), and with foreign threads. */

uint64_t rt_poll_waits_ended(void) {
    uint32_t made = rt_sched_made();
    uint64_t ended = rt_load_acq(&poller.foreign_ended);
    for (uint32_t i = 0; i < made; i++) {
        ended += rt_load_acq(&rt_sched.ps[i].polls_ended);
    }
    return ended;
}

bool rt_poll_awaited(uint64_t ended) {
    uint32_t made = rt_sched_made();
    uint64_t begun = rt_load_acq(&poller.foreign_begun);
    for (uint32_t i = 0; i < made; i++) {
        begun += rt_load_acq(&rt_sched.ps[i].polls_begun);
    }
    return begun != ended;
}

/* Polling */

bool rt_poll_take(void) {
    /* relaxed: the swap decides. acquire: the events are the caller's. Pairs with
       rt_poll_give(). */
    return rt_load_rlx(&poller.taken) == 0 && rt_swap_acqrel(&poller.taken, 1) == 0;
}

void rt_poll_give(void) {
    rt_store_rel(&poller.taken, 0); /* release: pairs with rt_poll_take() */
}

/* Who has taken it. max: what there is room for in a ring; the kernel keeps the others,
   in the order in which they became ready. */
static void collect(int max, int64_t deadline_ns, struct rt_glist *ready) {
    int n = os_poll_wait(&poller.set, poller.events, max, deadline_ns);
    if (unlikely(n < 0)) {
        rt_fatal("the poller fails with error %d: was its descriptor, which is the "
                 "library's, closed?",
                 -n);
    }
    for (int i = 0; i < n; i++) {
        const struct os_poll_event *e = &poller.events[i];
        rt_polldesc_events(rt_polldesc_of(e->token), rt_polldesc_generation(e->token),
                           e->events, ready);
    }
}

static int64_t stamp(uint32_t p_id) {
    int64_t now = os_now();
    rt_store_rlx(&poller.looker, p_id); /* relaxed, both: hints */
    rt_store_rlx(&poller.looked_ns, now);
    return now;
}

void rt_poll_remind(struct rt_p *p) {
    /* relaxed, both: hints */
    if (rt_poll_wanted() && rt_load_rlx(&poller.taken) == 0 &&
        os_now() - rt_load_rlx(&poller.looked_ns) >= DUE_NS) {
        /* acq_rel: stronger than needed; the owner, this thread, sees it next. */
        rt_or_acqrel(&p->attention, RT_ATTENTION_POLL);
    }
}

/* Waking: see 'Waking others'. */

/* All that came from the ring since the last look took the time since then, with what they
   have woken. One that took far longer than usual was perhaps interrupted: it counts for no
   more than twice the usual. */
static void measure(struct rt_p *p, int64_t now) {
    struct rt_pace *pace = &p->pace;
    uint32_t count = rt_load_rlx(&p->schedtick) - pace->slices; /* relaxed: own */
    if (pace->since_ns != 0 && count > 0) {
        int64_t each_ns = (now - pace->since_ns) / count;
        int64_t usual_ns = pace->each_ns > 0 ? pace->each_ns : each_ns;
        each_ns = each_ns < 2 * usual_ns ? each_ns : 2 * usual_ns;
        pace->each_ns = usual_ns + ((each_ns - usual_ns) >> PACE_SHIFT);
    }
    pace->since_ns = now;
    pace->slices += count;
}

/* p has been idle. */
static void measure_anew(struct rt_p *p) {
    p->pace.since_ns = os_now();
    p->pace.slices = rt_load_rlx(&p->schedtick); /* relaxed: own */
}

/* True: p will be through with what its ring has, and count more, before another thread
   would be there. */
static bool will_keep(const struct rt_p *p, uint32_t count) {
    bool crowded =
        rt_crowded(rt_idle_busy(rt_load_rlx(&rt_idle.word))); /* relaxed: a hint */
    return p->pace.each_ns > 0 && p->pace.each_ns * (rt_runq_length(&p->runq) + count) <
                                      (crowded ? WORTH_CROWDED_NS : WORTH_NS);
}

static void deliver_to(struct rt_p *p, struct rt_glist *ready) {
    rt_ready_in_order(p, ready, will_keep(p, ready->count));
}

void rt_poll_deliver(struct rt_p *p, struct rt_glist *ready) {
    if (p == NULL) {
        rt_ready_in_order(NULL, ready, false /* for others */);
        return;
    }
    measure_anew(p);
    deliver_to(p, ready);
}

/* False: nobody waits for a descriptor, or somebody else polls. */
static bool look(uint32_t max, struct rt_glist *ready) {
    if (!rt_poll_wanted() || !rt_poll_take()) {
        return false;
    }
    collect(max < OS_POLL_EVENTS_MAX ? (int)max : OS_POLL_EVENTS_MAX,
            0 /* without waiting */, ready);
    rt_poll_give();
    return true;
}

static uint32_t room_in(const struct rt_runq *q) {
    return RT_RUNQ_SLOTS - rt_runq_length(q);
}

/* See 'Crowded'. own: 1 if p counts among the busy ones. The one that looked last is to be
   another: p will not do so again. */
static bool is_left_to_others(const struct rt_p *p, uint32_t own) {
    /* relaxed, all: hints; see 'Nobody polls' */
    if (likely(!rt_crowded(rt_idle_busy(rt_load_rlx(&rt_idle.word)) - own))) {
        return false;
    }
    uint32_t looker = rt_load_rlx(&poller.looker);
    return looker != p->id && looker != RT_POLL_NO_P && !rt_idle_has(looker) &&
           os_now() - rt_load_rlx(&poller.looked_ns) < STALE_NS;
}

bool rt_poll_is_left_to_others(const struct rt_p *p) {
    return is_left_to_others(p, 1);
}

bool rt_poll_look(struct rt_m *m) {
    struct rt_glist ready = {.first = NULL};
    struct rt_p *p = m->p;
    if (!is_left_to_others(p, 1) && look(room_in(&p->runq), &ready)) {
        int64_t now = stamp(p->id);
        measure(p, now);
        rt_crowd_look(m, now);
    }
    if (ready.count == 0) {
        p->pace.since_ns = 0; /* what follows is no goroutine's time */
        return false;
    }
    deliver_to(p, &ready);
    return true;
}

/* The kernel keeps what it has, since those in the ring come first. But not for ever:
   they may be others, that only yield. */
static void look_over_full_ring(struct rt_p *p) {
    struct rt_glist ready = {.first = NULL};
    int64_t now = stamp(p->id);
    if (p->pace.full_ns == 0) {
        p->pace.full_ns = now;
    } else if (now - p->pace.full_ns >= FULL_NS && look(FULL_EVENTS, &ready)) {
        p->pace.full_ns = now;
        rt_ready_urgent(&ready);
    }
}

/* They take longer than was expected of them. */
static void keep_no_more(struct rt_p *p) {
    if (rt_runq_kept(&p->runq) > 0) {
        rt_runq_keep_none(&p->runq);
        rt_idle_notify(1);
    }
}

void rt_poll_look_between(struct rt_m *m) {
    struct rt_glist ready = {.first = NULL};
    uint32_t room = room_in(&m->p->runq);
    if (room == 0) {
        look_over_full_ring(m->p);
    } else if (look(room, &ready)) {
        m->p->pace.full_ns = 0;
        int64_t now = stamp(m->p->id);
        measure(m->p, now);
        rt_crowd_look(m, now);
        bool keeps = will_keep(m->p, ready.count);
        if (!keeps) {
            keep_no_more(m->p);
        }
        rt_ready_behind(m->p, &ready, keeps);
    }
}

/* Sleeping */

uint32_t rt_poll_sleeper(void) {
    return rt_load_rlx(&poller.sleeper); /* relaxed: a hint */
}

void rt_poll_break(void) {
    os_poll_wake(&poller.set);
}

bool rt_poll_take_to_sleep(const struct rt_p *p) {
    return rt_poll_wanted() && !is_left_to_others(p, 0) && rt_poll_take();
}

bool rt_poll_sleep(struct rt_m *m, uint32_t p_id, int64_t deadline_ns,
                   struct rt_glist *ready) {
    if (!rt_note_poll_begin(m)) {
        return true;
    }
    rt_store_rlx(&poller.sleeper, p_id); /* relaxed, both: a hint */
    do {
        collect(OS_POLL_EVENTS_MAX, deadline_ns, ready);
    } while (ready->count == 0 && !rt_note_is_woken(m) &&
             (deadline_ns == OS_NEVER || os_now() < deadline_ns));
    rt_store_rlx(&poller.sleeper, RT_POLL_NO_P);
    return rt_note_poll_end(m);
}

int64_t rt_poll_stale_ns(void) {
    /* relaxed, all: hints. Who has taken it only to look will be gone in a moment. */
    if (!rt_poll_wanted() ||
        (rt_load_rlx(&poller.taken) != 0 && rt_poll_sleeper() != RT_POLL_NO_P)) {
        return OS_NEVER;
    }
    if (rt_idle_all()) {
        return 0; /* nobody is left who would */
    }
    return rt_load_rlx(&poller.looked_ns) + STALE_NS;
}

void rt_poll_monitor_sleep(int64_t deadline_ns) {
    struct rt_glist ready = {.first = NULL};
    collect(OS_POLL_EVENTS_MAX, deadline_ns, &ready);
    if (ready.count == 0) {
        return;
    }
    if (rt_idle_ps(rt_load_rlx(&rt_idle.word)) > 0) { /* relaxed: a hint */
        (void)stamp(RT_POLL_NO_P); /* for the one that is woken: it will poll */
    }
    rt_ready_urgent(&ready);
}

/* The end */

/* False: there was none. Under the lock: who is about to make one has done so, or finds
   that the runtime does not run. */
static bool forget_number(void) {
    rt_lock(&making.lock);
    bool there = rt_poll_number() != 0;
    rt_swap_sc(&rt_poll_shared.number, 0); /* sc: stronger than needed */
    rt_unlock(&making.lock);
    return there;
}

void rt_poll_end(bool nobody_left) {
    struct rt_glist all = {.first = NULL};
    struct rt_g *g;
    if (!forget_number()) {
        return;
    }
    /* Who has read the number before sets itself waiting after it has forgotten READY,
       and so finds it, or is found. Who reads it later has no poller. */
    rt_polldesc_wake_all(&all);
    while ((g = rt_glist_pop(&all)) != NULL) {
        if ((g->flags & RT_G_FLAG_FOREIGN) != 0) { /* goroutines run no more */
            rt_foreign_wake(g);
        }
    }
    if (nobody_left) {
        rt_store_rlx(&rt_poll_shared.watched, 0); /* relaxed: nobody is there */
        os_poll_free(&poller.set);
    }
}
