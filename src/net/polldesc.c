/* SPDX-License-Identifier: MIT */
/* The states of one direction of one descriptor, and the memory of descriptors. */
#include "net/polldesc.h"
#include "base/alloc.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/enter.h"
#include "sched/park.h"
#include "sched/poll.h"
#include "sched/sched.h"
#include "sched/wait.h"
#include "time/timer.h"

#include <errno.h>

/*
 * Problem. The kernel tells of readiness once, when it comes about ("edge"), to whoever
 * polls at that time; the goroutine that needs it tries, fails, and then waits. Between
 * its try and its wait the kernel may tell; the deadline may pass; somebody may close.
 * Each of the three has to end the wait, none may be lost, and exactly one may wake the
 * goroutine.
 *
 * Rejected. A state for readiness and flags for the other two, as Go has it: who waits
 * then has to publish himself first and look at the flags afterwards, and who sets a flag
 * has to look for him afterwards, with fences in between. A queue under a lock, as
 * channels have it: events of a thousand descriptors would take a thousand locks on the
 * stack of a scheduler, each of which a goroutine may hold that has lost its CPU. A level
 * of readiness that the kernel is asked for anew each time: a system call more for each
 * wait.
 *
 * One word. ('One word') A direction is one word: the goroutine that waits, or none, and
 * the bits READY, EXPIRED, CLOSED and MORE. It changes as a whole, by compare-and-swap,
 * so that each change sees the whole state of the others.
 *
 *     from                 to                          by
 *     ------------------   -------------------------   -------------------------------------
 *     nobody, none of      the goroutine               commit_wait(), after its switch
 *     the first three
 *     one of them          the same                    commit_wait(): it does not wait, but
 *                                                      goes on at once
 *     anything             READY set, and perhaps      rt_polldesc_events()
 *                          MORE, nobody
 *     anything             EXPIRED set, nobody         deadline_fired(), set_deadline
 *     anything             CLOSED set, nobody          rt_polldesc_close()
 *     READY                not READY                   the one who operates: before its first
 *                                                      try, and at the end of its wait
 *     EXPIRED              not EXPIRED                 set_deadline
 *
 * Who makes a change that leaves nobody in the word, and found a goroutine there, wakes
 * it: since only one change can have found it, it is woken once. One of the first three
 * bits and the goroutine never are in the word together; so who comes first decides: a
 * bit before the goroutine lets it go on at once, and after it, takes it out. There is no
 * third case, and no fence.
 *
 * Only one operates in a direction at a time: others wait for their turn, see lane.h.
 *
 * Ready before park. READY stays until somebody consumes it. It is forgotten before the
 * first try of an operation: what it told of is then seen by the try itself, since the
 * kernel had it before it told. What is told after that stays, and lets the wait return
 * at once. So READY is at worst one try too many, never one too few, and may be set for
 * no reason at all.
 *
 * Deadlines. The point in time is kept, and compared with the clock before each
 * operation. A timer is armed only by who has to wait, and then stays: if the deadline
 * moves to later, as it does with each message of a long connection, the timer fires at
 * the old time, finds nothing due, and is armed for the new one if somebody still waits.
 * So setting a deadline costs a lock and two stores. waits says that somebody does, so
 * that an earlier deadline arms the timer then; it is set under the lock by who waits
 * before he looks at the deadline, and read under the lock by who has changed the
 * deadline: one of the two arms it. Firing against a new deadline: both under the lock,
 * and the firing looks at the clock.
 *
 * Lifetime. A thread that polls has the kernel's events in its hands when the descriptor
 * is closed, given back and used for another one. So the memory stays what it is until
 * there is no poller any more, events carry the generation that they were asked for with,
 * and an event of an earlier one is dropped. One that slips through, because the
 * generation changes just after it was compared, sets READY for no reason, or wakes one
 * that tries once too often. The same goes for timers, which carry a tag.
 */

/* States */

static struct rt_g *waiter_of(uintptr_t word) {
    return (struct rt_g *)(word & ~(uintptr_t)RT_POLLWAY_BITS);
}

_Static_assert(RT_GSLOT_BYTES > RT_POLLWAY_BITS, "the low bits of a descriptor are free");

/* Sets the bits. Returns who waited, whom the caller wakes; NULL: nobody. */
static struct rt_g *notify(struct rt_pollway *way, uintptr_t bits) {
    uintptr_t word = rt_load_rlx(&way->word); /* relaxed: decided below */
    uintptr_t set;
    do {
        set = (word & RT_POLLWAY_BITS) | bits;
        /* acquire: takes the goroutine over, whose registers are saved. Pairs with
           commit_wait(). release: what led to the bits. Pairs with outcome() and
           rt_polldesc_begin(). */
    } while (!rt_cas_acqrel(&way->word, &word, set));
    return waiter_of(word);
}

static void clear(struct rt_pollway *way, uintptr_t bit) {
    /* acquire: what the kernel had when it told of readiness is there for the next try.
       Pairs with notify(). */
    rt_and_acqrel(&way->word, ~bit);
}

/* After the switch; on a foreign thread without one. */
static void commit_wait(struct rt_m *m, struct rt_g *g, void *raw) {
    struct rt_pollway *way = raw;
    uintptr_t word = rt_load_rlx(&way->word); /* relaxed: decided below */
    (void)m;
    do {
        rt_assert(waiter_of(word) == NULL);
        if ((word & RT_POLLWAY_ENDS) != 0) {
            rt_ready(g);
            return;
        }
        /* release: g can be resumed. Pairs with notify(). */
    } while (!rt_cas_acqrel(&way->word, &word, word | (uintptr_t)g));
}

/* Why the wait is over. */
static int outcome(struct rt_pollway *way) {
    uintptr_t word = rt_load_acq(&way->word); /* acquire: as in clear() */
    if ((word & RT_POLLWAY_CLOSED) != 0) {
        return -ECANCELED;
    }
    if ((word & RT_POLLWAY_EXPIRED) != 0) {
        return -ETIMEDOUT;
    }
    if ((word & RT_POLLWAY_READY) != 0) {
        clear(way, RT_POLLWAY_READY);
    }
    return 0;
}

/* Deadlines */

static int64_t deadline_of(const struct rt_pollway *way) {
    return rt_load_rlx(&way->deadline_ns); /* relaxed: a number, or the lock is held */
}

static void disarm_locked(struct rt_pollway *way) {
    rt_assert_spin_held(&way->lock);
    if (way->armed) {
        way->armed = false;
        /* False: it is firing, and will find another tag. */
        (void)rt_timer_disarm(&way->timer);
        way->timer.tag++; /* after it has left its wheel, which reads the tag */
    }
}

/* While the runtime stops a thread may still wait, and what it waits for holds that
   up. */
static bool has_clock(void) {
    enum rt_phase phase = rt_phase_now();
    return phase == RT_RUNNING || phase == RT_STOPPING;
}

/* Somebody waits: the timer has to be due at the deadline or before. Inside. */
static void watch_clock_locked(struct rt_pollway *way) {
    int64_t deadline_ns = deadline_of(way);
    rt_assert_spin_held(&way->lock);
    if (deadline_ns == OS_NEVER || !has_clock() ||
        (way->armed && way->timer.when_ns <= deadline_ns)) {
        return;
    }
    disarm_locked(way);
    way->armed = true;
    rt_timer_arm(&way->timer, deadline_ns);
}

/* On a scheduler's stack, in the monitor, or at the end of the runtime. */
static void deadline_fired(struct rt_timer *timer, uint32_t tag, int64_t now_ns) {
    struct rt_pollway *way = rt_container_of(timer, struct rt_pollway, timer);
    struct rt_g *woken = NULL;
    rt_spin_lock_thread(&way->lock);
    if (way->armed && tag == way->timer.tag) {
        way->armed = false;
        if (now_ns == RT_TIMER_DROPPED) {
            /* who waits when a runtime runs again arms it */
        } else if (deadline_of(way) <= now_ns) {
            woken = notify(way, RT_POLLWAY_EXPIRED);
        } else if (rt_load_rlx(&way->waits)) { /* relaxed: once too often does no harm */
            watch_clock_locked(way);
        }
    }
    rt_spin_unlock(&way->lock);
    if (woken != NULL) {
        rt_ready(woken);
    }
}

/* Inside. Returns whom to wake. */
static struct rt_g *set_deadline_locked(struct rt_pollway *way, int64_t deadline_ns) {
    rt_assert_spin_held(&way->lock);
    rt_store_rlx(&way->deadline_ns,
                 deadline_ns); /* relaxed: under the lock, or a number */
    if (deadline_ns <= os_now()) {
        disarm_locked(way);
        return notify(way, RT_POLLWAY_EXPIRED);
    }
    clear(way, RT_POLLWAY_EXPIRED);
    if (deadline_ns == OS_NEVER) {
        disarm_locked(way); /* one that is armed keeps the report of a deadlock silent */
    } else if (rt_load_rlx(&way->waits)) { /* relaxed: set under the lock */
        watch_clock_locked(way);
    }
    return NULL;
}

void rt_polldesc_set_deadline(struct rt_polldesc *d, enum rt_pollway_name name,
                              int64_t deadline_ns) {
    struct rt_pollway *way = &d->ways[name];
    rt_enter();
    rt_spin_lock(&way->lock);
    struct rt_g *woken = set_deadline_locked(way, deadline_ns);
    rt_spin_unlock(&way->lock);
    if (woken != NULL) {
        rt_ready(woken);
    }
    rt_leave();
}

/* Operating */

int rt_polldesc_begin(struct rt_polldesc *d, enum rt_pollway_name name) {
    struct rt_pollway *way = &d->ways[name];
    int64_t deadline_ns = deadline_of(way);
    uintptr_t word = rt_load_acq(&way->word); /* acquire: as in clear() */
    rt_assert(waiter_of(word) == NULL);
    if (unlikely((word & RT_POLLWAY_CLOSED) != 0)) {
        return -ECANCELED;
    }
    if (deadline_ns != OS_NEVER && deadline_ns <= os_now()) {
        return -ETIMEDOUT;
    }
    if ((word & RT_POLLWAY_READY) != 0) {
        clear(way, RT_POLLWAY_READY);
        return 0;
    }
    return (word & RT_POLLWAY_MORE) != 0 ? 0 : RT_POLLDESC_SILENT;
}

static void park(struct rt_g *g, struct rt_pollway *way, const void *pc) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_park(m, commit_wait, way, RT_WAIT_io, pc);
    } else {
        rt_foreign_park(g, commit_wait, way, RT_TICKET_ALONE, OS_NEVER);
    }
}

/* See 'Deadlines'. Inside. */
static void announce(struct rt_pollway *way) {
    rt_spin_lock(&way->lock);
    rt_store_rlx(&way->waits, true); /* relaxed: under the lock */
    watch_clock_locked(way);
    rt_spin_unlock(&way->lock);
}

int rt_polldesc_wait(struct rt_polldesc *d, enum rt_pollway_name name, const void *pc) {
    struct rt_pollway *way = &d->ways[name];
    struct rt_g *g = rt_wait_begin();
    rt_poll_wait_begin();
    announce(way);
    park(g, way, pc);
    rt_store_rlx(&way->waits, false); /* relaxed: who does not see it arms in vain */
    rt_poll_wait_end();
    rt_wait_end(g);
    return outcome(way);
}

/* READY for each of these directions, and who waited for it to the list. */
static void collect(struct rt_polldesc *d, uint32_t events, struct rt_glist *ready) {
    static const uint32_t wanted[RT_POLLWAYS] = {OS_POLL_READ, OS_POLL_WRITE};
    uintptr_t bits =
        RT_POLLWAY_READY | ((events & OS_POLL_MORE) != 0 ? RT_POLLWAY_MORE : 0);
    for (int i = 0; i < RT_POLLWAYS; i++) {
        struct rt_g *g = (events & wanted[i]) != 0 ? notify(&d->ways[i], bits) : NULL;
        if (g != NULL) {
            rt_glist_append(ready, g);
        }
    }
}

void rt_polldesc_events(struct rt_polldesc *d, uint32_t generation, uint32_t events,
                        struct rt_glist *ready) {
    /* relaxed: see 'Lifetime' */
    if (rt_load_rlx(&d->generation) == generation) {
        collect(d, events, ready);
    }
}

void rt_polldesc_close(struct rt_polldesc *d) {
    rt_enter();
    for (int i = 0; i < RT_POLLWAYS; i++) {
        struct rt_g *woken = notify(&d->ways[i], RT_POLLWAY_CLOSED);
        if (woken != NULL) {
            rt_ready(woken);
        }
    }
    rt_leave();
}

/* Memory */

/* Slab i has FIRST_SLOTS << i descriptors: so a number names its slab by its highest bit,
   and there are as many as numbers reach. */
#define FIRST_SLOTS 64u
#define SLABS       26

static struct {
    struct rt_spin lock; /* guards what follows; taken inside, alone */
    struct rt_polldesc *free;
    uint32_t in_use;
    uint32_t slab_count;
    rt_atomic(struct rt_polldesc *) slabs[SLABS]; /* read without the lock */
} pool;

static uint32_t slab_slots(uint32_t slab) {
    return FIRST_SLOTS << slab;
}

/* The number of its first descriptor. */
static uint32_t slab_start(uint32_t slab) {
    return slab_slots(slab) - FIRST_SLOTS;
}

struct rt_polldesc *rt_polldesc_of(uint64_t token) {
    uint32_t index = (uint32_t)token;
    uint32_t slab = 31 - (uint32_t)__builtin_clz(index / FIRST_SLOTS + 1);
    /* acquire: what is in it. Pairs with add_slab_locked(). */
    return rt_load_acq(&pool.slabs[slab]) + (index - slab_start(slab));
}

static void set_up_slab(struct rt_polldesc *slab, uint32_t number) {
    for (uint32_t i = 0; i < slab_slots(number); i++) {
        struct rt_polldesc *d = &slab[i];
        d->index = slab_start(number) + i;
        d->next_free = i + 1 < slab_slots(number) ? d + 1 : NULL;
        for (int k = 0; k < RT_POLLWAYS; k++) {
            d->ways[k].timer.fire = deadline_fired;
            rt_init(&d->ways[k].deadline_ns, OS_NEVER);
        }
    }
}

/* Makes room, unless somebody else has by now. False: no memory. */
static bool grow(uint32_t number) {
    if (number == SLABS) {
        return false;
    }
    struct rt_polldesc *slab = rt_alloc_lines(slab_slots(number) * sizeof *slab);
    if (slab == NULL) {
        return false;
    }
    set_up_slab(slab, number);
    rt_enter();
    rt_spin_lock(&pool.lock);
    if (pool.slab_count == number && pool.free == NULL) {
        pool.free = slab;
        pool.slab_count++;
        /* release: publishes what is in it. Pairs with rt_polldesc_of(). */
        rt_store_rel(&pool.slabs[number], slab);
        slab = NULL;
    }
    rt_spin_unlock(&pool.lock);
    rt_leave();
    rt_free(slab);
    return true;
}

/* NULL: there is none; *slab_count is what there was. */
static struct rt_polldesc *take(uint32_t *slab_count) {
    rt_enter();
    rt_spin_lock(&pool.lock);
    struct rt_polldesc *d = pool.free;
    *slab_count = pool.slab_count;
    if (d != NULL) {
        pool.free = d->next_free;
        pool.in_use++;
    }
    rt_spin_unlock(&pool.lock);
    rt_leave();
    return d;
}

struct rt_polldesc *rt_polldesc_make(void) {
    struct rt_polldesc *d;
    uint32_t slab_count;
    while ((d = take(&slab_count)) == NULL) {
        if (!grow(slab_count)) {
            return NULL;
        }
    }
    return d;
}

/* As new. A late event may set READY at any time. Inside. */
static void reset(struct rt_pollway *way) {
    rt_spin_lock(&way->lock);
    disarm_locked(way);
    rt_store_rlx(&way->deadline_ns, OS_NEVER); /* relaxed, all: published by the pool */
    rt_store_rlx(&way->waits, false);
    rt_spin_unlock(&way->lock);
    clear(way, RT_POLLWAY_BITS);
}

void rt_polldesc_free(struct rt_polldesc *d) {
    rt_enter();
    rt_add_rlx(&d->generation, 1); /* relaxed: see 'Lifetime' */
    for (int i = 0; i < RT_POLLWAYS; i++) {
        reset(&d->ways[i]);
    }
    rt_spin_lock(&pool.lock);
    d->next_free = pool.free;
    pool.free = d;
    pool.in_use--;
    rt_spin_unlock(&pool.lock);
    rt_leave();
}

void rt_polldesc_wake_all(struct rt_glist *ready) {
    /* Those that are free have nobody in their words. */
    for (uint32_t i = 0; i < SLABS; i++) {
        /* acquire: as in rt_polldesc_of() */
        struct rt_polldesc *slab = rt_load_acq(&pool.slabs[i]);
        for (uint32_t k = 0; slab != NULL && k < slab_slots(i); k++) {
            collect(&slab[k], OS_POLL_READ | OS_POLL_WRITE, ready);
        }
    }
}

void rt_polldesc_trim(void) {
    struct rt_polldesc *slabs[SLABS] = {NULL};
    rt_enter();
    rt_spin_lock(&pool.lock);
    if (pool.in_use == 0) {
        for (uint32_t i = 0; i < pool.slab_count; i++) {
            slabs[i] = rt_load_rlx(&pool.slabs[i]); /* relaxed, both: nobody else */
            rt_store_rlx(&pool.slabs[i], NULL);
        }
        pool.slab_count = 0;
        pool.free = NULL;
    }
    rt_spin_unlock(&pool.lock);
    rt_leave();
    for (int i = 0; i < SLABS; i++) {
        rt_free(slabs[i]);
    }
}
