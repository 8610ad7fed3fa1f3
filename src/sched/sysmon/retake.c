/* SPDX-License-Identifier: MIT */
/* Retaking Ps from threads that block, and preempting goroutines that compute. */
#include "sched/sysmon/retake.h"
#include "base/fence.h"
#include "sched/thread/lockedm.h"
#include "sched/syscall/enter.h"
#include "sched/pending.h"
#include "sched/thread/pidle.h"
#include "sched/sysmon/preempt.h"
#include "sched/deadlock.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/thread/newmhandoff.h"
#include "sched/tuning.h"

#include <string.h>

/*
 * Sysmon looks at each P that is not idle, without a lock, and remembers what it saw. If a
 * P has scheduled nothing since the last look, while goroutines wait for a P and none is
 * idle, its goroutine does one of three things:
 *
 *   it is in a call that it has announced   sysmon retakes the P at the second look that
 *   to block                                finds it in the same call
 *   it sleeps in the kernel unannounced:    sysmon retakes the P
 *   its thread has used no CPU time over
 *   several looks, see 'Still'
 *   it computes                             sysmon requests a yield one look before the
 *                                           slice is over, and sends a signal when it is.
 *                                           If a timer of this P is due, which no other M
 *                                           fires, sysmon requests a yield at once, and
 *                                           sends the signal sooner, see 'Patience'. It
 *                                           does the same on as many Ps as it has found
 *                                           goroutines whose I/O is ready
 *
 * Each look costs a wake-up of sysmon's thread. So one look serves all Ps: if nothing is
 * urgent, it comes every LOOK_NS. The times above are as exact as that.
 *
 * 'Inside' in enter.h explains how sysmon retakes a P.
 *
 * Still. ('Still') Sysmon decides by CPU clocks, which the kernel reports to any process
 * at any time. Files in /proc would say whether a thread sleeps, but a process without a
 * free descriptor, in a chroot or in a sandbox cannot read them. There, the goroutine that
 * holds a lock would never get a P back from those that wait for the lock.
 *
 * A thread that waits for a CPU uses no CPU time either. Sysmon may retake its P too,
 * since the program's code needs none: it costs a handoff, and the thread then computes
 * beside the Ps until sysmon notices, see 'Detached'. A sleeping thread is the usual case,
 * so sysmon retakes the P after STILL_NS, also if something is urgent: longer than the
 * kernel lets one other thread have the CPU. The exception is a goroutine that has called
 * tuco_preempt_off(), or any with asyncpreemptoff=1: others may run beside it only if it
 * certainly sleeps, which is after OFF_NS. The kernel gives a thread 3 to 4 ms on a CPU:
 * OFF_NS is the wait behind ten others. Rejected: a patience learned from threads that run
 * on after they stood still. Calls that block for random times raise the patience as well,
 * and keep it high.
 *
 * Where a clock cannot be read, the goroutine counts as computing. If the signal has not
 * freed its P either, sysmon retakes it after UNREADABLE_NS.
 *
 * Signals. ('Signals') A signal interrupts a call that blocks, and the kernel does not
 * restart poll(), select() or nanosleep(). So sysmon signals only a thread that runs at
 * this moment: its clock advances between two readings a microsecond apart. The clock of a
 * thread whose CPU sysmon itself occupies cannot advance. So sysmon also sends the signal
 * if the thread has used all of the time since the last look except for AWAY_NS. Otherwise
 * the thread sleeps or waits for a CPU: sysmon looks again after FORCE_NS, once, and then
 * at the next round. On a loaded machine a thread that computes waits for a CPU most of the
 * time, and each look may miss it. So AT_LAST_NS after the request to yield, sysmon signals
 * a thread that has used CPU time since the last look, whatever it does now.
 *
 * Patience. ('Patience') A signal costs more than the time of its handler: the goroutine
 * keeps its thread, so the P goes to another thread and later back. The kernel may put that
 * thread on a CPU where another thread of the program computes, while the CPU that was left
 * is idle; then both wait for each other for milliseconds. Most goroutines that compute
 * stop by themselves within a few milliseconds. So if something is urgent, a goroutine may
 * run for PATIENT_NS. One that is still running then, and is stopped by a signal, counts
 * as a hog for HOG_MS: it may run for URGENT_NS only. A signal after URGENT_NS does not
 * prolong that time, since goroutines that stop by themselves after two milliseconds are
 * still running then as well. After HOG_MS the goroutine may run for PATIENT_NS once more.
 * If it has to be stopped again in the next HOG_MS, it counts as a hog for HOG_AGAIN_MS.
 * Time that its thread waits for a CPU does not count: on a loaded machine short turns
 * last long, and the thread that gets the P waits for a CPU as well.
 *
 * Detached. ('Detached') A goroutine whose P was taken while its thread only waited for a
 * CPU computes without a P, and may never call the runtime. The P runs the next one, which
 * has to share the CPUs with the first, and soon stands still itself: after some seconds
 * all goroutines that compute would do so at once. So sysmon lists the threads whose Ps it
 * has taken. While no P is idle, it looks at DETACHED_LOOKS of them in a round, and signals
 * one that uses CPU time by the rule above; or whatever it does now, once it has used
 * DETACHED_NS without a P. The goroutine then waits for a P in the handler. It is known to
 * compute now: as long as it stays on its M, it counts as asleep after OFF_NS only. The
 * number of looks is bounded, because most of these threads sleep, and there may be
 * thousands.
 */

/* How long a goroutine may run if something is urgent, as a hog and otherwise: see
   'Patience'. */
#define URGENT_NS  RT_MS
#define PATIENT_NS (3 * RT_MS)

/* How long a goroutine counts as a hog, the first time and the next: see 'Patience'. */
#define HOG_MS       100
#define HOG_AGAIN_MS 1000
#define HOG_NS       (HOG_MS * RT_MS)

/* How soon sysmon looks again at a goroutine that has not obeyed a request to yield. */
#define FORCE_NS (100 * RT_US)

/* A thread that did not run for more than AWAY_NS since the last look gets a signal only if
   it runs at this moment; AT_LAST_NS after the request, in any case. See 'Signals'. */
#define AWAY_NS    (50 * RT_US)
#define AT_LAST_NS (40 * RT_MS)

/* How long a thread uses no CPU time until it counts as asleep: STILL_NS, less than two
   LOOK_CLOSER_NS; OFF_NS if sysmon has to be certain. See 'Still'. */
#define STILL_NS (4900 * RT_US)
#define OFF_NS   (40 * RT_MS)

/* How long a goroutine may keep its P if its thread's clock cannot be read: see 'Still'. */
#define UNREADABLE_NS (100 * RT_MS)

/* How soon sysmon looks again at a P that it has tried to take from a sleeping thread. */
#define RETAKE_AGAIN_NS RT_MS

/* How many threads without a P sysmon looks at in a round, and how much CPU time one may
   use there: see 'Detached'. */
#define DETACHED_LOOKS 16
#define DETACHED_NS    (10 * RT_MS)

/* How often sysmon looks while goroutines wait and nothing is urgent; and how often for
   CLOSER_FOR_NS after it found a thread asleep unannounced, since others will follow. */
#define LOOK_NS        (5 * RT_MS)
#define LOOK_CLOSER_NS (2500 * RT_US)
#define CLOSER_FOR_NS  RT_S

/* How long an announced call may keep its P, and how soon sysmon looks at it again. The
   interval doubles each time that all such calls were short, until it exceeds LOOK_NS. */
#define BLOCK_NS (20 * RT_US)

/* Sysmon only. */
static int64_t block_look_ns;
static int64_t closer_until_ns; /* see LOOK_CLOSER_NS */
static bool watches_calls;
static uint32_t urgent_left;  /* at this look: ready I/O that no P has been freed for */
static int64_t hogs_until_ns; /* HOG_MS after the last signal */

/* Sysmon only: see 'Detached'. */
static struct {
    struct rt_m *first;
    struct rt_m *last;
    uint32_t count;
    int64_t next_ns; /* the next round */
} detached;

static int64_t cpu_time(const struct rt_m *m) {
    return os_thread_cpu(rt_load_rlx(&m->number)); /* relaxed: a number */
}

/* True: the same M holds the P, and has scheduled nothing since. */
static bool is_unchanged(const struct rt_held *h, const struct rt_p *p,
                         const struct rt_m *m) {
    return h->m == m && h->switches == rt_p_switches(p);
}

/* If the P has looked at its timers since sysmon's last look, the goroutine has begun then,
   or a few short turns later. */
static int64_t begin_ns(const struct rt_held *h, const struct rt_p *p, int64_t now) {
    int64_t looked_ns = rt_load_rlx(&p->looked_ns); /* relaxed: a hint */
    return looked_ns > h->last_ns && looked_ns < now ? looked_ns : now;
}

/* Returns how much of the turn that began turn_ns ago m's thread may not have computed:
   it was in the kernel's queue, or an earlier turn used the time. That is all of the turn
   if no earlier reading of the thread's clock is known, and nothing if the clock cannot be
   read. */
static int64_t lost_before(const struct rt_held *h, const struct rt_m *m, int64_t turn_ns,
                           int64_t cpu_ns) {
    bool known = h->m == m && h->cpu_ns != 0;
    int64_t ran_ns = known ? cpu_ns - h->cpu_ns : 0;
    return cpu_ns != 0 && ran_ns < turn_ns ? turn_ns - ran_ns : 0;
}

static void note_holder(struct rt_held *h, struct rt_p *p, struct rt_m *m, int64_t now,
                        bool sample) {
    /* relaxed: a hint */
    uint32_t blocks = h->m == m ? h->blocks : rt_load_rlx(&m->blocks);
    int64_t since_ns = begin_ns(h, p, now);
    int64_t cpu_ns = sample ? cpu_time(m) : 0;
    *h = (struct rt_held){.m = m,
                          .switches = rt_p_switches(p),
                          .blocks = blocks,
                          .since_ns = since_ns,
                          .lost_ns = lost_before(h, m, now - since_ns, cpu_ns),
                          .cpu_ns = cpu_ns,
                          .cpu_at_ns = now,
                          .looked_ns = now};
}

/* True if m is in an announced call, or has been in one since the last look. */
static bool note_calls(struct rt_held *h, const struct rt_m *m, int64_t now) {
    /* relaxed, both: hints. Safe because goroutine descriptors are never unmapped. */
    uint32_t blocks = rt_load_rlx(&m->blocks);
    bool blocks_now = rt_load_rlx(&rt_m_g_seen(m)->blocking) != 0;
    bool has_called = h->blocks != blocks;
    if (has_called || h->block_ns == 0) {
        h->blocks = blocks;
        h->block_ns = now;
    }
    return blocks_now || has_called;
}

/* True if a goroutine or timer waits that this P would serve, and no P is idle; or if p
   is to go out of use. relaxed, all: hints. */
static bool p_is_wanted(struct rt_p *p, int64_t now) {
    if (rt_p_is_leaving(p)) {
        return true;
    }
    return rt_pidle_ps(rt_load_rlx(&rt_pidle.word)) == 0 &&
           (rt_load_rlx(&p->runq.runnext) != NULL || rt_clock_is_due(&p->clock, now) ||
            rt_pending_count(1) > 0);
}

/* True if a wired goroutine is runnable: more are locked than signals have stopped. Its
   thread waits, and needs nothing but a P. */
static bool has_wired(void) {
    return rt_lockedm_length() > rt_lockedm_stepped_aside();
}

/* True if an M can go on with p at once, or p needs none. A stopped goroutine gets p only
   if no thread can be started for a while: it runs for a slice before those in the queues,
   and if its thread seems asleep as well, p may go to another one that is stopped. */
static bool has_successor(const struct rt_p *p, int64_t blocked_ns) {
    if (rt_p_is_leaving(p) || rt_midle_count() > 0) {
        return true;
    }
    rt_newm_want_spare(blocked_ns >= RT_STUCK_NS); /* for the next look */
    return has_wired() || (rt_lockedm_length() > 0 && blocked_ns >= RT_NO_SPARE_NS);
}

/* After the claim. True: sysmon holds the P. */
static bool take_claimed(struct rt_p *p, struct rt_m *m) {
    uint32_t asked = rt_load_rlx(&m->asked); /* relaxed: the compare-and-swap decides */
    /* acquire: what the thread did with the P. Pairs with the release in rt_m_leave(). */
    bool outside = rt_load_acq(&m->inside) == 0 && rt_load_rlx(&p->m) == m;
    while ((asked & RT_ASKED_CLAIMED) != 0) {
        uint32_t after = asked & ~(uint32_t)RT_ASKED_CLAIMED;
        after |= outside ? RT_ASKED_TAKEN : 0;
        /* acq_rel: decides against claim_withdraw() in entersyscall.c and against
           on_interrupt() in preempt.c. */
        if (rt_cas_acqrel(&m->asked, &asked, after)) {
            return outside;
        }
    }
    return false;
}

/* True: p was retaken and handed off. See 'Inside' in enter.h. */
static bool take_p(struct rt_p *p, struct rt_m *m, int64_t blocked_ns) {
    if (!has_successor(p, blocked_ns)) {
        return false;
    }
    /* Before m can see that its P was taken, and get another one. sc: pairs with the
       acquire in detached_now() in deadlock.c. */
    rt_sched_detach();
    /* acq_rel: the claim. Only sysmon claims. */
    rt_or_acqrel(&m->asked, RT_ASKED_CLAIMED);
    rt_fence_all_threads(); /* the claim before inside. Pairs with rt_m_enter(). */
    if (!take_claimed(p, m)) {
        rt_sched_attach();
        if (rt_pidle_all()) {
            /* the last M may have gone idle while m counted as detached */
            rt_checkdead();
        }
        return false;
    }
    rt_attention_clear(p, RT_ATTENTION_LOCKED); /* the next owner runs any goroutine */
    rt_handoffp_at_once(p);
    return true;
}

static void detached_append(struct rt_m *m) {
    m->detached.listed = true;
    m->detached.next = NULL;
    if (detached.first == NULL) {
        detached.first = m;
    } else {
        detached.last->detached.next = m;
    }
    detached.last = m;
    detached.count++;
}

static struct rt_m *detached_pop(void) {
    struct rt_m *m = detached.first;
    detached.first = m->detached.next;
    detached.count--;
    m->detached.listed = false;
    return m;
}

/* The P of m was taken, and m is not in an announced call. It may be in the list from an
   earlier time. */
static void detached_add(struct rt_m *m, int64_t cpu_ns) {
    m->detached.cpu_ns = cpu_ns;
    m->detached.ran_ns = 0;
    if (!m->detached.listed) {
        detached_append(m);
    }
}

/* False: the thread has a P again, or has ended. */
static bool look_at_detached(struct rt_m *m) {
    /* relaxed: a hint. Safe because the memory of an M stays one until the runtime ends. */
    if ((rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) == 0) {
        return false;
    }
    int64_t cpu_ns = cpu_time(m);
    int64_t used_ns = cpu_ns - m->detached.cpu_ns;
    if (used_ns <= 0) { /* it sleeps, or its clock cannot be read */
        return true;
    }
    m->detached.cpu_ns = cpu_ns;
    m->detached.ran_ns += used_ns;
    bool computes = m->detached.ran_ns >= DETACHED_NS;
    if (rt_preempt_can_recall(m) && rt_preempt_force(m, computes ? 0 : cpu_ns)) {
        m->detached.ran_ns = 0;
        m->detached.computes = rt_m_g_seen(m);
    }
    return true;
}

enum doing {
    UNKNOWN, /* wait for the next look */
    SLEEPS,  /* most likely */
    RUNS,    /* now, or at some time since the last look */
};

/* How long a thread uses no CPU time until it counts as asleep. */
static int64_t still_enough_ns(const struct rt_m *m) {
    /* relaxed: a hint. Safe because goroutine descriptors are never unmapped. */
    const struct rt_g *g = rt_m_g_seen(m);
    if (rt_sched.config.debug.asyncpreempt_off || rt_load_rlx(&g->preempt_off) != 0 ||
        g == m->detached.computes) {
        return OFF_NS;
    }
    return STILL_NS;
}

/* Notes the CPU time of m's thread, and how long that has not changed. */
static void note_cpu_time(struct rt_held *h, const struct rt_m *m, int64_t now) {
    int64_t cpu_ns = cpu_time(m);
    if (cpu_ns == 0) {
        h->cpu_ns = 0;
        return;
    }
    h->away_ns = now - h->looked_ns - (cpu_ns - h->cpu_ns);
    h->lost_ns += h->away_ns > 0 ? h->away_ns : 0;
    h->looked_ns = now;
    if (cpu_ns != h->cpu_ns) {
        h->cpu_ns = cpu_ns;
        h->cpu_at_ns = now;
    }
    h->still_ns = now - h->cpu_at_ns;
}

/* After note_cpu_time(): see 'Still'. */
static enum doing what_it_does(const struct rt_held *h, const struct rt_m *m,
                               int64_t now) {
    if (h->cpu_ns == 0) { /* the clock cannot be read */
        return now - h->since_ns >= UNREADABLE_NS ? SLEEPS : RUNS;
    }
    if (h->still_ns == 0) {
        return RUNS;
    }
    return h->still_ns >= still_enough_ns(m) ? SLEEPS : UNKNOWN;
}

static int64_t round_ns(int64_t now) {
    int64_t look_ns = now < closer_until_ns ? LOOK_CLOSER_NS : LOOK_NS;
    return rt_sched.config.slice_ns < look_ns ? rt_sched.config.slice_ns : look_ns;
}

/* Half a round early, since looks come a little early or late. */
static int64_t slice_left_ns(const struct rt_held *h, int64_t now) {
    return rt_sched.config.slice_ns - (now - h->since_ns) - round_ns(now) / 2;
}

/* The same moment for all Ps: one wake-up of sysmon serves them all. */
static int64_t next_round(int64_t now) {
    int64_t round = round_ns(now);
    return (now / round + 1) * round;
}

/* The same for a thread that has used no CPU time since the last look. */
static int64_t next_closer_round(int64_t now) {
    int64_t next_ns = (now / LOOK_CLOSER_NS + 1) * LOOK_CLOSER_NS;
    return next_ns < next_round(now) ? next_ns : next_round(now);
}

/* See 'Patience'. relaxed, all: hints. Safe because goroutine descriptors are never
   unmapped. */
static bool is_hog(const struct rt_m *m, int64_t now) {
    uint16_t until_ms = rt_load_rlx(&rt_m_g_seen(m)->hog_until_ms);
    return until_ms != 0 && (uint16_t)(until_ms - now / RT_MS - 1) < HOG_AGAIN_MS;
}

/* m's goroutine gets a signal. */
static void note_signal(const struct rt_held *h, const struct rt_m *m, int64_t now) {
    struct rt_g *g = rt_m_g_seen(m);
    uint16_t now_ms = (uint16_t)(now / RT_MS);
    hogs_until_ns = now + HOG_NS;
    if (now - h->since_ns - h->lost_ns >= PATIENT_NS) {
        uint16_t until_ms = rt_load_rlx(&g->hog_until_ms);
        bool again = until_ms != 0 && (uint16_t)(now_ms - until_ms) < HOG_MS;
        until_ms = (uint16_t)(now_ms + (again ? HOG_AGAIN_MS : HOG_MS));
        rt_store_rlx(&g->hog_until_ms, until_ms != 0 ? until_ms : 1);
    }
}

/* Called at a look that has seen m run. Sends a signal, see 'Signals'. Returns when to look
   again. */
static int64_t force_yield(struct rt_held *h, struct rt_m *m, int64_t now) {
    bool ran = h->away_ns <= AWAY_NS || now - h->asked_ns >= AT_LAST_NS;
    bool sent = rt_preempt_force(m, ran ? 0 : h->cpu_ns);
    if (sent) {
        note_signal(h, m, now);
    }
    h->probed = !sent && !h->probed;
    return h->probed || (h->urgent && !sent) ? now + FORCE_NS : next_round(now);
}

/* Again at each look: m may have yielded, and resumed without a counted switch. */
static void ask_to_yield(struct rt_held *h, struct rt_m *m, int64_t now) {
    rt_preempt_ask(m, h->switches, slice_left_ns(h, now) <= round_ns(now));
    if (h->asked_ns == 0) {
        h->asked_ns = now;
    }
}

/* Requests a yield first. If that had no effect, sends a signal. Returns when to look
   again. */
static int64_t m_interrupt(struct rt_held *h, struct rt_m *m, int64_t now) {
    bool in_vain = h->asked_ns != 0 && now - h->asked_ns >= FORCE_NS;
    bool must = h->urgent || slice_left_ns(h, now) <= 0;
    ask_to_yield(h, m, now);
    if (in_vain && must && rt_preempt_can_force(m, now - h->asked_ns)) {
        return force_yield(h, m, now);
    }
    h->probed = false;
    return h->urgent ? now + FORCE_NS : next_round(now);
}

/* Whether sysmon must free p at once: its timer is due, or a goroutine whose I/O is ready
   waits for a P. A look assigns each of these goroutines to one P. */
static void assign_urgent(struct rt_held *h, const struct rt_p *p, int64_t now) {
    h->urgent = rt_clock_is_due(&p->clock, now);
    if (!h->urgent && urgent_left > 0) {
        urgent_left--;
        h->urgent = true;
    }
}

/* When sysmon stops m's goroutine if something is urgent: see 'Patience'. */
static int64_t urgent_end_ns(const struct rt_held *h, const struct rt_m *m, int64_t now) {
    return h->since_ns + h->lost_ns + (is_hog(m, now) ? URGENT_NS : PATIENT_NS);
}

/* Each of the following looks at m, which holds p while goroutines wait, and returns when
   to look again. *took is set if p has changed hands. */

/* The goroutine is in a call that it has announced. */
static int64_t look_at_call(const struct rt_held *h, struct rt_p *p, struct rt_m *m,
                            int64_t now, bool *took) {
    bool taken = take_p(p, m, now - h->block_ns);
    *took |= taken;
    return now + (taken ? BLOCK_NS : FORCE_NS);
}

/* The goroutine has run for less than URGENT_NS: too short to stop it, or to judge by its
   CPU time whether it sleeps. */
static int64_t look_at_short_turn(struct rt_held *h, struct rt_m *m, int64_t now) {
    if (!h->urgent) {
        return h->since_ns + URGENT_NS;
    }
    ask_to_yield(h, m, now);
    return urgent_end_ns(h, m, now);
}

/* The thread may only wait for a CPU. So sysmon first requests a yield, which the goroutine
   sees at its next checkpoint; then it takes the P. */
static int64_t look_at_sleeper(struct rt_held *h, struct rt_p *p, struct rt_m *m,
                               int64_t now, bool *took) {
    closer_until_ns = now + CLOSER_FOR_NS;
    ask_to_yield(h, m, now);
    if (take_p(p, m, h->still_ns)) {
        detached_add(m, h->cpu_ns);
        *took = true;
    }
    return now + RETAKE_AGAIN_NS;
}

static int64_t look_at_runner(struct rt_held *h, struct rt_m *m, int64_t now) {
    int64_t left_ns = slice_left_ns(h, now);
    int64_t end_ns = urgent_end_ns(h, m, now);
    if (!h->urgent && left_ns > round_ns(now)) {
        return next_round(now);
    }
    if (now < end_ns && left_ns > 0) {
        ask_to_yield(h, m, now);
        return rt_earlier(end_ns, next_round(now));
    }
    return m_interrupt(h, m, now);
}

/* The thread has used no CPU time since the last look: it sleeps or waits for a CPU. */
static int64_t look_at_unknown(const struct rt_held *h, int64_t now) {
    if (h->urgent) {
        return now + (h->still_ns < URGENT_NS ? FORCE_NS : URGENT_NS);
    }
    return next_closer_round(now);
}

/* The same goroutine as at the last look. */
static int64_t look_at_held(struct rt_held *h, struct rt_p *p, struct rt_m *m,
                            int64_t now, bool *took) {
    /* relaxed: a hint; the claim decides */
    bool calls = rt_load_rlx(&rt_m_g_seen(m)->blocking) != 0;
    if (calls && now - h->block_ns >= BLOCK_NS) {
        return look_at_call(h, p, m, now, took);
    }
    if (now - h->since_ns < URGENT_NS) {
        return look_at_short_turn(h, m, now);
    }
    note_cpu_time(h, m, now);
    switch (what_it_does(h, m, now)) {
    case SLEEPS: return look_at_sleeper(h, p, m, now, took);
    case RUNS: return look_at_runner(h, m, now);
    default: return look_at_unknown(h, now);
    }
}

/* The first look at this goroutine: m is not yet known to run, so it gets no signal. */
static int64_t look_at_new(struct rt_held *h, struct rt_m *m, int64_t now) {
    if (!h->urgent) {
        return next_round(now);
    }
    ask_to_yield(h, m, now);
    int64_t force_ns = now + FORCE_NS;
    int64_t end_ns = urgent_end_ns(h, m, now);
    return end_ns > force_ns ? end_ns : force_ns;
}

/* m is inside the runtime, perhaps at each look. Only a signal needs it outside. */
static int64_t look_at_inside(struct rt_held *h, struct rt_m *m, int64_t now,
                              bool unchanged) {
    if (unchanged && (h->urgent || slice_left_ns(h, now) <= round_ns(now))) {
        ask_to_yield(h, m, now);
    }
    return h->urgent ? now + URGENT_NS : next_round(now);
}

/* Returns when to look again. */
static int64_t look_at(struct rt_p *p, int64_t now, bool *took) {
    struct rt_held *h = &p->sysmontick.held;
    /* acquire: m is initialized. Pairs with rt_acquirep().
       Safe because the memory of an M stays one until the runtime ends. */
    struct rt_m *m = rt_load_acq(&p->m);
    if (m == NULL || rt_pidle_has(p->id)) {
        return OS_NEVER;
    }
    bool unchanged = is_unchanged(h, p, m);
    bool wanted = p_is_wanted(p, now);
    if (!unchanged) {
        note_holder(h, p, m, now, wanted);
    }
    h->last_ns = now;
    if (!wanted) {
        return OS_NEVER;
    }
    watches_calls |= note_calls(h, m, now);
    assign_urgent(h, p, now);
    if (!rt_m_is_outside(m)) {
        return look_at_inside(h, m, now, unchanged);
    }
    return unchanged ? look_at_held(h, p, m, now, took) : look_at_new(h, m, now);
}

/* A round through the list. Returns when to look again. */
static int64_t look_at_all_detached(int64_t now) {
    /* relaxed: a hint */
    if (detached.count == 0 || rt_pidle_ps(rt_load_rlx(&rt_pidle.word)) > 0) {
        return OS_NEVER;
    }
    if (now < detached.next_ns) {
        return detached.next_ns;
    }
    uint32_t looks = detached.count < DETACHED_LOOKS ? detached.count : DETACHED_LOOKS;
    for (uint32_t i = 0; i < looks; i++) {
        struct rt_m *m = detached_pop();
        if (look_at_detached(m)) {
            detached_append(m);
        }
    }
    detached.next_ns = next_round(now);
    return detached.count > 0 ? detached.next_ns : OS_NEVER;
}

/* After all Ps: when to look at announced calls again. */
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
        again_ns = rt_earlier(again_ns, next_ns);
    }
    int64_t calls_ns = next_look_at_calls(now_ns, took_one);
    again_ns = rt_earlier(again_ns, calls_ns);
    int64_t detached_ns = look_at_all_detached(now_ns);
    *took |= took_one;
    return rt_earlier(detached_ns, again_ns);
}

bool rt_retake_has_hogs(int64_t now_ns) {
    return now_ns < hogs_until_ns;
}

bool rt_retake_watches_calls(void) {
    return watches_calls;
}

void rt_retake_start(void) {
    block_look_ns = BLOCK_NS;
    closer_until_ns = 0;
    hogs_until_ns = 0;
    watches_calls = false;
    memset(&detached, 0, sizeof detached);
}
