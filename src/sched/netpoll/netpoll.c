/* SPDX-License-Identifier: MIT */
/* The poller: which thread polls the kernel for ready descriptors, and when. */
#include "sched/netpoll/netpoll.h"
#include "base/die.h"
#include "sched/netpoll/polldesc.h"
#include "sched/netpoll/pollset.h"
#include "sched/thread/foreign.h"
#include "sched/thread/wakep.h"
#include "sched/thread/note.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sched/tuning.h"

/*
 * Problem. epoll reports readiness only to the thread that calls epoll_wait. If all
 * threads compute, none calls it, and a connection waits for as long as they do. If a
 * dedicated thread calls it, each message costs two wake-ups: of that thread, and of the M
 * that runs the goroutine.
 *
 * Rejected. A dedicated polling thread: the two wake-ups. A set for each P, with the
 * descriptors of its goroutines: a stolen goroutine leaves its descriptors behind, and a P
 * that computes does not poll. Go's way, an idle M or, every 10 ms, sysmon: a ready
 * goroutine is invisible for that long while all Ps are busy.
 *
 * The way taken. One set, and one thread at a time that polls: it has "taken the poller".
 * So each event is reported once, to a thread that acts on it. Four kinds of threads poll:
 *
 *     a P that has run out of goroutines    polls before it steals, and runs what it finds
 *     an idle M                             sleeps in the poller in place of its note,
 *                                           until the first timer of its P is due
 *     a P that has goroutines               polls if no P has for a while; it reads the
 *                                           clock for that at every 61st scheduling, and
 *                                           at every 8th wait for a descriptor: see
 *                                           rt_netpoll_remind()
 *     sysmon                                sleeps in the poller in place of its futex, if
 *                                           no M does, and no P has polled for
 *                                           RT_NETPOLL_STALE_NS
 *
 * So a busy server polls as a plain loop around epoll_wait() would, between two rounds of
 * its connections, and wakes no thread for it. An idle server waits in one thread, which
 * runs what it was woken for. While all Ps compute, sysmon gets the events. As long as the
 * Ps poll, sysmon checks less and less often whether they still do, down to once in some
 * milliseconds: see plan_polling() in sysmon.c. What sysmon finds is urgent: it goes to
 * the head of the global queue, the Ps look there at their next scheduling, and sysmon
 * preempts a P that does not schedule: see retake.c. If a P is idle, sysmon wakes its M
 * and leaves polling to it.
 *
 * Sleeping. An M that sleeps in the poller is idle as any other: its P's bit is set, and
 * the thread that clears the bit owns the M's note. Only the way to wake it differs, and
 * the note records that: see note.h. The waker wakes the set, and so the thread that
 * sleeps there. That may be another thread by then, or the next one to come: it looks at
 * its own note, and sleeps on. The M itself is not missed: as long as it sleeps there, no
 * other thread polls.
 *
 * Some thread polls. ('Some thread polls') If a goroutine or a foreign thread waits for a
 * descriptor, then an M sleeps in the poller, or a P is busy, or sysmon is about to look.
 * As long as a P is busy, sysmon has a deadline. It goes dormant only if all Ps are idle,
 * and then it sleeps in the poller, unless an M does. After that:
 *   - a thread that leaves the poller gives it back, and then pokes sysmon, or has a P, for
 *     which sysmon was poked
 *   - a goroutine has a P until it waits; a foreign thread pokes sysmon itself
 * 'Dormant' in sysmon.c explains the fences of poking and going dormant.
 *
 * Waking others. Ready goroutines lie in the ring of the P that polled. To wake an M for
 * them costs some microseconds here, and up to fifty until that M runs; a message is often
 * handled in five. And if there is no CPU for that M, because the clients are on the same
 * machine, it takes turns with threads that have work, some milliseconds each. So a P
 * measures how long its goroutines take, on the average, until the next one comes from its
 * ring. If it will finish all in the ring in less than RT_NETPOLL_WORTH_NS, which is less
 * than such a turn, it keeps them: no M is woken, see rt_runq_keep(). If the P is wrong, it
 * notices at its next poll. Sysmon also ends the keeping: if the P does not schedule
 * between two looks, as for a runnext, or has not taken all that it kept
 * RT_NETPOLL_WORTH_NS after sysmon first saw them.
 *
 * One server. ('One server') For the same reason an idle M leaves the poller, and kept
 * goroutines, to the P that polled last, as long as that P is busy with goroutines that
 * take less than RT_NETPOLL_SHORT_NS and has polled within RT_NETPOLL_STALE_NS. So one P
 * serves short requests until more than RT_NETPOLL_WORTH_NS of them wait; then other Ms are
 * woken for those that are not kept. If the P does not poll again, sysmon does. Against Ms
 * that take part at once, an echo server and its 100 clients on 2 CPUs: the 99th percentile
 * is 1.3 to 1.5 ms instead of 3.4 to 3.8; beside two threads that compute a request takes
 * 5.2 us instead of 8.4.
 *
 * The end. Ms and sysmon have ended when the set is closed, and foreign threads are kept
 * out. One that was about to wait finds READY in its descriptor, tries again, and finds no
 * poller: see rt_netpoll_end().
 */

/* How many events a P polls for after its ring was full for RT_NETPOLL_FULL_NS. */
#define FULL_EVENTS 16

/* A measurement has a weight of a half if it is longer than the average: work that is kept
   too long waits beside idle Ps. It has a weight of an eighth if it is shorter. */
#define PACE_RISE_SHIFT 1
#define PACE_FALL_SHIFT 3

/* Atomic: how long the goroutines of the P that polled last take; 0: unknown. */
static rt_atomic(int64_t) looker_each_ns;

/* The thread that has taken the poller. */
static struct os_poll_event events[OS_POLL_EVENTS_MAX];

/* Polling */

/* The caller has taken the poller. max: the room in its ring; the kernel keeps further
   events in the order in which they came. */
static void poll_events(int max, int64_t deadline_ns, struct rt_glist *ready) {
    int n = os_poll_wait(&rt_netpoll_set, events, max, deadline_ns);
    if (unlikely(n < 0)) {
        rt_fatal("epoll_wait failed with error %d: did the program close a descriptor "
                 "that belongs to the library?",
                 -n);
    }
    for (int i = 0; i < n; i++) {
        const struct os_poll_event *e = &events[i];
        rt_polldesc_events(rt_polldesc_of(e->token), rt_polldesc_generation(e->token),
                           e->events, ready);
    }
}

/* Waking: see 'Waking others'. */

/* The goroutines that came from the ring since the last poll took the time since then,
   with those that they have woken. If they took far longer than usual, the thread was
   perhaps interrupted: the measurement counts for at most twice the usual time. */
static void p_measure(struct rt_p *p, int64_t now) {
    struct rt_pace *pace = &p->pace;
    /* relaxed: the owner's own */
    uint32_t count = rt_load_rlx(&p->schedtick) - pace->slices;
    if (pace->since_ns != 0 && count > 0) {
        int64_t each_ns = (now - pace->since_ns) / count;
        int64_t usual_ns = pace->each_ns > 0 ? pace->each_ns : each_ns;
        each_ns = each_ns < 2 * usual_ns ? each_ns : 2 * usual_ns;
        int shift = each_ns > usual_ns ? PACE_RISE_SHIFT : PACE_FALL_SHIFT;
        pace->each_ns = usual_ns + ((each_ns - usual_ns) >> shift);
    }
    pace->since_ns = now;
    pace->slices += count;
    rt_store_rlx(&looker_each_ns, pace->each_ns); /* relaxed: a hint */
}

/* p has been idle: the measurement begins again. */
static void p_measure_anew(struct rt_p *p) {
    p->pace.since_ns = os_now();
    p->pace.slices = rt_load_rlx(&p->schedtick); /* relaxed: the owner's own */
}

/* True: p will finish its ring, and count goroutines more, so soon that no M is woken. */
static bool will_keep(const struct rt_p *p, uint32_t count) {
    return p->pace.each_ns > 0 &&
           p->pace.each_ns * (rt_runq_length(&p->runq) + count) < RT_NETPOLL_WORTH_NS;
}

static void deliver_to(struct rt_p *p, struct rt_glist *ready) {
    rt_ready_in_order(p, ready, will_keep(p, ready->count));
}

void rt_netpoll_deliver(struct rt_p *p, struct rt_glist *ready) {
    if (p == NULL) {
        rt_ready_in_order(NULL, ready, false /* other Ms take them */);
        return;
    }
    p_measure_anew(p);
    deliver_to(p, ready);
}

/* Polls without waiting. False: no thread waits for a descriptor, or another thread
   polls. */
static bool poll_now(uint32_t max, struct rt_glist *ready) {
    if (!rt_netpoll_wanted() || !rt_netpoll_take()) {
        return false;
    }
    poll_events(max < OS_POLL_EVENTS_MAX ? (int)max : OS_POLL_EVENTS_MAX,
                0 /* without waiting */, ready);
    rt_netpoll_give();
    return true;
}

bool rt_netpoll_defers(const struct rt_p *p) {
    /* All are hints: see 'Some thread polls'. */
    uint32_t looker = rt_netpoll_looker();
    if (likely(looker == RT_NETPOLL_NO_P || looker == p->id || rt_pidle_has(looker))) {
        return false;
    }
    int64_t each_ns = rt_load_rlx(&looker_each_ns); /* relaxed: a hint */
    return each_ns > 0 && each_ns < RT_NETPOLL_SHORT_NS &&
           os_now() - rt_netpoll_looked_ns() < RT_NETPOLL_STALE_NS;
}

bool rt_netpoll_look(struct rt_m *m) {
    struct rt_glist ready = {.first = NULL};
    struct rt_p *p = m->p;
    if (!rt_netpoll_defers(p) && poll_now(rt_runq_room(&p->runq), &ready)) {
        p_measure(p, rt_netpoll_stamp(p->id));
    }
    if (ready.count == 0) {
        p->pace.since_ns = 0; /* p goes idle: no goroutine's time */
        return false;
    }
    deliver_to(p, &ready);
    return true;
}

/* The kernel keeps its events, since the goroutines in the ring come first. But not for
   ever: they may be goroutines that only yield. */
static void look_over_full_ring(struct rt_p *p) {
    struct rt_glist ready = {.first = NULL};
    int64_t now = rt_netpoll_stamp(p->id);
    if (p->pace.full_ns == 0) {
        p->pace.full_ns = now;
    } else if (now - p->pace.full_ns >= RT_NETPOLL_FULL_NS &&
               poll_now(FULL_EVENTS, &ready)) {
        p->pace.full_ns = now;
        rt_ready_urgent(&ready);
    }
}

/* The goroutines take longer than expected. */
static void keep_no_more(struct rt_p *p) {
    if (rt_runq_kept(&p->runq) > 0) {
        rt_runq_keep_none(&p->runq);
        rt_wakep(1);
    }
}

void rt_netpoll_look_between(struct rt_m *m) {
    struct rt_glist ready = {.first = NULL};
    uint32_t room = rt_runq_room(&m->p->runq);
    if (room == 0) {
        look_over_full_ring(m->p);
    } else if (poll_now(room, &ready)) {
        m->p->pace.full_ns = 0;
        p_measure(m->p, rt_netpoll_stamp(m->p->id));
        bool keeps = will_keep(m->p, ready.count);
        if (!keeps) {
            keep_no_more(m->p);
        }
        rt_ready_behind(m->p, &ready, keeps);
    }
}

/* Sleeping */

bool rt_netpoll_take_to_sleep(const struct rt_p *p) {
    return rt_netpoll_wanted() && !rt_netpoll_defers(p) && rt_netpoll_take();
}

bool rt_netpoll_sleep(struct rt_m *m, uint32_t p_id, int64_t deadline_ns,
                      struct rt_glist *ready) {
    if (!rt_note_poll_begin(m)) {
        return true;
    }
    rt_netpoll_set_sleeper(p_id);
    do {
        poll_events(OS_POLL_EVENTS_MAX, deadline_ns, ready);
    } while (ready->count == 0 && !rt_note_is_woken(m) &&
             (deadline_ns == OS_NEVER || os_now() < deadline_ns));
    rt_netpoll_set_sleeper(RT_NETPOLL_NO_P);
    return rt_note_poll_end(m);
}

int64_t rt_netpoll_stale_ns(void) {
    /* All are hints. A thread that has taken the poller only to look gives it back
       soon. */
    if (!rt_netpoll_wanted() ||
        (rt_netpoll_is_taken() && rt_netpoll_sleeper() != RT_NETPOLL_NO_P)) {
        return OS_NEVER;
    }
    if (rt_pidle_all()) {
        return 0; /* no M is left that would poll */
    }
    return rt_netpoll_looked_ns() + RT_NETPOLL_STALE_NS;
}

void rt_netpoll_sysmon_sleep(int64_t deadline_ns) {
    struct rt_glist ready = {.first = NULL};
    poll_events(OS_POLL_EVENTS_MAX, deadline_ns, &ready);
    if (ready.count == 0) {
        return;
    }
    if (rt_pidle_ps(rt_load_rlx(&rt_pidle.word)) > 0) { /* relaxed: a hint */
        /* the M that rt_ready_urgent() wakes will poll */
        (void)rt_netpoll_stamp(RT_NETPOLL_NO_P);
    }
    rt_ready_urgent(&ready);
}

/* The end */

void rt_netpoll_end(bool none_inside) {
    struct rt_glist all = {.first = NULL};
    struct rt_g *g;
    if (!rt_netpoll_forget()) {
        return;
    }
    /* A thread that read the number earlier clears READY before it publishes itself in
       the word: it finds the READY that is set here, or is found in the word. A thread
       that reads the number later finds no poller. */
    rt_polldesc_wake_all(&all);
    while ((g = rt_glist_pop(&all)) != NULL) {
        if ((g->flags & RT_G_FLAG_FOREIGN) != 0) { /* no goroutine runs any more */
            rt_foreign_wake(g);
        }
    }
    if (none_inside) {
        rt_netpoll_free();
    }
}
