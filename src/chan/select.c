/* SPDX-License-Identifier: MIT */
/* Select: the first of several channel operations that can go on. */
#include "base/alloc.h"
#include "chan/chan.h"
#include "sched/park.h"

#include <errno.h>
#include <tuco/select.h>

/*
 * A look, and three passes if it finds nothing.
 *
 * Look. Without any lock: which cases seem able to go on? One of them, drawn by lot, is
 * tried under its channel's lock. Most selects in a busy program end here.
 *
 * Pass 1. All locks are taken, in the order of the channels' addresses, so that two
 * selects never wait for each other's locks. Now nothing changes: a case that can go on
 * is carried out; if there is none, the default.
 *
 * Pass 2. Still under all locks, a record goes into the queue of each channel, and the
 * goroutine parks; the locks are released once it has. All records have the same ticket,
 * so that one waker wins: see 'Claim' in wait.h.
 *
 * Pass 3. Whoever won has left a result in its record. The others are taken off their
 * queues, under one lock at a time: by then nobody can win any more, but a waker that
 * lost may still be looking at the record, under that lock.
 */
enum kind {
    KIND_SEND = 1,
    KIND_RECV = 2,
    KIND_DEFAULT = 3,
};

/* Up to that many cases need no memory. */
#define CASES_ON_STACK 16

#define NOBODY (-1)

/* How often a case that seemed ready is tried in vain before all locks are taken. */
#define LOOKS 3

/* What a select needs to wait, with one entry for each case. */
struct wait_room {
    struct rt_waiter *waiters;
    uint16_t *order; /* the cases with a channel, by its address */
    size_t count;    /* of these */
};

struct selection {
    tuco_case *cases;
    int count;
    int default_index; /* NOBODY: it blocks */
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

/* A goroutine may change threads in a select, so it takes a generator of its own from
   the thread's; not before it has to choose. */
static RT_NOINLINE void seed(struct rt_rand *rand) {
    struct rt_m *m = arch_self();
    rand->state = likely(m != NULL) ? rt_rand_next(&m->rand) : (uint64_t)os_now();
}

/* Any number below n. */
static uint32_t draw_below(struct selection *s, uint32_t n) {
    if (s->rand.state == 0) {
        seed(&s->rand);
    }
    return rt_rand_below(&s->rand, n);
}

/* A case that can go on, each with the same chance: of those met so far, the n-th takes
   the place of the one chosen with a chance of 1/n. */
static int draw_ready(struct selection *s) {
    int chosen = NOBODY;
    uint32_t met = 0;
    for (int i = 0; i < s->count; i++) {
        if (can_go_on(&s->cases[i]) && (met++ == 0 || draw_below(s, met) == 0)) {
            chosen = i;
        }
    }
    return chosen;
}

/* Carrying out */

/* What is left to do for a case when the locks are released. */
struct deed {
    enum rt_chan_outcome outcome;
    struct rt_waiter *partner;
};

static struct deed try_locked(const tuco_case *k) {
    struct deed deed = {.partner = NULL};
    tuco_chan *c = k->tuco_private_chan;
    deed.outcome = k->tuco_private_kind == KIND_SEND
                       ? rt_chan_send_locked(c, k->tuco_private_value, &deed.partner)
                       : rt_chan_recv_locked(c, k->tuco_private_value, &deed.partner);
    return deed;
}

static void finish(tuco_case *k, const struct deed *deed) {
    tuco_chan *c = k->tuco_private_chan;
    k->result = 0;
    if (deed->outcome == RT_CHAN_WAKES) {
        rt_ready(deed->partner->g);
    } else if (deed->outcome == RT_CHAN_MET && k->tuco_private_kind == KIND_SEND) {
        rt_chan_meet_receiver(c, k->tuco_private_value, deed->partner);
    } else if (deed->outcome == RT_CHAN_MET) {
        rt_chan_meet_sender(c, k->tuco_private_value, deed->partner);
    } else if (deed->outcome == RT_CHAN_CLOSED) {
        k->result = -EPIPE;
        if (k->tuco_private_kind == KIND_RECV) {
            rt_chan_zero(c, k->tuco_private_value);
        }
    }
}

/* True: the case has been carried out. */
static bool try_case(tuco_case *k) {
    tuco_chan *c = k->tuco_private_chan;
    rt_spin_lock(&c->lock);
    struct deed deed = try_locked(k);
    rt_spin_unlock(&c->lock);
    if (deed.outcome == RT_CHAN_BLOCKED) {
        return false;
    }
    finish(k, &deed);
    return true;
}

/* i: a case that seems ready, or NOBODY. */
static int look(struct selection *s, int i) {
    for (int n = 0; n < LOOKS && i != NOBODY; n++) {
        if (try_case(&s->cases[i])) {
            return i;
        }
        i = draw_ready(s);
    }
    return NOBODY;
}

/* All locks */

static tuco_chan *chan_at(const struct selection *s, size_t place) {
    return s->cases[s->room.order[place]].tuco_private_chan;
}

/* Of a heap with the largest address on top. */
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

/* Needs no memory and has no bad case. */
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

/* Collects the cases that have a channel, by its address. */
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

/* A channel in several cases has its lock taken once, at its first place. */
static bool is_first_place(const struct selection *s, size_t place) {
    return place == 0 || chan_at(s, place) != chan_at(s, place - 1);
}

/* Only the first may be waited for by yielding: a goroutine that is not running must not
   hold a lock that the scheduler needs to send to a timer's channel. */
static void lock_all(const struct selection *s) {
    for (size_t i = 0; i < s->room.count; i++) {
        if (i == 0) {
            rt_spin_lock(&chan_at(s, i)->lock);
        } else if (is_first_place(s, i)) {
            rt_spin_lock_thread(&chan_at(s, i)->lock);
        }
    }
}

/* Run after the switch, on another stack. s is on that of the goroutine that waits: safe
   because it has to take the lock of every channel but that of its waker, and its waker
   had to take that one, before it can go on; the lock released last is not one of them
   before, and s is not looked at after. */
static void unlock_all(void *raw) {
    const struct selection *s = raw;
    for (size_t i = s->room.count; i-- > 0;) {
        if (is_first_place(s, i)) {
            rt_spin_unlock(&chan_at(s, i)->lock);
        }
    }
}

/* Without a channel nothing keeps s where it is once the clock is on: it is not to be
   looked at. */
static void unlock_none(void *unused) {
    (void)unused;
}

/* The passes */

/* Pass 1, under all locks. The look is exact now, but for waiters that have been claimed
   elsewhere: a case that only seemed ready drops out, and another is drawn. */
static int take_locked(struct selection *s, struct deed *deed) {
    int i;
    while ((i = draw_ready(s)) != NOBODY) {
        *deed = try_locked(&s->cases[i]);
        if (deed->outcome != RT_CHAN_BLOCKED) {
            return i;
        }
        /* Its queue is empty now, so that it does not seem ready again. */
    }
    return NOBODY;
}

/* Cases on the same channel wait one behind the other, and who comes takes the first: in
   which order is drawn by lot. */
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
        rt_waitq_push(k->tuco_private_kind == KIND_SEND ? &c->senders : &c->receivers, w);
    }
}

/* Pass 3. Returns the case that was chosen, or NOBODY if it was the clock. */
static int dequeue(struct selection *s) {
    int chosen = NOBODY;
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
    struct deed deed;
    sort_channels(s);
    lock_all(s);
    int i = take_locked(s, &deed);
    if (i != NOBODY || s->default_index != NOBODY) {
        unlock_all(s);
        if (i == NOBODY) {
            return s->default_index;
        }
        finish(&s->cases[i], &deed);
        return i;
    }
    uint32_t ticket = rt_claim_new(g);
    enqueue(s, g, ticket);
    rt_wait_several(g, s->room.count > 0 ? unlock_all : unlock_none, s, ticket,
                    deadline_ns, s->count == 0 ? RT_WAIT_select_none : RT_WAIT_select,
                    pc);
    i = dequeue(s);
    return i == NOBODY ? -ETIMEDOUT : i;
}

/* Memory for the wait: the caller's frame, or the heap, which is asked outside of the
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

/* Checks the cases and looks at each; *ready is one that can go on, or NOBODY. */
static int examine(struct selection *s, int *ready) {
    uint32_t met = 0;
    *ready = NOBODY;
    for (int i = 0; i < s->count; i++) {
        const tuco_case *k = &s->cases[i];
        unsigned kind = (unsigned)k->tuco_private_kind;
        if (likely(kind == KIND_SEND || kind == KIND_RECV)) {
            s->channels += k->tuco_private_chan != NULL;
            if (can_go_on(k) && (met++ == 0 || draw_below(s, met) == 0)) {
                *ready = i;
            }
        } else if (kind == KIND_DEFAULT && s->default_index == NOBODY) {
            s->default_index = i;
        } else {
            return -EINVAL;
        }
    }
    return 0;
}

static int select_until(tuco_case *cases, size_t n, int64_t deadline_ns, const void *pc) {
    struct selection s = {.cases = cases, .default_index = NOBODY};
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
    int result = look(&s, ready);
    if (result == NOBODY && s.default_index != NOBODY && s.channels <= 1) {
        result = s.default_index; /* one look at one channel is a moment of it */
    }
    if (result == NOBODY && likely(n <= CASES_ON_STACK)) {
        result = select_on_stack(&s, g, deadline_ns, pc);
    }
    rt_wait_end(g);
    if (unlikely(result == NOBODY)) {
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
