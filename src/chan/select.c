/* SPDX-License-Identifier: MIT */
/* Select: waits for several channel operations and performs one of them. */
#include "base/alloc.h"
#include "chan/chan.h"
#include "sched/park.h"

#include <errno.h>
#include <tuco/select.h>

/*
 * An unlocked look, then Go's three passes if it does not succeed.
 *
 * Look. Reads all channels without a lock, picks one of the cases that seem ready at random
 * and tries it under its channel's lock. Most selects in a busy program end here.
 *
 * Pass 1. Locks all channels in address order, so that two selects cannot deadlock. Now the
 * channels do not change: performs a ready case, or the default if there is none.
 *
 * Pass 2. Still under all locks, enqueues a record on each channel and parks; the locks are
 * released after the switch. All records carry the same ticket, so that exactly one waker
 * wins: see 'Claim' in claim.h.
 *
 * Pass 3. The winner has stored a result in its record. Removes the other records, under
 * one lock at a time. No waker can win any more, but a waker that lost may still be reading
 * a record under that lock.
 */
enum kind {
    KIND_SEND = 1,
    KIND_RECV = 2,
    KIND_DEFAULT = 3,
};

/* Up to this many cases need no heap memory. */
#define CASES_ON_STACK 16

#define NO_CASE (-1)

/* Failed tries of seemingly ready cases before all locks are taken. */
#define LOOKS 3

/* The memory that a select needs to lock and wait. Owner: the goroutine that selects. */
struct wait_room {
    struct rt_waiter *waiters; /* one for each case */
    uint16_t *order;           /* indices of the cases with a channel, by its address */
    size_t count;              /* entries in order */
};

/* Owner: the goroutine that selects; read by unlock_all() while it parks. */
struct selection {
    tuco_case *cases;
    int count;
    int default_index; /* NO_CASE: no default, the select blocks */
    int channels;      /* cases whose channel is not NULL */
    struct rt_rand rand;
    struct wait_room room;
};

/* Looking */

static bool can_go_on(const tuco_case *k) {
    const tuco_chan *c = k->tuco_private_chan;
    if (c == NULL) {
        return false;
    }
    return k->tuco_private_kind == KIND_SEND ? rt_chan_can_send(c) : rt_chan_can_recv(c);
}

/* A goroutine may change Ms in a select, so the select has a generator of its own. It is
   seeded from the M's at the first choice. */
static RT_NOINLINE void seed(struct rt_rand *rand) {
    struct rt_m *m = arch_self();
    rand->state = likely(m != NULL) ? rt_rand_next(&m->rand) : (uint64_t)os_now();
}

/* Returns a random number below n. */
static uint32_t draw_below(struct selection *s, uint32_t n) {
    if (s->rand.state == 0) {
        seed(&s->rand);
    }
    return rt_rand_below(&s->rand, n);
}

/* Returns one of the cases that seem ready, each with equal probability (reservoir
   sampling: the n-th ready case replaces the choice with probability 1/n). */
static int draw_ready(struct selection *s) {
    int chosen = NO_CASE;
    uint32_t met = 0;
    for (int i = 0; i < s->count; i++) {
        if (can_go_on(&s->cases[i]) && (met++ == 0 || draw_below(s, met) == 0)) {
            chosen = i;
        }
    }
    return chosen;
}

/* Performing a case */

/* The result of trying a case under the lock; finish_case() completes it without the
   lock. */
struct attempt {
    enum rt_chan_outcome outcome;
    struct rt_waiter *partner;
};

static struct attempt try_case_locked(const tuco_case *k) {
    struct attempt try = {.partner = NULL};
    tuco_chan *c = k->tuco_private_chan;
    try.outcome = k->tuco_private_kind == KIND_SEND
                      ? rt_chan_send_locked(c, k->tuco_private_value, &try.partner)
                      : rt_chan_recv_locked(c, k->tuco_private_value, &try.partner);
    return try;
}

static void finish_case(tuco_case *k, const struct attempt *try) {
    tuco_chan *c = k->tuco_private_chan;
    k->result = 0;
    if (try->outcome == RT_CHAN_WAKES) {
        rt_ready(try->partner->g);
    } else if (try->outcome == RT_CHAN_MET && k->tuco_private_kind == KIND_SEND) {
        rt_chan_meet_receiver(c, k->tuco_private_value, try->partner);
    } else if (try->outcome == RT_CHAN_MET) {
        rt_chan_meet_sender(c, k->tuco_private_value, try->partner);
    } else if (try->outcome == RT_CHAN_CLOSED) {
        k->result = -EPIPE;
        if (k->tuco_private_kind == KIND_RECV) {
            rt_chan_zero(c, k->tuco_private_value);
        }
    }
}

/* Performs the case; returns false if it would block. */
static bool try_case(tuco_case *k) {
    tuco_chan *c = k->tuco_private_chan;
    rt_spin_lock(&c->lock);
    struct attempt try = try_case_locked(k);
    rt_spin_unlock(&c->lock);
    if (try.outcome == RT_CHAN_BLOCKED) {
        return false;
    }
    finish_case(k, &try);
    return true;
}

/* Tries case i, then others that seem ready. Returns the case that was performed. i: a case
   that seems ready, or NO_CASE. */
static int select_unlocked(struct selection *s, int i) {
    for (int n = 0; n < LOOKS && i != NO_CASE; n++) {
        if (try_case(&s->cases[i])) {
            return i;
        }
        i = draw_ready(s);
    }
    return NO_CASE;
}

/* All locks */

static tuco_chan *chan_at(const struct selection *s, size_t place) {
    return s->cases[s->room.order[place]].tuco_private_chan;
}

/* The heap has the largest address on top. */
static void sift_down(const struct selection *s, size_t at, size_t count) {
    uint16_t *order = s->room.order;
    uint16_t moving = order[at];
    uintptr_t address = (uintptr_t)s->cases[moving].tuco_private_chan;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count &&
            (uintptr_t)chan_at(s, child + 1) > (uintptr_t)chan_at(s, child)) {
            child++;
        }
        if (address >= (uintptr_t)chan_at(s, child)) {
            break;
        }
        order[at] = order[child];
        at = child;
    }
    order[at] = moving;
}

/* Heapsort, as in Go: it needs no memory and is O(n log n) in the worst case. */
static RT_NOINLINE void sort_many(const struct selection *s) {
    uint16_t *order = s->room.order;
    size_t count = s->room.count;
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(s, i, count);
    }
    for (size_t end = count; end-- > 1;) {
        uint16_t largest = order[0];
        order[0] = order[end];
        order[end] = largest;
        sift_down(s, 0, end);
    }
}

/* Fills room.order with the cases that have a channel, sorted by its address. */
static void sort_channels(struct selection *s) {
    uint16_t *order = s->room.order;
    bool few = s->count <= CASES_ON_STACK;
    size_t count = 0;
    for (int i = 0; i < s->count; i++) {
        uintptr_t address = (uintptr_t)s->cases[i].tuco_private_chan;
        size_t at = count;
        if (address == 0) {
            continue;
        }
        while (few && at > 0 && (uintptr_t)chan_at(s, at - 1) > address) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint16_t)i;
        count++;
    }
    s->room.count = count;
    if (!few) {
        sort_many(s);
    }
}

/* A channel that occurs in several cases is locked once, at its first place. */
static bool is_first_place(const struct selection *s, size_t place) {
    return place == 0 || chan_at(s, place) != chan_at(s, place - 1);
}

/* Only the first lock may be waited for by yielding: a goroutine that is not running must
   not hold a lock that the scheduler needs to send to a timer's channel. */
static void lock_all(const struct selection *s) {
    for (size_t i = 0; i < s->room.count; i++) {
        if (i == 0) {
            rt_spin_lock(&chan_at(s, i)->lock);
        } else if (is_first_place(s, i)) {
            rt_spin_lock_thread(&chan_at(s, i)->lock);
        }
    }
}

/* Runs after the switch, on another stack; s lies on the waiter's stack. Safe because the
   waiter cannot return before the last lock is released: its waker needs the lock of the
   channel it wakes through, and dequeue() takes the locks of all others. s is not read
   after the last unlock. */
static void unlock_all(void *raw) {
    const struct selection *s = raw;
    for (size_t i = s->room.count; i-- > 0;) {
        if (is_first_place(s, i)) {
            rt_spin_unlock(&chan_at(s, i)->lock);
        }
    }
}

/* The passes */

/* Pass 1, under all locks. draw_ready() is now exact, except for waiters that have been
   claimed elsewhere: a case that seemed ready because of them fails; another is drawn. */
static int take_locked(struct selection *s, struct attempt *try) {
    int i;
    while ((i = draw_ready(s)) != NO_CASE) {
        *try = try_case_locked(&s->cases[i]);
        if (try->outcome != RT_CHAN_BLOCKED) {
            return i;
        }
        /* The failed try has emptied the queue, so the case does not seem ready again. */
    }
    return NO_CASE;
}

/* A waker takes the first record in the queue, so cases on the same channel are enqueued in
   random order. */
static void shuffle_same(struct selection *s) {
    uint16_t *order = s->room.order;
    size_t first = 0; /* place of the channel's first case */
    for (size_t i = 1; i < s->room.count; i++) {
        if (is_first_place(s, i)) {
            first = i;
            continue;
        }
        size_t other = first + draw_below(s, (uint32_t)(i - first + 1));
        uint16_t moved = order[other];
        order[other] = order[i];
        order[i] = moved;
    }
}

/* Pass 2, under all locks. */
static void enqueue(struct selection *s, struct rt_g *g, uint32_t ticket) {
    shuffle_same(s);
    for (size_t i = 0; i < s->room.count; i++) {
        const tuco_case *k = &s->cases[s->room.order[i]];
        struct rt_waiter *w = &s->room.waiters[s->room.order[i]];
        tuco_chan *c = k->tuco_private_chan;
        *w = (struct rt_waiter){.g = g,
                                .value = k->tuco_private_value,
                                .ticket = ticket,
                                .result = RT_WAIT_PENDING};
        rt_race_release(&c->lock); /* here, because another context unlocks it */
        rt_waitq_push(k->tuco_private_kind == KIND_SEND ? &c->senders : &c->receivers, w);
    }
}

/* Pass 3. Returns the case that was woken, or NO_CASE if the deadline won. */
static int dequeue(struct selection *s) {
    int chosen = NO_CASE;
    for (int i = 0; i < s->count; i++) {
        tuco_case *k = &s->cases[i];
        struct rt_waiter *w = &s->room.waiters[i];
        tuco_chan *c = k->tuco_private_chan;
        if (c == NULL) {
            continue;
        }
        if (w->result != RT_WAIT_PENDING) {
            chosen = i;
            k->result = w->result;
        } else {
            rt_spin_lock(&c->lock);
            rt_waitq_remove(
                k->tuco_private_kind == KIND_SEND ? &c->senders : &c->receivers, w);
            rt_spin_unlock(&c->lock);
        }
    }
    return chosen;
}

static int select_locked(struct selection *s, struct rt_g *g, int64_t deadline_ns,
                         const void *pc) {
    struct attempt try;
    sort_channels(s);
    lock_all(s);
    int i = take_locked(s, &try);
    if (i != NO_CASE || s->default_index != NO_CASE) {
        unlock_all(s);
        if (i == NO_CASE) {
            return s->default_index;
        }
        finish_case(&s->cases[i], &try);
        return i;
    }
    uint32_t ticket = rt_claim_new(g);
    enqueue(s, g, ticket);
    /* Without channels there is nothing to unlock, and s must not be read: no lock keeps
       the waiter, and with it s, in place once the timer is armed. */
    rt_wait_on(g, &(struct rt_wait_terms){.unlock = s->room.count > 0 ? unlock_all : NULL,
                                          .arg = s,
                                          .ticket = ticket,
                                          .deadline_ns = deadline_ns,
                                          .reason = s->count == 0 ? RT_WAIT_select_none
                                                                  : RT_WAIT_select,
                                          .pc = pc});
    i = dequeue(s);
    return i == NO_CASE ? -ETIMEDOUT : i;
}

/* Memory for the wait: the caller's frame, or the heap. malloc is called outside of the
   runtime: see 'Not inside' in alloc.h. */

static int select_on_stack(struct selection *s, struct rt_g *g, int64_t deadline_ns,
                           const void *pc) {
    struct rt_waiter waiters[CASES_ON_STACK];
    uint16_t order[CASES_ON_STACK];
    s->room = (struct wait_room){.waiters = waiters, .order = order};
    return select_locked(s, g, deadline_ns, pc);
}

static RT_NOINLINE int select_on_heap(struct selection *s, int64_t deadline_ns,
                                      const void *pc) {
    size_t count = (size_t)s->count;
    struct rt_waiter *waiters = rt_alloc(count * (sizeof *waiters + sizeof(uint16_t)));
    if (waiters == NULL) {
        return -ENOMEM;
    }
    s->room =
        (struct wait_room){.waiters = waiters, .order = (uint16_t *)(waiters + count)};
    struct rt_g *g = rt_wait_begin();
    int result = select_locked(s, g, deadline_ns, pc);
    rt_wait_end(g);
    rt_free(waiters);
    return result;
}

/* Validates the cases and counts the channels. *ready is a random case that seems ready, or
   NO_CASE. */
static int examine(struct selection *s, int *ready) {
    uint32_t met = 0;
    *ready = NO_CASE;
    for (int i = 0; i < s->count; i++) {
        const tuco_case *k = &s->cases[i];
        unsigned kind = (unsigned)k->tuco_private_kind;
        if (likely(kind == KIND_SEND || kind == KIND_RECV)) {
            s->channels += k->tuco_private_chan != NULL;
            if (can_go_on(k) && (met++ == 0 || draw_below(s, met) == 0)) {
                *ready = i;
            }
        } else if (kind == KIND_DEFAULT && s->default_index == NO_CASE) {
            s->default_index = i;
        } else {
            return -EINVAL;
        }
    }
    return 0;
}

static int select_until(tuco_case *cases, size_t n, int64_t deadline_ns, const void *pc) {
    struct selection s = {.cases = cases, .default_index = NO_CASE};
    if (n > TUCO_SELECT_MAX) {
        return -EINVAL;
    }
    s.count = (int)n;
    int ready;
    int error = examine(&s, &ready);
    if (error != 0) {
        return error;
    }
    struct rt_g *g = rt_wait_begin();
    int result = select_unlocked(&s, ready);
    if (result == NO_CASE && s.default_index != NO_CASE && s.channels <= 1) {
        result = s.default_index; /* one channel: it was not ready a moment ago */
    }
    if (result == NO_CASE && likely(n <= CASES_ON_STACK)) {
        result = select_on_stack(&s, g, deadline_ns, pc);
    }
    rt_wait_end(g);
    if (unlikely(result == NO_CASE)) {
        result = select_on_heap(&s, deadline_ns, pc);
    }
    if (result >= 0 && result == s.default_index) {
        cases[result].result = 0;
    }
    return result;
}

int tuco_select(tuco_case *cases, size_t n) {
    return select_until(cases, n, TUCO_NEVER, __builtin_return_address(0));
}

int tuco_select_until(tuco_case *cases, size_t n, tuco_time deadline) {
    return select_until(cases, n, deadline, __builtin_return_address(0));
}
