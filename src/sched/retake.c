/* SPDX-License-Identifier: MIT */
/* Taking Ps from threads that block, and making goroutines that compute give way. */
#include "sched/retake.h"
#include "base/alloc.h"
#include "base/fence.h"
#include "sched/bound.h"
#include "sched/enter.h"
#include "sched/find.h"
#include "sched/idle.h"
#include "sched/preempt.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/starter.h"

#include <errno.h>

/*
 * The monitor looks at each P that is not idle, without a lock, and remembers what it saw.
 * A P that has scheduled nothing since the last look, while somebody waits for a P and none
 * is idle, is held by a goroutine that does one of three things:
 *
 *   it is in a call that it has announced     the P is taken at the second look that finds
 *   to block                                  it in the same call
 *   it sleeps in the kernel unannounced:      the P is taken, after the kernel has been
 *   its thread has used no CPU time between   asked as well: a thread that merely waits for
 *   two looks, SAMPLE_NS apart at least       a CPU uses none either
 *   it computes                               it is asked to yield a look before its slice
 *                                             is over, and made to by a signal when it is.
 *                                             If a timer of this P is due, which nobody else
 *                                             fires, it is asked once it has run for
 *                                             URGENT_NS, and made to FORCE_NS later. So
 *                                             are as many Ps as the monitor has found
 *                                             goroutines whose I/O is ready
 *
 * A look costs a thread's wake-up, so that for all Ps there is one, every LOOK_NS at the
 * same moments, if nothing is urgent. That is also how exact the times above are.
 *
 * A thread that sleeps gets no signal, so that nothing it does is interrupted. How a P is
 * taken is under 'Inside' in enter.h.
 */
#define URGENT_NS ((int64_t)1000 * 1000)
#define SAMPLE_NS ((int64_t)1000 * 1000)
#define FORCE_NS  ((int64_t)100 * 1000)

/* How often it looks while somebody waits and all goes well; and for some time after a
   thread was found to sleep unannounced: where one does others do. */
#define LOOK_NS        ((int64_t)5000 * 1000)
#define LOOK_CLOSER_NS ((int64_t)2500 * 1000)
#define CLOSER_FOR_NS  ((int64_t)1000 * 1000 * 1000)

/* How long a call that was announced to block may keep its P, and how soon it is looked at
   again: twice as late each time that all such calls were short, up to LOOK_NS. */
#define BLOCK_NS ((int64_t)20 * 1000)

/* What is known of a P. Its times are those of looks. */
struct seen {
    struct rt_m *m;
    uint32_t switches;
    uint32_t blocks;
    int64_t since_ns; /* when it was first seen to hold the P */
    int64_t block_ns; /* and in this call that it had announced to block */
    int64_t cpu_ns;   /* the CPU time of its thread at cpu_at_ns; 0: unknown */
    int64_t cpu_at_ns;
    int64_t asked_ns; /* when it was asked to yield; 0: it was not */
};

/* The monitor's own. */
static struct seen *seen; /* per P */
static int64_t block_look_ns;
static int64_t closer_until_ns; /* see LOOK_CLOSER_NS */
static bool watches_calls;
static uint32_t urgent_left; /* of this look: goroutines that no P has been asked for */

/* True: the P is in the hands of the same thread, and nothing was scheduled in between. */
static bool is_unchanged(const struct seen *s, const struct rt_p *p,
                         const struct rt_m *m) {
    return s->m == m && s->switches == rt_p_switches(p);
}

static void note_holder(struct seen *s, struct rt_p *p, struct rt_m *m, int64_t now,
                        bool sample) {
    /* relaxed: a hint */
    uint32_t blocks = s->m == m ? s->blocks : rt_load_rlx(&m->blocks);
    *s = (struct seen){.m = m,
                       .switches = rt_p_switches(p),
                       .blocks = blocks,
                       .since_ns = now,
                       .cpu_ns = sample ? os_thread_cpu(rt_load_rlx(&m->number)) : 0,
                       .cpu_at_ns = now};
}

/* Whether the thread is in a call that it has announced to block, or has been in one since
   the last look. */
static bool note_calls(struct seen *s, const struct rt_m *m, int64_t now) {
    /* relaxed, both: hints; descriptors stay what they are */
    uint32_t blocks = rt_load_rlx(&m->blocks);
    bool blocks_now = rt_load_rlx(&rt_m_g_seen(m)->blocking) != 0;
    bool has_called = s->blocks != blocks;
    if (has_called || s->block_ns == 0) {
        s->blocks = blocks;
        s->block_ns = now;
    }
    return blocks_now || has_called;
}

/* Somebody wants a P, and this one would do; or it is to be no P any more. relaxed, all:
   hints. */
static bool somebody_waits(struct rt_p *p, int64_t now) {
    if (rt_procs_is_leaving(p)) {
        return true;
    }
    return rt_idle_ps(rt_load_rlx(&rt_idle.word)) == 0 &&
           (rt_load_rlx(&p->runq.next) != NULL || rt_clock_is_due(&p->clock, now) ||
            rt_find_pending(1) > 0);
}

/* There is an M that can go on with the P, or need not be. */
static bool has_successor(const struct rt_p *p, int64_t blocked_ns) {
    if (rt_procs_is_leaving(p) || rt_bound_length() > 0 || rt_spare_count() > 0) {
        return true;
    }
    rt_starter_want_spare(blocked_ns >= RT_STUCK_NS); /* until the next look */
    return false;
}

/* After the claim: true if the P is the monitor's. */
static bool take_claimed(struct rt_p *p, struct rt_m *m) {
    uint32_t asked = rt_load_rlx(&m->asked); /* relaxed: the compare-and-swap decides */
    /* acquire: what the thread did with the P. Pairs with rt_m_leave(). */
    bool outside = rt_load_acq(&m->inside) == 0 && rt_load_rlx(&p->m) == m;
    while ((asked & RT_ASKED_CLAIMED) != 0) {
        uint32_t after = asked & ~(uint32_t)RT_ASKED_CLAIMED;
        after |= outside ? RT_ASKED_TAKEN : 0;
        /* acq_rel: decides against the thread. */
        if (rt_cas_acqrel(&m->asked, &asked, after)) {
            return outside;
        }
    }
    return false;
}

/* See 'Inside' in enter.h. */
static bool take(struct rt_p *p, struct rt_m *m, int64_t blocked_ns) {
    if (!has_successor(p, blocked_ns)) {
        return false;
    }
    /* Before it can be seen as taken, and so come back. sc: pairs with
       rt_quiesce_check(). */
    rt_sched_depart();
    /* acq_rel: the claim. Only the monitor makes one. */
    rt_or_acqrel(&m->asked, RT_ASKED_CLAIMED);
    rt_fence_all_threads(); /* the claim before inside. Pairs with rt_m_enter(). */
    if (!take_claimed(p, m)) {
        rt_sched_return();
        if (rt_idle_all()) {
            rt_quiesce_check(); /* the last may have gone idle while m counted as away */
        }
        return false;
    }
    /* acq_rel: stronger than needed; the next owner is not wired to anything. */
    rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_LOCKED);
    rt_handoff_at_once(p);
    return true;
}

enum doing {
    UNKNOWN, /* until the next look */
    SLEEPS,  /* in the kernel, for SAMPLE_NS at least */
    RUNS,    /* or has run since the last look */
};

static bool is_asleep(const struct rt_m *m) {
    /* relaxed: a number */
    struct os_thread_use use = os_thread_look(rt_load_rlx(&m->number));
    return use.asleep;
}

static enum doing what_it_does(struct seen *s, struct rt_m *m, int64_t now) {
    int64_t cpu_ns = os_thread_cpu(rt_load_rlx(&m->number));
    if (cpu_ns == 0) { /* it cannot be told */
        return now - s->since_ns >= SAMPLE_NS && is_asleep(m) ? SLEEPS : RUNS;
    }
    if (cpu_ns != s->cpu_ns) {
        s->cpu_ns = cpu_ns;
        s->cpu_at_ns = now;
        return RUNS;
    }
    return now - s->cpu_at_ns >= SAMPLE_NS && is_asleep(m) ? SLEEPS : UNKNOWN;
}

/* Asks first; if that was in vain, and it may not wait, makes it. */
static void interrupt(struct seen *s, struct rt_m *m, int64_t now, bool force) {
    rt_preempt_ask(m); /* again: it may have answered, and gone on without a tick */
    if (s->asked_ns == 0) {
        s->asked_ns = now;
    } else if (force && now - s->asked_ns >= FORCE_NS &&
               rt_preempt_can_force(m, now - s->asked_ns) && !is_asleep(m)) {
        rt_preempt_force(m);
    }
}

static int64_t round_ns(int64_t now) {
    int64_t look_ns = now < closer_until_ns ? LOOK_CLOSER_NS : LOOK_NS;
    return rt_sched.config.slice_ns < look_ns ? rt_sched.config.slice_ns : look_ns;
}

/* The same moment for all Ps: one look costs a thread's wake-up, however many it sees. */
static int64_t next_round(int64_t now) {
    int64_t round = round_ns(now);
    return (now / round + 1) * round;
}

/* A goroutine whose I/O is ready waits, and this P is the one to be freed for it. */
static bool is_urgent(void) {
    if (urgent_left == 0) {
        return false;
    }
    urgent_left--;
    return true;
}

/* p is held by m, and somebody waits. Returns when to look again. */
static int64_t look_at_held(struct seen *s, struct rt_p *p, struct rt_m *m, int64_t now,
                            bool *took) {
    int64_t held_ns = now - s->since_ns;
    /* relaxed: descriptors stay what they are; the claim decides */
    if (rt_load_rlx(&rt_m_g_seen(m)->blocking) != 0 && now - s->block_ns >= BLOCK_NS) {
        bool taken = take(p, m, now - s->block_ns);
        *took |= taken;
        return now + (taken ? BLOCK_NS : FORCE_NS);
    }
    if (held_ns < URGENT_NS) {
        return s->since_ns + URGENT_NS;
    }
    bool urgent = rt_clock_is_due(&p->clock, now) || is_urgent();
    /* Looks come a little early or late. */
    int64_t round = round_ns(now);
    int64_t left_ns = rt_sched.config.slice_ns - held_ns - round / 2;
    switch (what_it_does(s, m, now)) {
    case SLEEPS:
        closer_until_ns = now + CLOSER_FOR_NS;
        *took |= take(p, m, now - s->cpu_at_ns);
        return now + SAMPLE_NS;
    case RUNS:
        if (urgent || left_ns <= round) {
            interrupt(s, m, now, urgent || left_ns <= 0);
        }
        break;
    default: break;
    }
    return urgent ? now + FORCE_NS : next_round(now);
}

/* Returns when to look again. */
static int64_t look_at(struct rt_p *p, int64_t now, bool *took) {
    struct seen *s = &seen[p->id];
    /* acquire: the M has been made, and stays one. Pairs with who gave it the P. */
    struct rt_m *m = rt_load_acq(&p->m);
    if (m == NULL || rt_idle_has(p->id)) {
        return OS_NEVER;
    }
    bool unchanged = is_unchanged(s, p, m);
    bool wanted = somebody_waits(p, now);
    if (!unchanged) {
        note_holder(s, p, m, now, wanted);
    }
    if (!wanted) {
        return OS_NEVER;
    }
    watches_calls |= note_calls(s, m, now);
    if (!unchanged || !rt_m_is_outside(m)) {
        bool urgent = rt_clock_is_due(&p->clock, now) || urgent_left > 0;
        return urgent ? now + URGENT_NS : next_round(now);
    }
    return look_at_held(s, p, m, now, took);
}

/* After all of a look. */
static int64_t next_look_at_calls(int64_t now, bool took) {
    if (took || !watches_calls) {
        block_look_ns = BLOCK_NS;
    } else if (block_look_ns < LOOK_NS) {
        block_look_ns *= 2;
    }
    return watches_calls ? now + block_look_ns : OS_NEVER;
}

int64_t rt_retake_look(int64_t now_ns, bool *took) {
    int64_t again_ns = OS_NEVER;
    uint32_t end = rt_sched_ps_end();
    bool took_one = false;
    watches_calls = false;
    urgent_left = rt_globq_urgent();
    for (uint32_t i = 0; i < end; i++) {
        int64_t next_ns = look_at(&rt_sched.ps[i], now_ns, &took_one);
        again_ns = next_ns < again_ns ? next_ns : again_ns;
    }
    int64_t calls_ns = next_look_at_calls(now_ns, took_one);
    *took |= took_one;
    return calls_ns < again_ns ? calls_ns : again_ns;
}

bool rt_retake_watches_calls(void) {
    return watches_calls;
}

int rt_retake_start(void) {
    block_look_ns = BLOCK_NS;
    closer_until_ns = 0;
    watches_calls = false;
    seen = rt_alloc(RT_PROCS_MAX * sizeof seen[0]);
    return seen == NULL ? -ENOMEM : 0;
}

void rt_retake_stop(void) {
    rt_free(seen);
}
