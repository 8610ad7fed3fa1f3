/* SPDX-License-Identifier: MIT */
/* Threads with nothing to do: who looks for work, who sleeps, and who is woken. */
#include "sched/idle.h"
#include "base/bits.h"
#include "sched/find.h"
#include "sched/monitor.h"
#include "sched/note.h"
#include "sched/poll.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/starter.h"

/*
 * Problem. A goroutine must not lie in a queue while a P is idle, and a P with nothing to
 * do must cost nothing. Waking a thread costs the waker microseconds and the woken up to
 * fifty, a spawn costs tens of nanoseconds: so not every spawn can wake somebody, and yet
 * none may be overlooked.
 *
 * Rejected. A lock around the lists of idle Ps and Ms, as Go has it: every wake then
 * takes it twice, and at a hundred cores it is the hottest lock of the process. A count
 * of idle Ps, a count of searchers and a flag as separate atomics: they then have to be
 * read in the right order everywhere.
 *
 * The way taken. One word holds how many Ps are in use, how many of them are idle, how
 * many Ms are searching ("spinning"), how many Ps are set aside because no thread could
 * be started for them, and NEED. It changes as a whole, so that each change sees the
 * whole state of the others. Which Ps are idle is in two bitmaps: those whose M sleeps,
 * preferred, and those that have none: no thread was started for them yet, or their M was
 * needed elsewhere. A bit is set before its P is counted in the word, and cleared only by
 * someone who has taken one from the count: so whoever has counted down finds a bit. An
 * idle P keeps its M: waking is clearing one bit and one store to the M's note, and
 * caches stay warm.
 *
 * Who wakes. Whoever makes a goroutine runnable looks at the word. Is somebody searching,
 * that one will find the goroutine. Else one idle M is woken, as a searcher. A searcher
 * that finds work stops searching; if at least two goroutines for each searcher lie
 * around it brings two more, so that the number of those who are up doubles with each
 * wake-up's time. A searcher that finds nothing goes to sleep; if it was the last one it
 * looks once more.
 *
 * Who is not woken for. A goroutine alone in a P's next slot: its P will most likely run
 * it within a microsecond. If not, the monitor notices: see monitor.c.
 *
 * Race 1: submit against the last searcher. ('Lost wake-up')
 *
 *     submitter                                   last searcher
 *     [S] queue the goroutine                     [S] searching := 0 (the word, by RMW)
 *         fence(light)                                fence(heavy)
 *     [L] the word                                [L] all queues
 *
 *     If the submitter's load sees 'searching', it comes before the searcher's store, and
 *     so before the fence(heavy), which makes the submitter's earlier store visible: the
 *     searcher's last look finds the goroutine, and it comes back or wakes somebody. If
 *     the submitter's load sees 'not searching', it wakes an idle M itself: the
 *     searcher's P is counted idle by the same RMW. Only the last one out pays for the
 *     fence.
 *
 * Race 2: need for a searcher against a P that is being given up. ('Need')
 *     A submitter that sees no searcher and no idle P cannot wake anybody. Meanwhile an M
 *     that never searched (there were enough searchers when it asked) gives its P up and
 *     would sleep without looking. Both change the same word by RMW, so one comes first.
 *     Submitter first: it has set NEED, which the M finds in the value it replaced; the M
 *     turns searcher. M first: the submitter's compare-and-swap fails, and its next try
 *     sees the idle P. NEED is cleared by whoever makes the number of searchers greater
 *     than zero. A submitter that finds it set leaves it so: then the M's RMW comes
 *     later, and the fence(heavy) that it executes before its look as the last searcher
 *     covers the submitter's store just as in race 1. A last searcher that has found work
 *     while no P is idle sets NEED in place of itself, for the same reason: there is
 *     nobody to wake, and whoever gives a P up next looks.
 *
 * Race 3: end of the runtime, or of a P, against an M on its way to sleep.
 *
 *     rt_idle_release_all, procs.c                rt_idle_give_up, and who gives a P up
 *     [S] attention := stop or retire             [S] idle + 1 (in the word, by RMW)
 *         fence(sc)                                   fence(sc)
 *     [L] the word                                [L] attention
 *
 *     One of the two sees the other. An M that sees it comes back; if it cannot, because
 *     others have taken as many from the count as there are idle Ps, it tries again until
 *     it has its P or somebody else has: see rt_idle_come_back().
 *
 * How an M sleeps, and until when, is in rest.c.
 */

#define BITMAP_WORDS (RT_PROCS_MAX / 64)

/* How many others a searcher that has found work brings, if there is work for them. */
#define RAMP_FANOUT 2u

struct rt_idle_word rt_idle;

/* Atomic: see the essay. */
static struct {
    rt_atomic(uint64_t) parked[BITMAP_WORDS]; /* idle, and its M sleeps */
    rt_atomic(uint64_t) cold[BITMAP_WORDS];   /* idle, and has no M */
    /* no thread could be started: waits for the monitor */
    rt_atomic(uint64_t) aside[BITMAP_WORDS];
    /* the starter is to start a thread for it, for which a searcher is counted */
    rt_atomic(uint64_t) wanted[BITMAP_WORDS];
} maps RT_CACHE_ALIGNED;

static void bit_set(rt_atomic(uint64_t) *map, uint32_t id) {
    /* release: publishes p->m and the note. Pairs with the acquire in bit_clear(). */
    rt_or_acqrel(&map[id / 64], UINT64_C(1) << id % 64);
}

static bool bit_clear(rt_atomic(uint64_t) *map, uint32_t id) {
    uint64_t bit = UINT64_C(1) << id % 64;
    /* acquire: takes the P over. Pairs with the release in bit_set(). */
    return (rt_and_acqrel(&map[id / 64], ~bit) & bit) != 0;
}

/* Any bit of the map but one, cleared. The lowest: few threads stay warm and the others
   asleep. -1: none. */
static int bit_take_any_but(rt_atomic(uint64_t) *map, uint32_t but) {
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < BITMAP_WORDS && i * 64 < end; i++) {
        uint64_t bits = rt_load_rlx(&map[i]); /* relaxed: bit_clear() decides */
        while (bits != 0) {
            uint32_t id = i * 64 + rt_lowest_bit(bits);
            if (likely(id != but) && bit_clear(map, id)) {
                return (int)id;
            }
            bits &= bits - 1;
        }
    }
    return -1;
}

static int bit_take_any(rt_atomic(uint64_t) *map) {
    return bit_take_any_but(map, RT_PROCS_MAX /* none has that number */);
}

/* The caller has taken one from the count of idle Ps: there is a bit for it. The M that
   polls is left to do so if another one will do. */
static struct rt_p *claim_p(void) {
    for (;;) {
        int id = bit_take_any_but(maps.parked, rt_poll_sleeper());
        if (id < 0) {
            id = bit_take_any(maps.parked);
        }
        if (id < 0) {
            id = bit_take_any(maps.cold);
        }
        if (id >= 0) {
            return &rt_sched.ps[id];
        }
        /* Others were faster with the bits seen; theirs are elsewhere. */
        rt_cpu_relax();
    }
}

bool rt_idle_has(uint32_t p_id) {
    uint64_t bit = UINT64_C(1) << p_id % 64;
    /* relaxed: a hint; an idle P has an empty queue, and an M that sees to its timers, so
       nothing is missed by skipping it. One whose M had to leave it with work is not
       idle, but wants a thread. */
    return ((rt_load_rlx(&maps.parked[p_id / 64]) | rt_load_rlx(&maps.cold[p_id / 64])) &
            bit) != 0;
}

bool rt_idle_all(void) {
    /* acquire: the counts that the Ps' owners left behind are seen. Pairs with the RMW in
       rt_idle_give_up(). */
    uint64_t w = rt_load_acq(&rt_idle.word);
    return rt_idle_ps(w) + rt_idle_aside(w) == rt_idle_total(w) &&
           rt_idle_spinning(w) == 0;
}

/* p has been put where nobody uses it, and counted there; somebody may have taken it by
   now. */
static void retire_if_leaving(struct rt_p *p) {
    /* fence(sc): the word before attention. Pairs with retire_unused() in procs.c. See
       race 3. */
    rt_fence_sc();
    if (unlikely(rt_procs_is_leaving(p))) {
        rt_procs_retire_unused(p);
    }
}

/* If one thread cannot be started, another one can not either: all Ps without a thread
   are out of the count of idle ones until the monitor tries again, so that nobody tries
   in vain at every spawn. */
static void set_cold_aside(void) {
    int id;
    while ((id = bit_take_any(maps.cold)) >= 0) {
        /* relaxed: the compare-and-swap decides */
        uint64_t w = rt_load_rlx(&rt_idle.word);
        do {
            if (rt_idle_ps(w) == 0) {
                /* Somebody has counted this one down already, and is looking for its
                   bit. */
                bit_set(maps.cold, (uint32_t)id);
                retire_if_leaving(&rt_sched.ps[id]);
                return;
            }
            /* sc: as in reserve(). */
        } while (!rt_cas_sc(&rt_idle.word, &w, w - RT_IDLE_ONE + RT_IDLE_ASIDE_ONE));
        bit_set(maps.aside, (uint32_t)id);
        retire_if_leaving(&rt_sched.ps[id]);
    }
}

/* The searcher that was counted for a P without an M will not search. If it was the last
   one, and there is work, somebody else is woken. Adds to the word in the same go. */
static void drop_searcher(uint64_t change) {
    /* sc: as in reserve(). */
    uint64_t old = rt_add_sc(&rt_idle.word, change - RT_IDLE_SPIN_ONE);
    if (rt_idle_spinning(old) == 1) {
        /* fence(heavy): pairs with the fence(light) in rt_idle_notify(). See race 1. */
        rt_fence_heavy();
        if (rt_find_surplus(1) > 0) {
            rt_idle_wake(1); /* ends: every failure takes Ps out of the count */
        }
    }
    rt_quiesce_check();
}

/* Counted before the bit is set: who clears the bit counts down. */
void rt_idle_set_aside(struct rt_p *p) {
    set_cold_aside();
    drop_searcher(RT_IDLE_ASIDE_ONE);
    bit_set(maps.aside, p->id);
    rt_monitor_poke();
    retire_if_leaving(p);
}

struct rt_p *rt_idle_take_wanted(void) {
    int id;
    while ((id = bit_take_any(maps.wanted)) >= 0) {
        struct rt_p *p = &rt_sched.ps[id];
        if (likely(!rt_procs_is_leaving(p)) || !rt_procs_retire(p)) {
            return p;
        }
        drop_searcher(0);
    }
    return NULL;
}

uint32_t rt_idle_wanted(void) {
    uint32_t n = 0;
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < BITMAP_WORDS && i * 64 < end; i++) {
        /* relaxed: who sets a bit wakes the starter afterwards */
        n += (uint32_t)__builtin_popcountll(rt_load_rlx(&maps.wanted[i]));
    }
    return n;
}

void rt_idle_put_back_wanted(struct rt_p *p) {
    bit_set(maps.wanted, p->id);
}

static void want_thread(struct rt_p *p) {
    bit_set(maps.wanted, p->id);
    rt_starter_wake();
}

void rt_idle_want_thread(struct rt_p *p) {
    p->left_ns = os_now();
    p->left_looks = 0;
    rt_add_sc(&rt_idle.word, RT_IDLE_SPIN_ONE); /* sc: as in reserve() */
    want_thread(p);
}

/* p has been claimed, and a searcher counted for it. */
static void wake_p(struct rt_p *p) {
    /* relaxed: who has cleared the bit owns it */
    struct rt_m *m = rt_load_rlx(&p->m);
    if (m != NULL) {
        m->spinning = true;
        rt_note_wake(m);
    } else if (!rt_spare_give(p, true)) {
        want_thread(p);
    }
}

/* Turns idle Ps into searchers, in the word only, so that there are wanted of them; the
   caller claims as many. 0: there are enough, or no P is idle. */
static uint32_t reserve(uint32_t wanted) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
    for (;;) {
        if (rt_idle_spinning(w) >= wanted) {
            return 0;
        }
        uint32_t n = wanted - rt_idle_spinning(w);
        n = rt_idle_ps(w) < n ? rt_idle_ps(w) : n;
        if (n == 0 && rt_idle_spinning(w) > 0) {
            return 0; /* they will do */
        }
        if (n == 0) {
            /* sc: NEED before any P is given up, or after. See race 2. */
            if ((w & RT_IDLE_NEED) != 0 ||
                rt_cas_sc(&rt_idle.word, &w, w | RT_IDLE_NEED)) {
                return 0;
            }
            continue;
        }
        uint64_t woken = (w & ~RT_IDLE_NEED) - n * RT_IDLE_ONE + n * RT_IDLE_SPIN_ONE;
        /* sc: one order of all changes of the word. See races 1 and 2. */
        if (rt_cas_sc(&rt_idle.word, &w, woken)) {
            return n;
        }
    }
}

void rt_idle_wake(uint32_t wanted) {
    for (uint32_t n = reserve(wanted); n > 0; n--) {
        wake_p(claim_p());
    }
}

/* p has been claimed, and is not for the M that sleeps with it. */
static void part(struct rt_p *p) {
    struct rt_m *m = rt_load_rlx(&p->m); /* relaxed: who has cleared the bit owns it */
    if (m != NULL) {
        rt_store_rlx(&p->m, NULL); /* relaxed: a hint for others */
        m->p = NULL;
        m->spinning = false;
        rt_note_wake(m); /* it is a spare one now */
    }
}

struct rt_p *rt_idle_claim(void) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
    do {
        if (rt_idle_ps(w) == 0) {
            return NULL;
        }
        /* sc: as in reserve(). */
    } while (!rt_cas_sc(&rt_idle.word, &w, w - RT_IDLE_ONE));
    struct rt_p *p = claim_p();
    part(p);
    return p;
}

/* One more in the count of idle Ps, for which there is a bit. */
static void count_idle(void) {
    /* sc: see race 2. */
    uint64_t old = rt_add_sc(&rt_idle.word, RT_IDLE_ONE);
    if ((old & RT_IDLE_NEED) != 0) {
        rt_idle_wake(1);
    } else if (rt_idle_all()) {
        rt_quiesce_check();
    }
}

void rt_idle_put_without_m(struct rt_p *p) {
    bit_set(maps.cold, p->id);
    count_idle();
    retire_if_leaving(p);
}

bool rt_idle_claim_that(struct rt_p *p) {
    while (rt_idle_has(p->id)) {
        uint64_t w =
            rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
        /* sc: as in reserve(). */
        if (rt_idle_ps(w) == 0 || !rt_cas_sc(&rt_idle.word, &w, w - RT_IDLE_ONE)) {
            rt_cpu_relax(); /* others have counted down and look for bits: this, perhaps */
            continue;
        }
        if (bit_clear(maps.parked, p->id) || bit_clear(maps.cold, p->id)) {
            part(p);
            return true;
        }
        count_idle(); /* what was counted down is another one */
    }
    if (bit_clear(maps.aside, p->id)) {
        /* sc: as in reserve(). */
        rt_add_sc(&rt_idle.word, -RT_IDLE_ASIDE_ONE);
        return true;
    }
    return false;
}

void rt_idle_add(struct rt_p *p) {
    bit_set(maps.cold, p->id);
    /* sc: as in reserve(). */
    rt_add_sc(&rt_idle.word, RT_IDLE_TOTAL_ONE + RT_IDLE_ONE);
}

void rt_idle_remove(void) {
    /* sc: as in reserve(). What lay on the P is elsewhere. */
    rt_add_sc(&rt_idle.word, -RT_IDLE_TOTAL_ONE);
}

bool rt_idle_try_spin(struct rt_m *m) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
    while (!m->spinning && rt_idle_total(w) > 1) {
        if (2 * rt_idle_spinning(w) >= rt_idle_busy(w)) {
            break;
        }
        /* sc: as in rt_idle_wake(). */
        m->spinning =
            rt_cas_sc(&rt_idle.word, &w, (w & ~RT_IDLE_NEED) + RT_IDLE_SPIN_ONE);
    }
    return m->spinning;
}

/* Takes one searcher from the count; NEED takes its place if it is the last and no P is
   idle. Returns the old word. */
static uint64_t stop_searching(void) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    do {
        rt_assert(rt_idle_spinning(w) > 0);
        bool need = rt_idle_spinning(w) == 1 && rt_idle_ps(w) == 0;
        after = (w - RT_IDLE_SPIN_ONE) | (need ? RT_IDLE_NEED : 0);
        /* sc: see races 1 and 2. */
    } while (!rt_cas_sc(&rt_idle.word, &w, after));
    return w;
}

void rt_idle_found(struct rt_m *m) {
    m->spinning = false;
    uint64_t old = stop_searching();
    if (rt_idle_ps(old) == 0) {
        return;
    }
    /* Without a fence first: what is seen is there, and who is woken for it takes the
       duty over. */
    uint32_t others = rt_idle_spinning(old) - 1;
    uint32_t target = others + RAMP_FANOUT;
    uint32_t pending = rt_find_surplus(2 * target);
    if (pending == 0 && others == 0) {
        /* fence(heavy): the word before the queues. Pairs with the fence(light) in
           rt_idle_notify(). */
        rt_fence_heavy();
        pending = rt_find_surplus(2 * target);
    }
    if (pending > 0) {
        rt_idle_wake(pending == 1 ? 1 : pending / 2);
    }
}

bool rt_idle_is_claimed(const struct rt_p *p) {
    /* relaxed: only the M itself sets it */
    uint64_t bits = rt_load_rlx(&maps.parked[p->id / 64]);
    return (bits >> p->id % 64 & 1) == 0;
}

bool rt_idle_come_back(struct rt_m *m, struct rt_p *p) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: the compare-and-swap decides */
    do {
        if (rt_idle_ps(w) == 0) {
            return false;
        }
        /* sc: as in rt_idle_wake(). */
    } while (!rt_cas_sc(&rt_idle.word, &w,
                        (w & ~RT_IDLE_NEED) - RT_IDLE_ONE + RT_IDLE_SPIN_ONE));
    if (!bit_clear(maps.parked, p->id)) {
        /* What we took from the count is another P's: its M searches instead of us, and
           we are woken by whoever has ours. */
        wake_p(claim_p());
        return false;
    }
    /* relaxed: who has cleared the bit owns it */
    if (rt_load_rlx(&p->m) != m) {
        /* Somebody had claimed it, has woken us, and gave it up again. */
        wake_p(p);
        return false;
    }
    m->spinning = true;
    rt_monitor_poke();
    return true;
}

bool rt_idle_give_up(struct rt_m *m) {
    struct rt_p *p = m->p;
    bool searched = m->spinning;
    m->spinning = false;
    rt_note_reset(m);
    bit_set(maps.parked, p->id);
    /* sc: see races 1, 2 and 3. */
    uint64_t old =
        rt_add_sc(&rt_idle.word, RT_IDLE_ONE - (searched ? RT_IDLE_SPIN_ONE : 0));
    /* fence(sc): the word before attention. Pairs with rt_idle_release_all(), and with
       retire_unused() in procs.c. See race 3. */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    uint32_t attention = rt_load_rlx(&p->attention);
    bool unwanted = (attention & (RT_ATTENTION_STOP | RT_ATTENTION_RETIRE)) != 0;
    if (unwanted || (old & RT_IDLE_NEED) != 0) {
        return rt_idle_come_back(m, p);
    }
    if (searched && rt_idle_spinning(old) == 1) {
        /* fence(heavy): the word before the queues. Pairs with the fence(light) in
           rt_idle_notify(). */
        rt_fence_heavy();
        if (rt_find_surplus(1) > 0) {
            return rt_idle_come_back(m, p);
        }
    }
    return false;
}

void rt_idle_init(uint32_t procs) {
    for (uint32_t i = 0; i < BITMAP_WORDS; i++) {
        /* relaxed: no other thread yet; likewise below */
        rt_store_rlx(&maps.parked[i], 0);
        rt_store_rlx(&maps.aside[i], 0);
        rt_store_rlx(&maps.wanted[i], 0);
        uint32_t left = procs > i * 64 ? procs - i * 64 : 0;
        rt_store_rlx(&maps.cold[i],
                     left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1);
    }
    rt_store_rlx(&rt_idle.word, procs * (RT_IDLE_TOTAL_ONE + RT_IDLE_ONE));
}

void rt_idle_take_first(void) {
    bit_clear(maps.cold, 0);
    /* sc: as in reserve(). */
    rt_add_sc(&rt_idle.word, -RT_IDLE_ONE);
    rt_monitor_poke();
}

void rt_idle_release_all(void) {
    /* fence(sc): attention before the word. Pairs with rt_idle_give_up(). See race 3. */
    rt_fence_sc();
    uint64_t w = rt_load_rlx(&rt_idle.word);
    while (rt_idle_ps(w) > 0) {
        /* sc: as in rt_idle_wake(). */
        if (rt_cas_sc(&rt_idle.word, &w, w - RT_IDLE_ONE + RT_IDLE_SPIN_ONE)) {
            struct rt_m *m = rt_load_rlx(&claim_p()->m); /* relaxed: as in wake_p() */
            if (m != NULL) {
                m->spinning = true;
                rt_note_wake(m);
            }
            w = rt_load_rlx(&rt_idle.word);
        }
    }
}

/* Its M had to leave it with that, which nobody would come to if it were idle. p is in
   the caller's hands. */
static bool has_own_work(const struct rt_p *p) {
    /* Timers are disarmed by others, and goroutines stolen: then a thread comes for
       nothing. */
    return rt_clock_is_armed(&p->clock) || rt_runq_has_any(&p->runq);
}

void rt_idle_retry_unstartable(void) {
    int id;
    uint32_t tries =
        rt_sched_ps_end(); /* the starter may set them aside again meanwhile */
    while (tries-- > 0 && (id = bit_take_any(maps.aside)) >= 0) {
        struct rt_p *p = &rt_sched.ps[id];
        if (has_own_work(p)) {
            /* sc: as in reserve(). */
            rt_add_sc(&rt_idle.word, RT_IDLE_SPIN_ONE - RT_IDLE_ASIDE_ONE);
            want_thread(p);
            continue;
        }
        bit_set(maps.cold, (uint32_t)id);
        /* sc: as in reserve(). */
        rt_add_sc(&rt_idle.word, RT_IDLE_ONE - RT_IDLE_ASIDE_ONE);
        retire_if_leaving(p);
    }
    /* fence(heavy): the word before the queues. Pairs with the fence(light) in
       rt_idle_notify(), whose caller may have found no idle P a moment ago. */
    rt_fence_heavy();
    if (rt_find_surplus(1) > 0) {
        rt_idle_wake(1);
    }
}
