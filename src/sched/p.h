/* SPDX-License-Identifier: MIT */
/* P: the right to run goroutines, with its run queues, caches and counters. */
#ifndef RT_SCHED_P_H
#define RT_SCHED_P_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/wheel.h"
#include "mem/blocks.h"
#include "mem/gpool.h"
#include "mem/stack.h"
#include "sched/m.h"

struct rt_timers;

#define RT_PROCS_MAX 1024

/* Returns the default number of Ps for a number of CPUs; 0, which means no change, if the
   caller got an error in its place. */
static inline uint32_t rt_procs_by_default(int cpus) {
    uint32_t procs = cpus < 0 ? 0 : (uint32_t)cpus;
    return procs < RT_PROCS_MAX ? procs : RT_PROCS_MAX;
}

/* The owner checks the global queue and yieldq before every 61st slice, and the clock at
   least as often. Go's number: a prime, so that it does not resonate with a program's own
   patterns. */
#define RT_LOOK_INTERVAL 61

enum rt_attention {
    RT_ATTENTION_STOP = 1, /* the runtime ends: run no more goroutines */
    /* the slice is over: move the G in runnext behind all others */
    RT_ATTENTION_SLICE = 2,
    /* a timer is due, or another P requests help with its timers */
    RT_ATTENTION_TIMERS = 4,
    /* a locked goroutine has become runnable, or the locked list has its turn: if it has,
       the owner hands the P to the M of the first goroutine there */
    RT_ATTENTION_HANDOFF = 8,
    /* the owner runs only its own goroutine: see lockedm.h and findrunnable.c */
    RT_ATTENTION_LOCKED = 16,
    /* more Ps than wanted: the owner gives this one up, see procresize.c */
    RT_ATTENTION_RETIRE = 32,
    /* netpoll is overdue, or urgent Gs are in the global queue: the scheduler polls and
       takes those first */
    RT_ATTENTION_NETPOLL = 64,

    /* with one of these set, a goroutine does not switch directly to the next one */
    RT_ATTENTION_SCHEDULER = RT_ATTENTION_STOP | RT_ATTENTION_SLICE |
                             RT_ATTENTION_TIMERS | RT_ATTENTION_HANDOFF |
                             RT_ATTENTION_LOCKED | RT_ATTENTION_RETIRE |
                             RT_ATTENTION_NETPOLL,
};

/* A value of woke_ns: the waker has run for long enough to count as one that goes on. */
#define RT_WOKE_LONG_AGO 1

/* What the scheduler knows about a timer wheel. Written under the wheel's lock, see
   'Clocks' in sched/timers.c. */
struct rt_clock {
    rt_atomic(int64_t) next_ns;  /* when the first timer is due, or RT_WHEEL_NEVER */
    rt_atomic(uint32_t) firings; /* batches of due timers taken out of the wheel */
};

/* The next turn of the locked goroutines comes when 'slices' slices have begun since
   'from'. */
struct rt_turn {
    uint32_t from; /* value of schedtick at the last turn */
    uint32_t slices;
    bool put_off;      /* it has come, and the G in runnext went first */
    uint32_t nexttick; /* value of nexttick at that time */
};

/* How long goroutines run: see 'Waking others' in netpoll.c. */
struct rt_pace {
    int64_t since_ns; /* start of the measurement; 0: none */
    uint32_t slices;  /* value of schedtick at that time */
    int64_t each_ns;  /* average time of a goroutine; 0: unknown */
    int64_t full_ns;  /* since when every look found the ring full; 0: the last did not */
};

/* How often the owner reads the clock: see look.h. */
struct rt_look {
    int64_t at_ns;      /* time of the last look; 0: no timer was armed */
    uint32_t interval;  /* schedulings between two looks */
    uint32_t countdown; /* schedulings until the next look */
    uint32_t left; /* from there to the 61st scheduling, with a look at other queues */
};

/* How long goroutines wait for the owner: see 'Age' in findlocal.c. */
struct rt_waiting {
    int64_t ring_ns; /* when the mark was set; 0: the ring was empty */
    uint32_t slot;   /* the mark: the end of the ring at that time */
    /* The first look, since the owner last served the global queue and yieldq, that found
       one not empty; 0: none did. */
    int64_t starved_ns;
    bool chain_over; /* the goroutine in runnext goes behind the ring */
};

/* Habits that a P keeps for places. Two places share one if their hashes are equal. */
#define RT_HABITS 512

/* How long a shortage has lasted: see rt_lack_lasts(). */
struct rt_lack {
    int64_t since_ns;
    int64_t seen_ns; /* last time it was seen */
};

/* The goroutine that holds a P, as sysmon saw it: see retake.c. Times are those of
   looks. */
struct rt_held {
    struct rt_m *m;
    uint32_t switches; /* of the P, when m was first seen to run this goroutine */
    uint32_t blocks;
    int64_t since_ns;  /* when that was, or when the goroutine began */
    int64_t last_ns;   /* the last look */
    int64_t block_ns;  /* the first look at which m was in this announced call */
    int64_t cpu_ns;    /* the CPU time of m's thread at the last look; 0: unknown */
    int64_t cpu_at_ns; /* the first look that saw cpu_ns */
    int64_t still_ns;  /* from cpu_at_ns to the last look that saw cpu_ns */
    int64_t asked_ns;  /* the request to yield; 0: none */
    int64_t looked_ns; /* the last look at the CPU time */
    int64_t away_ns;   /* between the last two, the time that m's thread did not run */
    int64_t lost_ns;   /* the sum of these; at first, the same before the first look */
    bool urgent;       /* this look: a timer or a descriptor waits for this P */
    bool probed; /* the last look was due to signal m, and did not find it running */
};

/* What a P had done at sysmon's last look. */
struct rt_sysmontick {
    uint32_t switches;
    uint32_t schedtick;
    int64_t slice_began_ns; /* the first look at this schedtick */
    int64_t kept_ns;        /* the first look at the Gs kept up to kept_end; 0: none */
    uint32_t kept_end;
    struct rt_held held;
};

#define RT_RUNQ_SLOTS 256u

/* A run queue: a ring, and runnext. Its rules are in runq.h. */
struct rt_runq {
    /* Atomic: moved by the owner and thieves. */
    rt_atomic(uint32_t) head RT_CACHE_ALIGNED;

    /* Atomic: written by the owner. Thieves clear runnext; any thread lowers kept_end. */
    rt_atomic(uint32_t) tail RT_CACHE_ALIGNED;
    rt_atomic(struct rt_g *) runnext;
    rt_atomic(uint32_t) kept_end; /* Gs before this slot are kept: rt_runq_keep() */
    rt_atomic(struct rt_g *) slots[RT_RUNQ_SLOTS];
};

struct rt_p {
    struct rt_runq runq;
    /* Goroutines that yielded or used up their slice. They run when runq and the global
       queue are empty, or when it is their turn. Same rules; its runnext is not used. */
    struct rt_runq yieldq;

    /* Atomic: the M that runs or sleeps with the P; NULL: idle without an M, or between two
       Ms. Written by the owner. */
    rt_atomic(struct rt_m *) m RT_CACHE_ALIGNED;

    /* Owner: the M that runs with the P, or the thread that has claimed it from the idle Ps
       or is handing it off. Passed on through the idle word, see pidle.h. */
    struct rt_gcache gcache;
    /* since when the P needs an M because its own had to leave it: see newm.c; 0: it does
       not */
    int64_t left_ns;
    struct rt_lack lack;         /* the same shortage, as the starter thread saw it */
    struct rt_turn lockedm_turn; /* see lockedm.h */
    bool handed_straight; /* at the last preemption: see 'Spin locks' in lockedm.c */
    uint8_t exchanges;    /* in a row: see 'Too many stopped' there */
    struct rt_pace pace;
    uint32_t poll_countdown; /* waits for descriptors until the next look at the clock */
    uint32_t next_countdown; /* Gs from runnext until the next look at the clock */
    struct rt_habit *woke_place; /* of the last wake-up; NULL: it learns nothing */
    struct rt_waiting waiting;
    bool helps;          /* helps another P with its timers: see findrunnable.c */
    bool yieldq_turn;    /* next time yieldq comes before the global queue */
    int64_t yielded_ns;  /* start of the current turn of a G from yieldq; 0: none */
    int64_t yieldq_ns;   /* earliest start of the next such turn */
    struct rt_look look; /* before Gs from the ring */
    struct rt_look yielded_look; /* before Gs from yieldq, which may run much longer */
    /* until then goroutines run even if timers are due: see findrunnable.c */
    int64_t turn_until_ns;
    /* rt_p_switches() with the last urgent G: see find_urgent() */
    uint32_t urgent_switches;
    /* goroutine ids reserved for this P: [id_next, id_end) */
    uint64_t id_next;
    uint64_t id_end;

    /* Atomic: written by the owner only; read by reports, sysmon, thieves and
       rt_checkdead(). */
    rt_atomic(uint32_t) schedtick; /* slices begun */
    rt_atomic(uint32_t) nexttick; /* goroutines run from runnext, on an inherited slice */
    rt_atomic(int64_t) looked_ns; /* when the owner last looked at its timers, if any */
    rt_atomic(uint64_t) spawned;
    rt_atomic(uint64_t) ended;
    rt_atomic(uint64_t) polls_begun; /* waits for descriptors */
    rt_atomic(uint64_t) polls_ended;
    /* the word in which the last of them waits: see pollwait.h */
    rt_atomic(const rt_atomic(uintptr_t) *) awaited;
    rt_atomic(int) cpu; /* where the owner last ran: a hint for thieves */

    /* Atomic: when the running goroutine woke another one, if that wake-up is measured;
       0: it is not. Written by the owner; a thief or sysmon stores RT_WOKE_LONG_AGO. See
       'Habits' in park.c. */
    rt_atomic(int64_t) woke_ns;

    /* Atomic: clock of the P's own timers. Only the owner makes next_ns earlier. */
    struct rt_clock clock;

    /* Atomic: enum rt_attention. Any thread sets bits to make the owner leave the fast
       path. The owner clears them; procresize.c may clear RETIRE. */
    rt_atomic(uint32_t) attention;

    /* Atomic: written by sysmon, never 0: what a waker was seen to do holds for one period.
       See 'Habits' in park.c. */
    rt_atomic(uint8_t) habit_period;

    /* The lock in procresize.c. */
    bool retired; /* out of use */

    /* Immutable once the P is made. */
    uint32_t id;
    struct rt_timers *timers; /* its own rules: sched/timers.h */

    /* Owner. */
    struct rt_habit habits[RT_HABITS];
    struct rt_stack_cache stacks;
    struct rt_block_cache blocks;

    /* Sysmon; the starting thread before it runs. */
    struct rt_sysmontick sysmontick RT_CACHE_ALIGNED;
};

/* Whether a timer is armed, or due. relaxed, both: only the owner makes next_ns earlier, so
   the owner misses no timer. For other threads it is a hint; they use
   rt_sched_timers_armed() for more. */
static inline bool rt_clock_is_armed(const struct rt_clock *clock) {
    return rt_load_rlx(&clock->next_ns) != RT_WHEEL_NEVER;
}

static inline bool rt_clock_is_due(const struct rt_clock *clock, int64_t now_ns) {
    return rt_load_rlx(&clock->next_ns) <= now_ns;
}

/* Owner. Reports whether the P caches anything. */
static inline bool rt_p_has_caches(const struct rt_p *p) {
    return p->stacks.count > 0 || p->gcache.count > 0 || p->blocks.count > 0;
}

/* Owner. Returns the P's cached stacks, descriptors and blocks to the shared pools. */
static inline void rt_p_flush_caches(struct rt_p *p) {
    rt_stack_flush(&p->stacks);
    rt_gpool_flush(&p->gcache);
    rt_block_flush(&p->blocks);
}

/* Any thread. Records that the goroutine running on p goes on after a wake-up; it is judged
   so when it stops. See 'Habits' in park.c. */
static inline void rt_p_waker_goes_on(struct rt_p *p) {
    rt_store_rlx(&p->woke_ns, RT_WOKE_LONG_AGO); /* relaxed: a hint */
}

/* Any thread. Requests something of the owner of p, see enum rt_attention. release:
   publishes what the request is about. Pairs with rt_attention_clear(). */
static inline void rt_attention_set(struct rt_p *p, uint32_t bits) {
    rt_or_acqrel(&p->attention, bits);
}

/* acquire: the caller clears the bits and then looks, so it sees what the requests are
   about, and no request is lost. Pairs with rt_attention_set(). */
static inline void rt_attention_clear(struct rt_p *p, uint32_t bits) {
    rt_and_acqrel(&p->attention, ~bits);
}

static inline bool rt_attention_has(const struct rt_p *p, uint32_t bits) {
    /* relaxed: a late bit is seen later */
    return (rt_load_rlx(&p->attention) & bits) != 0;
}

/* Whether p should be retired. A hint: rt_procs_retire() decides. */
static inline bool rt_p_is_leaving(const struct rt_p *p) {
    /* relaxed: a late bit is seen at the next scheduling */
    return rt_attention_has(p, RT_ATTENTION_RETIRE);
}

/* Binding. m->p and p->m are written here, by m's thread or, while m sleeps, by the owner
   of its note. Only when sysmon takes p from an m that is outside are there two halves:
   sysmon calls rt_p_forget_m() at once, and m calls rt_m_drop_taken() when it enters. */

/* Binds p to m, and publishes m to sysmon. */
static inline void rt_acquirep(struct rt_m *m, struct rt_p *p) {
    m->p = p;
    /* release: publishes the M. Pairs with look_at() in retake.c. */
    rt_store_rel(&p->m, m);
}

/* Owner. p has no M until the next rt_acquirep(). */
static inline void rt_p_forget_m(struct rt_p *p) {
    rt_store_rlx(&p->m, NULL); /* relaxed: a hint for sysmon */
}

/* Unbinds m from its P and returns that, or NULL. The caller owns it, and calls this before
   another M may have it. The next owner may run any goroutine. */
static inline struct rt_p *rt_releasep(struct rt_m *m) {
    struct rt_p *p = m->p;
    m->p = NULL;
    if (p != NULL) {
        rt_p_forget_m(p);
        rt_attention_clear(p, RT_ATTENTION_LOCKED);
    }
    return p;
}

/* Owner. Adds one to a counter that only the owner writes. release: a reader that sees the
   end of a goroutine counted also sees its spawn counted. Pairs with the acquire in
   rt_sched_ended(), and for waits in rt_netpoll_waits_ended(). */
#define rt_p_count(counter) rt_store_rel(counter, rt_load_rlx(counter) + 1)

/* How often p has switched to a goroutine. The same at two looks: it has not in between. */
static inline uint32_t rt_p_switches(const struct rt_p *p) {
    /* relaxed: only compared with an older value. */
    return rt_load_rlx(&p->schedtick) + rt_load_rlx(&p->nexttick);
}

/* Owner, between two goroutines. True if the last one that ran was urgent: then another
   one has its turn. */
static inline bool rt_p_last_was_urgent(const struct rt_p *p) {
    return p->urgent_switches == rt_p_switches(p);
}

#endif
