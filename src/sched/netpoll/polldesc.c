/* SPDX-License-Identifier: MIT */
/* The states of one direction of a descriptor, and the memory of descriptors. */
#include "sched/netpoll/polldesc.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sched/netpoll/pollwait.h"
#include "sched/sched.h"
#include "sched/waitq.h"
#include "sched/timers.h"

#include <errno.h>

/*
 * Problem. The kernel reports readiness once, when it begins (edge-triggered), to the
 * thread that polls at that time. The goroutine that needs it tries, fails, and then
 * waits. Between its try and its wait an event may come, the deadline may pass, and
 * another thread may close the descriptor. Each of the three has to end the wait, none may
 * be lost, and exactly one of them may wake the goroutine.
 *
 * Rejected. A state for readiness and flags for the other two, as Go has it: the waiter
 * then has to publish itself first and read the flags afterwards, and the thread that sets
 * a flag has to look for the waiter afterwards, with fences in between. A queue under a
 * lock, as channels have it: events of a thousand descriptors would take a thousand locks
 * on the stack of a scheduler, and a goroutine that has lost its CPU may hold any of them.
 * Level triggering: one more system call for each wait.
 *
 * One word. ('One word') A direction is one word: the waiting goroutine, or none, and the
 * bits READY, EXPIRED, CLOSED and MORE. It changes as a whole, by compare-and-swap, so
 * each change sees the whole state.
 *
 *     from                 to                        by
 *     ------------------   -----------------------   -------------------------------------
 *     no waiter, none of   the waiter                commit_pollwait(), after its switch
 *     the first three
 *     one of them          the same                  commit_pollwait(): the G does not
 *                                                    wait, but goes on at once
 *     anything             READY set, and perhaps    rt_polldesc_events()
 *                          MORE, no waiter
 *     anything             EXPIRED set, no waiter    deadline_fired(), set_deadline
 *     anything             CLOSED set, no waiter     rt_polldesc_close()
 *     READY                not READY                 the operation: before its first try,
 *                                                    and at the end of its wait
 *     EXPIRED              not EXPIRED               set_deadline
 *
 * The thread whose change removes the waiter from the word wakes it. Only one change can
 * remove it, so it is woken once. The waiter and one of the first three bits are never in
 * the word together, so the order decides: a bit that is set before the waiter lets it go
 * on at once, and a bit that is set after it removes it. There is no third case, and no
 * fence.
 *
 * One operation at a time uses a direction: others wait for their turn, see 'Turns' in
 * fd.h.
 *
 * Ready before park. READY stays until an operation consumes it. The operation clears it
 * before its first try: what the event reported is then seen by the try itself, since the
 * kernel had it before it reported. An event after that stays, and lets the wait return at
 * once. So READY costs at worst one try too many, never one too few, and may be set for no
 * reason.
 *
 * Deadlines. The deadline is stored, and compared with the clock before each operation.
 * Only a waiter arms a timer, and the timer then stays: if the deadline moves to later, as
 * it does with each message of a long connection, the timer fires at the old time, finds
 * nothing due, and is armed for the new deadline if there still is a waiter. So setting a
 * deadline costs a lock and two stores. 'waits' says that there is a waiter, so that an
 * earlier deadline arms the timer at once. The waiter sets it under the lock before it
 * reads the deadline; the thread that changes the deadline reads it under the lock
 * afterwards: one of the two arms the timer. Firing and setting a deadline are both under
 * the lock, and the firing reads the clock.
 *
 * Lifetime. A thread that polls may hold events of a descriptor that is closed, freed and
 * reused meanwhile. So descriptors stay mapped as long as there is a poller, events carry
 * the generation that was registered, and an event of an earlier generation is dropped. If
 * the generation changes just after the comparison, the event sets READY for no reason, or
 * wakes a waiter that tries once too often. The same holds for timers, which carry a tag.
 */

/* States */

static struct rt_g *waiter_of(uintptr_t word) {
    return (struct rt_g *)(word & ~(uintptr_t)RT_POLLWAY_BITS);
}

_Static_assert(RT_GSLOT_BYTES > RT_POLLWAY_BITS, "the low bits of a descriptor are free");

/* Sets the bits. Returns the waiter, which the caller wakes; NULL: there was none. */
static struct rt_g *notify(struct rt_pollway *way, uintptr_t bits) {
    uintptr_t word = rt_load_rlx(&way->word); /* relaxed: the compare-and-swap decides */
    uintptr_t set;
    do {
        set = (word & RT_POLLWAY_BITS) | bits;
        /* acquire: takes over the goroutine, whose registers are saved. Pairs with
           commit_pollwait(). release: publishes what led to the bits. Pairs with outcome()
           and rt_polldesc_begin(). */
    } while (!rt_cas_acqrel(&way->word, &word, set));
    return waiter_of(word);
}

static void pollway_clear(struct rt_pollway *way, uintptr_t bit) {
    /* acquire: what the kernel had when it reported readiness is there for the next try.
       Pairs with notify(). */
    rt_and_acqrel(&way->word, ~bit);
}

/* Called after the switch; on a foreign thread without one. */
static void commit_pollwait(struct rt_m *m, struct rt_g *g, void *raw) {
    struct rt_pollway *way = raw;
    uintptr_t word = rt_load_rlx(&way->word); /* relaxed: the compare-and-swap decides */
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

/* Returns why the wait is over. */
static int outcome(struct rt_pollway *way) {
    uintptr_t word = rt_load_acq(&way->word); /* acquire: as in pollway_clear() */
    if ((word & RT_POLLWAY_CLOSED) != 0) {
        return -ECANCELED;
    }
    if ((word & RT_POLLWAY_EXPIRED) != 0) {
        return -ETIMEDOUT;
    }
    if ((word & RT_POLLWAY_READY) != 0) {
        pollway_clear(way, RT_POLLWAY_READY);
    }
    return 0;
}

/* Deadlines */

static int64_t deadline_of(const struct rt_pollway *way) {
    /* relaxed: under the lock, or compared with the clock only */
    return rt_load_rlx(&way->deadline_ns);
}

static void pollway_disarm_locked(struct rt_pollway *way) {
    rt_assert_spin_held(&way->lock);
    if (way->armed) {
        way->armed = false;
        /* False: it is firing, and will find another tag. */
        (void)rt_timer_disarm(&way->timer);
        way->timer.tag++; /* after it has left its wheel, which reads the tag */
    }
}

/* A foreign thread may still wait while the runtime stops, and its wait delays the
   end. */
static bool has_clock(void) {
    enum rt_phase phase = rt_phase_now();
    return phase == RT_RUNNING || phase == RT_STOPPING;
}

/* There is a waiter: the timer has to be due at the deadline or earlier. Called
   inside. */
static void watch_clock_locked(struct rt_pollway *way) {
    int64_t deadline_ns = deadline_of(way);
    rt_assert_spin_held(&way->lock);
    if (deadline_ns == OS_NEVER || !has_clock() ||
        (way->armed && way->timer.when_ns <= deadline_ns)) {
        return;
    }
    pollway_disarm_locked(way);
    way->armed = true;
    rt_timer_arm(&way->timer, deadline_ns);
}

/* Called on a scheduler's stack, in sysmon, or at the end of the runtime. */
static void deadline_fired(struct rt_timer *timer, uint32_t tag, int64_t now_ns) {
    struct rt_pollway *way = rt_container_of(timer, struct rt_pollway, timer);
    struct rt_g *woken = NULL;
    rt_spin_lock_thread(&way->lock);
    if (way->armed && tag == way->timer.tag) {
        way->armed = false;
        if (now_ns == RT_TIMER_DROPPED) {
            /* the next waiter arms it, when a runtime runs again */
        } else if (deadline_of(way) <= now_ns) {
            woken = notify(way, RT_POLLWAY_EXPIRED);
            /* relaxed: arming once too often does no harm */
        } else if (rt_load_rlx(&way->waits)) {
            watch_clock_locked(way);
        }
    }
    rt_spin_unlock(&way->lock);
    if (woken != NULL) {
        rt_ready(woken);
    }
}

/* Called inside. Returns the waiter that the caller has to wake, or NULL. */
static struct rt_g *set_deadline_locked(struct rt_pollway *way, int64_t deadline_ns) {
    rt_assert_spin_held(&way->lock);
    /* relaxed: under the lock, or compared with the clock only */
    rt_store_rlx(&way->deadline_ns, deadline_ns);
    if (deadline_ns <= os_now()) {
        pollway_disarm_locked(way);
        return notify(way, RT_POLLWAY_EXPIRED);
    }
    pollway_clear(way, RT_POLLWAY_EXPIRED);
    if (deadline_ns == OS_NEVER) {
        /* an armed timer would suppress the report of a deadlock */
        pollway_disarm_locked(way);
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
    uintptr_t word = rt_load_acq(&way->word); /* acquire: as in pollway_clear() */
    rt_assert(waiter_of(word) == NULL);
    if (unlikely((word & RT_POLLWAY_CLOSED) != 0)) {
        return -ECANCELED;
    }
    if (deadline_ns != OS_NEVER && deadline_ns <= os_now()) {
        return -ETIMEDOUT;
    }
    if ((word & RT_POLLWAY_READY) != 0) {
        pollway_clear(way, RT_POLLWAY_READY);
        return 0;
    }
    return (word & RT_POLLWAY_MORE) != 0 ? 0 : RT_POLLDESC_SILENT;
}

static void pollway_park(struct rt_g *g, struct rt_pollway *way, const void *pc) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_park(m, commit_pollwait, way, RT_WAIT_io, pc);
    } else {
        rt_foreign_park(g, commit_pollwait, way, RT_TICKET_ALONE, OS_NEVER);
    }
}

/* Publishes that there is a waiter, and arms the timer: see 'Deadlines'. Called
   inside. */
static void announce(struct rt_pollway *way) {
    rt_spin_lock(&way->lock);
    rt_store_rlx(&way->waits, true); /* relaxed: under the lock */
    watch_clock_locked(way);
    rt_spin_unlock(&way->lock);
}

int rt_polldesc_wait(struct rt_polldesc *d, enum rt_pollway_name name, const void *pc) {
    struct rt_pollway *way = &d->ways[name];
    struct rt_g *g = rt_wait_begin();
    rt_netpoll_wait_begin(&way->word);
    announce(way);
    pollway_park(g, way, pc);
    /* relaxed: a thread that does not see it arms in vain */
    rt_store_rlx(&way->waits, false);
    rt_netpoll_wait_end();
    rt_wait_end(g);
    return outcome(way);
}

/* Sets READY for the directions of events, and appends the waiters to ready. */
static void pollway_collect(struct rt_polldesc *d, uint32_t events,
                            struct rt_glist *ready) {
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
        pollway_collect(d, events, ready);
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

/* Slab i has FIRST_SLOTS << i descriptors, so the highest bit of an index gives its slab.
   A slab is reserved as a whole, and the kernel maps its memory as descriptors are first
   handed out, one after the other. So several threads that find the pool empty at the
   same time may each reserve a slab: all but one release theirs, which none has
   touched. */
#define FIRST_SLOTS 64u
#define SLABS       26

static struct {
    struct rt_spin lock; /* guards what follows; taken inside, with no other lock */
    struct rt_polldesc *free;
    uint32_t in_use;
    uint32_t slab_count;
    /* Atomic: written under the lock, read without. */
    rt_atomic(uint32_t) end; /* indices below have been handed out */
    rt_atomic(struct rt_polldesc *) slabs[SLABS];
} pool;

static uint32_t slab_slots(uint32_t slab) {
    return FIRST_SLOTS << slab;
}

static size_t slab_bytes(uint32_t slab) {
    size_t bytes = slab_slots(slab) * sizeof(struct rt_polldesc);
    return (bytes + OS_PAGE_BYTES - 1) & ~(size_t)(OS_PAGE_BYTES - 1);
}

/* The index of its first descriptor. */
static uint32_t slab_start(uint32_t slab) {
    return slab_slots(slab) - FIRST_SLOTS;
}

struct rt_polldesc *rt_polldesc_of(uint64_t token) {
    uint32_t index = (uint32_t)token;
    uint32_t slab = 31 - (uint32_t)__builtin_clz(index / FIRST_SLOTS + 1);
    /* acquire: the slab's memory. Pairs with grow(). */
    return rt_load_acq(&pool.slabs[slab]) + (index - slab_start(slab));
}

/* d is zero. Only the caller and rt_polldesc_wake_all() can reach it. */
static void polldesc_set_up(struct rt_polldesc *d, uint32_t index) {
    d->index = index;
    for (int k = 0; k < RT_POLLWAYS; k++) {
        d->ways[k].timer.fire = deadline_fired;
        rt_init(&d->ways[k].deadline_ns, OS_NEVER);
    }
}

/* Adds slab number, unless another thread has done so. False: no memory. */
static bool grow(uint32_t number) {
    if (number == SLABS) {
        return false;
    }
    struct rt_polldesc *slab = os_reserve(slab_bytes(number), OS_PAGE_BYTES);
    if (slab == NULL) {
        return false;
    }
    rt_enter();
    rt_spin_lock(&pool.lock);
    if (pool.slab_count == number) {
        pool.slab_count++;
        /* release: publishes the slab. Pairs with rt_polldesc_of(). */
        rt_store_rel(&pool.slabs[number], slab);
        slab = NULL;
    }
    rt_spin_unlock(&pool.lock);
    rt_leave();
    if (slab != NULL) {
        os_release(slab, slab_bytes(number));
    }
    return true;
}

/* A descriptor that was freed. NULL: there is none. */
static struct rt_polldesc *take_free_locked(void) {
    struct rt_polldesc *d = pool.free;
    if (d != NULL) {
        pool.free = d->next_free;
    }
    return d;
}

/* A descriptor that was never handed out, zero. NULL: the slabs are used up. */
static struct rt_polldesc *take_new_locked(void) {
    uint32_t index = rt_load_rlx(&pool.end); /* relaxed: under the lock */
    if (index == slab_start(pool.slab_count)) {
        return NULL;
    }
    /* release: publishes its slab. Pairs with rt_polldesc_wake_all(). */
    rt_store_rel(&pool.end, index + 1);
    return rt_polldesc_of(index);
}

/* NULL: there is none, and *slab_count is the number of slabs at that time. */
static struct rt_polldesc *pool_get(uint32_t *slab_count) {
    rt_enter();
    rt_spin_lock(&pool.lock);
    struct rt_polldesc *d = take_free_locked();
    uint32_t index = rt_load_rlx(&pool.end); /* relaxed: under the lock */
    bool is_new = d == NULL;
    if (is_new) {
        d = take_new_locked();
    }
    pool.in_use += d != NULL;
    *slab_count = pool.slab_count;
    rt_spin_unlock(&pool.lock);
    rt_leave();
    if (is_new && d != NULL) {
        polldesc_set_up(d, index); /* without the lock, because it may fault */
    }
    return d;
}

struct rt_polldesc *rt_polldesc_make(void) {
    struct rt_polldesc *d;
    uint32_t slab_count;
    while ((d = pool_get(&slab_count)) == NULL) {
        if (!grow(slab_count)) {
            return NULL;
        }
    }
    return d;
}

/* Called inside. A late event may set READY at any time. */
static void pollway_reset(struct rt_pollway *way) {
    rt_spin_lock(&way->lock);
    pollway_disarm_locked(way);
    /* relaxed, all: published by the lock of the pool */
    rt_store_rlx(&way->deadline_ns, OS_NEVER);
    rt_store_rlx(&way->waits, false);
    rt_spin_unlock(&way->lock);
    pollway_clear(way, RT_POLLWAY_BITS);
}

void rt_polldesc_free(struct rt_polldesc *d) {
    rt_enter();
    rt_add_rlx(&d->generation, 1); /* relaxed: see 'Lifetime' */
    for (int i = 0; i < RT_POLLWAYS; i++) {
        pollway_reset(&d->ways[i]);
    }
    rt_spin_lock(&pool.lock);
    d->next_free = pool.free;
    pool.free = d;
    pool.in_use--;
    rt_spin_unlock(&pool.lock);
    rt_leave();
}

void rt_polldesc_wake_all(struct rt_glist *ready) {
    /* Free descriptors have no waiters. acquire: the slabs of all. Pairs with
       take_new_locked(). */
    uint32_t end = rt_load_acq(&pool.end);
    for (uint32_t i = 0; i < end; i++) {
        pollway_collect(rt_polldesc_of(i), OS_POLL_READ | OS_POLL_WRITE, ready);
    }
}

void rt_polldesc_trim(void) {
    struct rt_polldesc *slabs[SLABS] = {NULL};
    rt_enter();
    rt_spin_lock(&pool.lock);
    if (pool.in_use == 0) {
        for (uint32_t i = 0; i < pool.slab_count; i++) {
            /* relaxed, all: no other thread uses them */
            slabs[i] = rt_load_rlx(&pool.slabs[i]);
            rt_store_rlx(&pool.slabs[i], NULL);
        }
        pool.slab_count = 0;
        rt_store_rlx(&pool.end, 0);
        pool.free = NULL;
    }
    rt_spin_unlock(&pool.lock);
    rt_leave();
    for (uint32_t i = 0; i < SLABS && slabs[i] != NULL; i++) {
        os_release(slabs[i], slab_bytes(i));
    }
}
