/* SPDX-License-Identifier: MIT */
/* Which Ms spin, which sleep, and which one a waker wakes. */
#include "sched/thread/wakep.h"
#include "sched/pending.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/thread/note.h"
#include "sched/netpoll/pollset.h"
#include "sched/procresize.h"
#include "sched/deadlock.h"
#include "sched/sched.h"
#include "sched/thread/lockedm.h"
#include "sched/thread/startm.h"
#include "sched/thread/newmhandoff.h"

/*
 * Problem. A goroutine must not lie in a queue while a P is idle, and an idle P must cost
 * nothing. Waking a thread costs the waker microseconds, and the woken thread runs up to
 * fifty microseconds later; a spawn costs tens of nanoseconds. So a spawn cannot always
 * wake a thread, and yet no goroutine may be overlooked.
 *
 * Rejected. A lock around the lists of idle Ps and Ms, as Go has it: every wake-up takes
 * it twice, and at a hundred cores it is the hottest lock of the process. A count of idle
 * Ps, a count of spinning Ms and a flag as separate atomics: every reader then has to read
 * them in the right order.
 *
 * The way taken. One word, the idle word, holds all counts, and sets say which Ps are idle:
 * see pidle.h. A parked P keeps its M: to wake it takes one cleared bit and one store to
 * the M's note, and caches stay warm.
 *
 * Wakers. A thread that makes a goroutine runnable reads the word. If an M spins, that M
 * will find the goroutine. Otherwise the thread wakes one idle M, which starts as a
 * spinning M. A spinning M that finds work stops spinning; if at least two goroutines are
 * queued for each spinning M, it wakes two more, so that the number of awake Ms doubles
 * with each wake-up. A spinning M that finds nothing goes to sleep; the last one looks at
 * all queues once more.
 *
 * Lone runnext. No M is woken for a goroutine alone in a P's runnext: the P will most
 * likely run it within a microsecond. If not, sysmon notices: see sysmon.c.
 *
 * Race 1: submit against the last spinning M. ('Lost wake-up')
 *
 *     submitter                                   last spinning M
 *     [S] queue the goroutine                     [S] spinning := 0 (the word, by RMW)
 *         fence(sc)                                   fence(sc)
 *     [L] the word                                [L] all queues
 *
 *     If the submitter's load sees a spinning M, the last look of that M finds the
 *     goroutine, and the M goes on or wakes another one. If the submitter's load sees no
 *     spinning M, the submitter wakes an idle M itself: the same RMW has counted the P of
 *     the last spinning M as idle. A thread that takes that P, and does not spin with it
 *     (rt_pidleget()), may come between the RMW and the last look. Then the M cannot go on
 *     with its P and wakes another one, or sets NEED.
 *
 * Race 2: need for a spinning M against a P that is being given up. ('Need')
 *     A submitter that sees no spinning M and no idle P has no M to wake. Meanwhile an M
 *     that never spun, because enough others did, gives its P up and would sleep without a
 *     look at the queues. Both change the same word by RMW, so one comes first.
 *     Submitter first: it has set NEED, the M finds NEED in the value that it replaced, and
 *     starts to spin. M first: the submitter's compare-and-swap fails, and its next try
 *     sees the idle P. The thread that wakes a spinning M, and an M that begins to spin,
 *     clear NEED. A last spinning M that has found work while no P is idle sets NEED in
 *     place of itself, for the same reason: there is no M to wake, and the next M that
 *     gives its P up looks.
 *
 * Fences. While all Ps are busy, the word has NEED, and a submitter only reads it: the next
 * M that gives its P up will look. That is the case of every spawn and yield in a program
 * that uses all its Ps, so it has no fence of its own, only the light one. The submitter's
 * store may then reach the queues after that M's look. So the thread that clears NEED sets
 * UNFENCED, and a last spinning M that sees either in the value that it replaced executes
 * fence(heavy) before its last look, which makes the store visible: the submitter's load
 * saw NEED, so it came before the RMW that cleared it. In every other case the submitter
 * executes an ordinary fence, and so does the last spinning M. A P is idle most of the time
 * in most programs, and fence(heavy) interrupts every CPU that the process uses.
 *
 * Race 3: end of the runtime, or of a P, against an M that goes to sleep.
 *
 *     rt_pidle_release_all(), retire_unused()     rt_spinning_give_up(), rt_pidleput()
 *     [S] attention := stop or retire             [S] idle + 1 (in the word, by RMW)
 *         fence(sc)                                   fence(sc)
 *     [L] the word                                [L] attention
 *
 *     One of the two sees the other. An M that sees attention takes its P back. If wakers
 *     have taken as many from the count as there are idle Ps, it tries again until it has
 *     its P or another thread has claimed it: see rt_pidle_come_back().
 *
 * stopm.c explains how an M sleeps, and until when.
 */

/* How many Ms a spinning M wakes when it has found work and there is more. */
#define RAMP_FANOUT 2u

/* The caller has taken one from the count of idle Ps, so there is a bit. Prefers a P
   whose M does not sleep in the poller. */
static struct rt_p *claim_p(void) {
    for (;;) {
        int id = rt_pmask_take_any_but(&rt_pidle_masks.parked, rt_netpoll_sleeper());
        if (id < 0) {
            id = rt_pmask_take_any(&rt_pidle_masks.parked);
        }
        if (id < 0) {
            id = rt_pmask_take_any(&rt_pidle_masks.cold);
        }
        if (id >= 0) {
            return &rt_sched.ps[id];
        }
        /* Other claimers were faster; a bit for this caller is elsewhere. */
        rt_cpu_relax();
    }
}

/* The caller has published p as idle or aside, and counted it there. Another thread may
   have claimed it since. */
static void retire_if_leaving(struct rt_p *p) {
    /* fence(sc): the word before attention. Pairs with the fence in retire_unused() in
       procresize.c. See race 3. */
    rt_fence_sc();
    if (unlikely(rt_p_is_leaving(p))) {
        rt_procs_retire_unused(p);
    }
}

/* If one thread cannot be started, no other can be either. So all Ps without an M leave
   the count of idle Ps until sysmon tries again; otherwise each spawn would try in
   vain. */
static void set_cold_aside(void) {
    int id;
    while ((id = rt_pmask_take_any(&rt_pidle_masks.cold)) >= 0) {
        /* relaxed: the compare-and-swap decides */
        uint64_t w = rt_load_rlx(&rt_pidle.word);
        do {
            if (rt_pidle_ps(w) == 0) {
                /* A claimer has counted this P down already, and searches for its bit. */
                rt_pmask_set(&rt_pidle_masks.cold, (uint32_t)id);
                retire_if_leaving(&rt_sched.ps[id]);
                return;
            }
            /* sc: as in pidle_reserve(). */
        } while (!rt_cas_sc(&rt_pidle.word, &w, w - RT_PIDLE_ONE + RT_PIDLE_ASIDE_ONE));
        rt_pmask_set(&rt_pidle_masks.aside, (uint32_t)id);
        retire_if_leaving(&rt_sched.ps[id]);
    }
}

/* The caller has taken the last spinning M from the count, and old is the word before.
   Orders that before a look at the queues: see race 1 and 'Fences'. */
static void fence_last_spinning(uint64_t old) {
    if ((old & (RT_PIDLE_NEED | RT_PIDLE_UNFENCED)) == 0) {
        /* fence(sc): pairs with the fences in rt_wakep_slow() and
           rt_wakep_unless_spinning(). */
        rt_fence_sc();
        return;
    }
    /* acq_rel: atomic. A thread that clears NEED from here on sets UNFENCED again; the
       fence is for those that relied on NEED before. */
    rt_and_acqrel(&rt_pidle.word, ~RT_PIDLE_UNFENCED);
    /* fence(heavy): pairs with the fence(light) in rt_wakep(). */
    rt_fence_heavy();
}

/* An M begins to spin: the word without NEED. */
static uint64_t without_need(uint64_t w) {
    return (w & RT_PIDLE_NEED) != 0 ? (w & ~RT_PIDLE_NEED) | RT_PIDLE_UNFENCED : w;
}

/* A spinning M was counted for a P that does not get an M to spin: counts it down, and
   adds change to the word in the same operation. If it was the last spinning M, and there
   is work, another M is woken. */
static void drop_spinning(uint64_t change) {
    /* sc: as in pidle_reserve(). */
    uint64_t old = rt_add_sc(&rt_pidle.word, change - RT_PIDLE_SPIN_ONE);
    if (rt_pidle_spinning(old) == 1) {
        fence_last_spinning(old);
        if (rt_pending_surplus(1) > 0) {
            rt_wakep_slow(1); /* terminates: every failure sets Ps aside */
        }
    }
    rt_checkdead();
}

/* Counts p before it sets the bit, because the thread that clears the bit counts down. */
void rt_pidle_set_aside(struct rt_p *p) {
    set_cold_aside();
    drop_spinning(RT_PIDLE_ASIDE_ONE);
    rt_pmask_set(&rt_pidle_masks.aside, p->id);
    rt_sysmon_poke();
    retire_if_leaving(p);
}

struct rt_p *rt_pidle_take_wanted(void) {
    int id;
    while ((id = rt_pmask_take_any(&rt_pidle_masks.wanted)) >= 0) {
        struct rt_p *p = &rt_sched.ps[id];
        if (likely(!rt_p_is_leaving(p)) || !rt_procs_retire(p)) {
            return p;
        }
        drop_spinning(0);
    }
    return NULL;
}

bool rt_pidle_give_to_lockedm(struct rt_p *p) {
    int64_t left_ns = p->left_ns;
    p->left_ns = 0; /* before p can have another owner */
    if (!rt_lockedm_resume_first(p)) {
        p->left_ns = left_ns;
        return false;
    }
    drop_spinning(0);
    return true;
}

static void want_thread(struct rt_p *p) {
    rt_pmask_set(&rt_pidle_masks.wanted, p->id);
    rt_newm_wake();
}

void rt_pidle_want_thread(struct rt_p *p) {
    p->left_ns = os_now();
    p->lack = (struct rt_lack){.seen_ns = 0};
    rt_add_sc(&rt_pidle.word, RT_PIDLE_SPIN_ONE); /* sc: as in pidle_reserve() */
    want_thread(p);
}

/* The caller has claimed p, and counted a spinning M for it. */
static void wake_p(struct rt_p *p) {
    /* relaxed: the thread that cleared the bit owns p->m */
    struct rt_m *m = rt_load_rlx(&p->m);
    if (m != NULL) {
        m->spinning = true;
        rt_note_wake(m);
    } else if (!rt_startm(p, true)) {
        want_thread(p);
    }
}

/* Converts idle Ps into spinning Ms, in the word only, until wanted Ms spin. Returns how
   many; the caller claims as many Ps. 0: enough Ms spin, or no P is idle. */
static uint32_t pidle_reserve(uint32_t wanted) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: the compare-and-swap decides */
    for (;;) {
        if (rt_pidle_spinning(w) >= wanted) {
            return 0;
        }
        uint32_t n = wanted - rt_pidle_spinning(w);
        n = rt_pidle_ps(w) < n ? rt_pidle_ps(w) : n;
        if (n == 0 && rt_pidle_spinning(w) > 0) {
            return 0; /* these Ms wake the others */
        }
        if (n == 0) {
            /* sc: orders NEED against every M that gives its P up. See race 2. */
            if ((w & RT_PIDLE_NEED) != 0 ||
                rt_cas_sc(&rt_pidle.word, &w, w | RT_PIDLE_NEED)) {
                return 0;
            }
            continue;
        }
        uint64_t woken = without_need(w) - n * RT_PIDLE_ONE + n * RT_PIDLE_SPIN_ONE;
        /* sc: all changes of the word have one order. See races 1 and 2. */
        if (rt_cas_sc(&rt_pidle.word, &w, woken)) {
            return n;
        }
    }
}

void rt_wakep_slow(uint32_t wanted) {
    /* fence(sc): the queue before the word, which may have a spinning M by now. Pairs with
       fence_last_spinning(). See race 1. */
    rt_fence_sc();
    for (uint32_t n = pidle_reserve(wanted); n > 0; n--) {
        wake_p(claim_p());
    }
}

void rt_wakep_unless_spinning(uint32_t count) {
    /* fence(sc): the queue before the word. Pairs with fence_last_spinning(). See
       race 1. */
    rt_fence_sc();
    /* relaxed: ordered by the fence; rt_wakep_slow() decides by a compare-and-swap. */
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    if (rt_pidle_spinning(w) == 0 && !rt_pidle_is_needed(w)) {
        rt_wakep_slow(count < RT_PIDLE_BURST ? count : RT_PIDLE_BURST);
    }
}

/* The caller has claimed p for itself: the M that slept with p becomes a spare M. */
static void release_sleeper(struct rt_p *p) {
    /* relaxed: the thread that cleared the bit owns p->m */
    struct rt_m *m = rt_load_rlx(&p->m);
    if (m != NULL) {
        (void)rt_releasep(m);
        m->spinning = false;
        rt_note_wake(m); /* without a P */
    }
}

struct rt_p *rt_pidleget(void) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: the compare-and-swap decides */
    do {
        if (rt_pidle_ps(w) == 0) {
            return NULL;
        }
        /* sc: as in pidle_reserve(). */
    } while (!rt_cas_sc(&rt_pidle.word, &w, w - RT_PIDLE_ONE));
    struct rt_p *p = claim_p();
    release_sleeper(p);
    return p;
}

/* Counts one more idle P. The caller has set its bit. */
static void count_idle(void) {
    /* sc: see race 2. */
    uint64_t old = rt_add_sc(&rt_pidle.word, RT_PIDLE_ONE);
    if ((old & RT_PIDLE_NEED) != 0) {
        rt_wakep_slow(1);
    } else if (rt_pidle_all()) {
        rt_checkdead();
    }
}

void rt_pidleput(struct rt_p *p) {
    rt_pmask_set(&rt_pidle_masks.cold, p->id);
    count_idle();
    rt_sysmon_poke_long();
    retire_if_leaving(p);
}

bool rt_pidleget_that(struct rt_p *p) {
    while (rt_pidle_has(p->id)) {
        /* relaxed: the compare-and-swap decides */
        uint64_t w = rt_load_rlx(&rt_pidle.word);
        /* sc: as in pidle_reserve(). */
        if (rt_pidle_ps(w) == 0 || !rt_cas_sc(&rt_pidle.word, &w, w - RT_PIDLE_ONE)) {
            /* other claimers have counted down and search for bits, perhaps this one */
            rt_cpu_relax();
            continue;
        }
        if (rt_pmask_clear(&rt_pidle_masks.parked, p->id) ||
            rt_pmask_clear(&rt_pidle_masks.cold, p->id)) {
            release_sleeper(p);
            return true;
        }
        count_idle(); /* the P that was counted down is another one */
    }
    if (rt_pmask_clear(&rt_pidle_masks.aside, p->id)) {
        /* sc: as in pidle_reserve(). */
        rt_add_sc(&rt_pidle.word, -RT_PIDLE_ASIDE_ONE);
        return true;
    }
    return false;
}

bool rt_spinning_try(struct rt_m *m) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: the compare-and-swap decides */
    while (!m->spinning && rt_pidle_total(w) > 1) {
        if (2 * rt_pidle_spinning(w) >= rt_pidle_busy(w)) {
            break;
        }
        /* sc: as in pidle_reserve(). */
        m->spinning = rt_cas_sc(&rt_pidle.word, &w, without_need(w) + RT_PIDLE_SPIN_ONE);
    }
    return m->spinning;
}

/* Takes one spinning M from the count. If it is the last one, and no P is idle, sets
   NEED. Returns the old word. */
static uint64_t spinning_uncount(void) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    do {
        rt_assert(rt_pidle_spinning(w) > 0);
        bool need = rt_pidle_spinning(w) == 1 && rt_pidle_ps(w) == 0;
        after = (w - RT_PIDLE_SPIN_ONE) | (need ? RT_PIDLE_NEED : 0);
        /* sc: see races 1 and 2. */
    } while (!rt_cas_sc(&rt_pidle.word, &w, after));
    return w;
}

void rt_resetspinning(struct rt_m *m) {
    m->spinning = false;
    uint64_t old = spinning_uncount();
    if (rt_pidle_ps(old) == 0) {
        return;
    }
    /* No fence for the first look: if it finds work, the M that is woken for it becomes
       the last spinning M in place of this one. */
    uint32_t others = rt_pidle_spinning(old) - 1;
    uint32_t target = others + RAMP_FANOUT;
    uint32_t pending = rt_pending_surplus(2 * target);
    if (pending == 0 && others == 0) {
        fence_last_spinning(old);
        pending = rt_pending_surplus(2 * target);
    }
    if (pending > 0) {
        rt_wakep_slow(pending == 1 ? 1 : pending / 2);
    }
}

bool rt_pidle_come_back(struct rt_m *m, struct rt_p *p) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: the compare-and-swap decides */
    do {
        if (rt_pidle_ps(w) == 0) {
            return false;
        }
        /* sc: as in pidle_reserve(). */
    } while (!rt_cas_sc(&rt_pidle.word, &w,
                        without_need(w) - RT_PIDLE_ONE + RT_PIDLE_SPIN_ONE));
    if (!rt_pmask_clear(&rt_pidle_masks.parked, p->id)) {
        /* The P that m took from the count is another one: its M spins instead of m. The
           thread that has claimed p wakes m. */
        wake_p(claim_p());
        return false;
    }
    /* relaxed: the thread that cleared the bit owns p->m */
    if (rt_load_rlx(&p->m) != m) {
        /* Another thread had claimed p and has woken m. Since then another M has gone to
           sleep with p: that M spins instead of m. */
        wake_p(p);
        return false;
    }
    m->spinning = true;
    rt_sysmon_poke();
    return true;
}

bool rt_spinning_give_up(struct rt_m *m) {
    struct rt_p *p = m->p;
    bool searched = m->spinning;
    m->spinning = false;
    rt_note_reset(m);
    rt_pmask_set(&rt_pidle_masks.parked, p->id);
    /* sc: see races 1, 2 and 3. */
    uint64_t old =
        rt_add_sc(&rt_pidle.word, RT_PIDLE_ONE - (searched ? RT_PIDLE_SPIN_ONE : 0));
    /* fence(sc): the word before attention. Pairs with the fences in
       rt_pidle_release_all() and in retire_unused() in procresize.c. See race 3. */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    uint32_t attention = rt_load_rlx(&p->attention);
    bool unwanted = (attention & (RT_ATTENTION_STOP | RT_ATTENTION_RETIRE)) != 0;
    bool back = false;
    if (unwanted || (old & RT_PIDLE_NEED) != 0) {
        back = rt_pidle_come_back(m, p);
    }
    if (!back && searched && rt_pidle_spinning(old) == 1) {
        fence_last_spinning(old);
        if (rt_pending_surplus(1) > 0) {
            back = rt_pidle_come_back(m, p);
            if (!back) {
                rt_wakep_slow(1); /* sets NEED if no P is idle any more */
            }
        }
    }
    return back;
}

void rt_pidle_take_first(void) {
    rt_pmask_clear(&rt_pidle_masks.cold, 0);
    /* sc: as in pidle_reserve(). */
    rt_add_sc(&rt_pidle.word, -RT_PIDLE_ONE);
    rt_sysmon_poke();
}

void rt_pidle_release_all(void) {
    /* fence(sc): attention before the word. Pairs with the fence in
       rt_spinning_give_up(). See race 3. */
    rt_fence_sc();
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    while (rt_pidle_ps(w) > 0) {
        /* sc: as in pidle_reserve(). */
        if (rt_cas_sc(&rt_pidle.word, &w, w - RT_PIDLE_ONE + RT_PIDLE_SPIN_ONE)) {
            struct rt_m *m = rt_load_rlx(&claim_p()->m); /* relaxed: as in wake_p() */
            if (m != NULL) {
                m->spinning = true;
                rt_note_wake(m);
            }
            w = rt_load_rlx(&rt_pidle.word);
        }
    }
}

/* The caller holds p. True if p's M left it with goroutines or armed timers, which no
   other M would see to if p were idle. */
static bool has_own_work(const struct rt_p *p) {
    /* Other threads may disarm the timers and steal the goroutines: then a thread comes
       in vain. */
    return rt_clock_is_armed(&p->clock) || rt_p_has_any(p);
}

void rt_pidle_retry_unstartable(void) {
    int id;
    /* bounded: the starter may set Ps aside again meanwhile */
    uint32_t tries = rt_sched_ps_end();
    while (tries-- > 0 && (id = rt_pmask_take_any(&rt_pidle_masks.aside)) >= 0) {
        struct rt_p *p = &rt_sched.ps[id];
        if (has_own_work(p)) {
            /* sc: as in pidle_reserve(). */
            rt_add_sc(&rt_pidle.word, RT_PIDLE_SPIN_ONE - RT_PIDLE_ASIDE_ONE);
            want_thread(p);
            continue;
        }
        rt_pmask_set(&rt_pidle_masks.cold, (uint32_t)id);
        /* sc: as in pidle_reserve(). */
        rt_add_sc(&rt_pidle.word, RT_PIDLE_ONE - RT_PIDLE_ASIDE_ONE);
        retire_if_leaving(p);
    }
    /* fence(heavy): the word before the queues. Pairs with the fence(light) in
       rt_wakep(), whose caller may have found no idle P a moment ago. */
    rt_fence_heavy();
    if (rt_pending_surplus(1) > 0) {
        rt_wakep_slow(1);
    }
}
