/* SPDX-License-Identifier: MIT */
/* Channels: send, receive, close. */
#include "chan/chan.h"
#include "base/alloc.h"
#include "base/die.h"
#include "sched/p.h"
#include "sched/park.h"

#include <errno.h>
#include <tuco/go.h>

/*
 * One spin lock, a ring of values and two queues of waiters. A value goes straight from
 * who sends it to a receiver that waits, and the other way round, outside of the lock: a
 * record that is off its queue belongs to who took it.
 *
 * Rejected: a ring with a sequence number in each slot, which needs no lock. It saves
 * nothing where it would count: an operation on it is one read-modify-write, as taking a
 * free lock is, the release being a plain store; a wait, a wake-up, a close and a select
 * then have to find an order with it that the lock gives for nothing.
 */

/* Under the lock */

static RT_INLINE char *slot_of(tuco_chan *c, uint32_t i) {
    return c->buffer + (size_t)i * c->elem_bytes;
}

static RT_INLINE uint32_t slot_after(const tuco_chan *c, uint32_t i) {
    return i + 1 == c->capacity ? 0 : i + 1;
}

static RT_INLINE void buffer_put(tuco_chan *c, const void *value) {
    rt_chan_copy(c, slot_of(c, c->tail), value);
    c->tail = slot_after(c, c->tail);
}

static RT_INLINE void buffer_take(tuco_chan *c, void *value) {
    if (value != NULL) {
        rt_chan_copy(c, value, slot_of(c, c->head));
    }
    c->head = slot_after(c, c->head);
}

static RT_INLINE enum rt_chan_outcome send_locked(tuco_chan *c, const void *value,
                                                  struct rt_waiter **partner) {
    /* relaxed: the lock is held; so below */
    if (unlikely(rt_load_rlx(&c->closed) != 0)) {
        return RT_CHAN_CLOSED;
    }
    if (!rt_waitq_seems_empty(&c->receivers) &&
        (*partner = rt_waitq_claim(&c->receivers)) != NULL) {
        return RT_CHAN_MET;
    }
    uint32_t count = rt_load_rlx(&c->count);
    if (count < c->capacity) {
        buffer_put(c, value);
        rt_store_rlx(&c->count, count + 1);
        return RT_CHAN_DONE;
    }
    return RT_CHAN_BLOCKED;
}

/* A full buffer has room as soon as one value is out: for that of who has waited to send
   longest. */
static RT_INLINE enum rt_chan_outcome refill(tuco_chan *c, uint32_t count,
                                             struct rt_waiter **partner) {
    if (!rt_waitq_seems_empty(&c->senders) &&
        (*partner = rt_waitq_claim(&c->senders)) != NULL) {
        buffer_put(c, (*partner)->value);
        (*partner)->result = 0;
        return RT_CHAN_WAKES;
    }
    rt_store_rlx(&c->count, count - 1); /* relaxed: the lock is held */
    return RT_CHAN_DONE;
}

static RT_INLINE enum rt_chan_outcome recv_locked(tuco_chan *c, void *value,
                                                  struct rt_waiter **partner) {
    uint32_t count = rt_load_rlx(&c->count); /* relaxed: the lock is held; so below */
    if (count > 0) {
        buffer_take(c, value);
        return refill(c, count, partner);
    }
    if (!rt_waitq_seems_empty(&c->senders) &&
        (*partner = rt_waitq_claim(&c->senders)) != NULL) {
        return RT_CHAN_MET;
    }
    return rt_load_rlx(&c->closed) != 0 ? RT_CHAN_CLOSED : RT_CHAN_BLOCKED;
}

enum rt_chan_outcome rt_chan_send_locked(tuco_chan *c, const void *value,
                                         struct rt_waiter **partner) {
    return send_locked(c, value, partner);
}

enum rt_chan_outcome rt_chan_recv_locked(tuco_chan *c, void *value,
                                         struct rt_waiter **partner) {
    return recv_locked(c, value, partner);
}

/* With the lock released */

static RT_INLINE void meet_receiver(tuco_chan *c, const void *value,
                                    struct rt_waiter *partner) {
    struct rt_g *g = partner->g;
    if (partner->value != NULL) {
        rt_chan_copy(c, partner->value, value);
    }
    partner->result = 0;
    rt_ready(g);
}

static RT_INLINE void meet_sender(tuco_chan *c, void *value, struct rt_waiter *partner) {
    struct rt_g *g = partner->g;
    if (value != NULL) {
        rt_chan_copy(c, value, partner->value);
    }
    partner->result = 0;
    rt_ready(g);
}

void rt_chan_meet_receiver(tuco_chan *c, const void *value, struct rt_waiter *partner) {
    meet_receiver(c, value, partner);
}

void rt_chan_meet_sender(tuco_chan *c, void *value, struct rt_waiter *partner) {
    meet_sender(c, value, partner);
}

/* The lock is released, and the outcome carried out. */
static RT_INLINE int finish_send(tuco_chan *c, const void *value,
                                 enum rt_chan_outcome outcome,
                                 struct rt_waiter *partner) {
    rt_spin_unlock(&c->lock);
    if (outcome == RT_CHAN_MET) {
        meet_receiver(c, value, partner);
    }
    return outcome == RT_CHAN_CLOSED ? -EPIPE : 0;
}

static RT_INLINE int finish_recv(tuco_chan *c, void *value, enum rt_chan_outcome outcome,
                                 struct rt_waiter *partner) {
    rt_spin_unlock(&c->lock);
    switch (outcome) {
    case RT_CHAN_MET: meet_sender(c, value, partner); return 0;
    case RT_CHAN_WAKES: rt_ready(partner->g); return 0;
    case RT_CHAN_CLOSED: rt_chan_zero(c, value); return -EPIPE;
    default: return 0;
    }
}

/* Waiting */

/* A goroutine that nothing can wake but the clock. */

static void unlock_nothing(void *unused) {
    (void)unused;
}

static RT_COLD int wait_on_nothing(int64_t deadline_ns, enum rt_wait_reason reason,
                                   const void *pc) {
    struct rt_g *g = rt_wait_begin();
    rt_wait_several(g, unlock_nothing, NULL, rt_claim_new(g), deadline_ns, reason, pc);
    rt_wait_end(g);
    return -ETIMEDOUT;
}

/* Under the lock, which is released. Waits in the queue, and returns what came of it; on
   -ETIMEDOUT the record is off the queue again. g: see send_as(). */
static int wait_in(tuco_chan *c, struct rt_waitq *q, struct rt_g *g, void *value,
                   int64_t deadline_ns, enum rt_wait_reason reason, const void *pc) {
    if (likely(g == NULL)) {
        g = rt_m_g(arch_self());
    }
    if (likely(deadline_ns == TUCO_NEVER)) {
        struct rt_waiter *w = rt_wait_record(g, value, RT_TICKET_ALONE);
        rt_waitq_push(q, w);
        rt_wait(g, &c->lock, reason, pc);
        return w->result;
    }
    uint32_t ticket = rt_claim_new(g);
    struct rt_waiter *w = rt_wait_record(g, value, ticket);
    rt_waitq_push(q, w);
    rt_wait_until(g, &c->lock, ticket, deadline_ns, reason, pc);
    if (w->result != RT_WAIT_PENDING) {
        return w->result;
    }
    rt_spin_lock(&c->lock);
    rt_waitq_remove(q, w);
    rt_spin_unlock(&c->lock);
    return -ETIMEDOUT;
}

/* g: who waits if need be; NULL: the goroutine that runs here, looked up only then. */
static RT_INLINE int send_as(struct rt_g *g, tuco_chan *c, const void *value,
                             int64_t deadline_ns, const void *pc) {
    struct rt_waiter *partner = NULL;
    rt_spin_lock(&c->lock);
    enum rt_chan_outcome outcome = send_locked(c, value, &partner);
    if (outcome != RT_CHAN_BLOCKED) {
        return finish_send(c, value, outcome, partner);
    }
    return wait_in(c, &c->senders, g, (void *)value, deadline_ns, RT_WAIT_chan_send, pc);
}

static RT_INLINE int recv_as(struct rt_g *g, tuco_chan *c, void *value,
                             int64_t deadline_ns, const void *pc) {
    struct rt_waiter *partner = NULL;
    rt_spin_lock(&c->lock);
    enum rt_chan_outcome outcome = recv_locked(c, value, &partner);
    if (outcome != RT_CHAN_BLOCKED) {
        return finish_recv(c, value, outcome, partner);
    }
    return wait_in(c, &c->receivers, g, value, deadline_ns, RT_WAIT_chan_recv, pc);
}

/* No channel, or a foreign thread. */

static RT_NOINLINE int send_slow(tuco_chan *c, const void *value, int64_t deadline_ns,
                                 const void *pc) {
    if (c == NULL) {
        return wait_on_nothing(deadline_ns, RT_WAIT_chan_send_nil, pc);
    }
    struct rt_g *g = rt_wait_begin();
    int result = send_as(g, c, value, deadline_ns, pc);
    rt_wait_end(g);
    return result;
}

static RT_NOINLINE int recv_slow(tuco_chan *c, void *value, int64_t deadline_ns,
                                 const void *pc) {
    if (c == NULL) {
        return wait_on_nothing(deadline_ns, RT_WAIT_chan_recv_nil, pc);
    }
    struct rt_g *g = rt_wait_begin();
    int result = recv_as(g, c, value, deadline_ns, pc);
    rt_wait_end(g);
    return result;
}

/* The usual way: on an M, which the wait, if there is one, may end on another of. */
static RT_INLINE int send_until(tuco_chan *c, const void *value, int64_t deadline_ns,
                                const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(c == NULL || m == NULL)) {
        return send_slow(c, value, deadline_ns, pc);
    }
    rt_m_enter(m);
    int result = send_as(NULL, c, value, deadline_ns, pc);
    rt_m_leave(arch_self());
    return result;
}

static RT_INLINE int recv_until(tuco_chan *c, void *value, int64_t deadline_ns,
                                const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(c == NULL)) {
        return recv_slow(c, value, deadline_ns, pc);
    }
    if (unlikely(rt_chan_is_over(c))) {
        tuco_checkpoint(); /* as in tuco_chan_try_send() */
        rt_chan_zero(c, value);
        return -EPIPE;
    }
    if (unlikely(m == NULL)) {
        return recv_slow(c, value, deadline_ns, pc);
    }
    rt_m_enter(m);
    int result = recv_as(NULL, c, value, deadline_ns, pc);
    rt_m_leave(arch_self());
    return result;
}

int tuco_chan_send(tuco_chan *c, const void *value) {
    return send_until(c, value, TUCO_NEVER, __builtin_return_address(0));
}

int tuco_chan_recv(tuco_chan *c, void *value) {
    return recv_until(c, value, TUCO_NEVER, __builtin_return_address(0));
}

int tuco_chan_send_until(tuco_chan *c, const void *value, tuco_time deadline) {
    return send_until(c, value, deadline, __builtin_return_address(0));
}

int tuco_chan_recv_until(tuco_chan *c, void *value, tuco_time deadline) {
    return recv_until(c, value, deadline, __builtin_return_address(0));
}

/* Trying */

static int try_send_locked(tuco_chan *c, const void *value) {
    struct rt_waiter *partner = NULL;
    enum rt_chan_outcome outcome = send_locked(c, value, &partner);
    if (outcome == RT_CHAN_BLOCKED) {
        rt_spin_unlock(&c->lock);
        return -EAGAIN;
    }
    return finish_send(c, value, outcome, partner);
}

int tuco_chan_try_send(tuco_chan *c, const void *value) {
    if (c == NULL || !rt_chan_can_send(c)) {
        tuco_checkpoint(); /* one who tries again and again does not enter otherwise */
        return -EAGAIN;
    }
    rt_enter();
    rt_spin_lock(&c->lock);
    int result = try_send_locked(c, value);
    rt_leave();
    return result;
}

int rt_chan_try_send_system(tuco_chan *c, const void *value) {
    rt_spin_lock_thread(&c->lock);
    return try_send_locked(c, value);
}

int tuco_chan_try_recv(tuco_chan *c, void *value) {
    if (c == NULL || !rt_chan_can_recv(c)) {
        tuco_checkpoint(); /* as in tuco_chan_try_send() */
        return -EAGAIN;
    }
    if (rt_chan_is_over(c)) {
        tuco_checkpoint();
        rt_chan_zero(c, value);
        return -EPIPE;
    }
    struct rt_waiter *partner = NULL;
    int result = -EAGAIN;
    rt_enter();
    rt_spin_lock(&c->lock);
    enum rt_chan_outcome outcome = recv_locked(c, value, &partner);
    if (outcome == RT_CHAN_BLOCKED) {
        rt_spin_unlock(&c->lock);
    } else {
        result = finish_recv(c, value, outcome, partner);
    }
    rt_leave();
    return result;
}

/* Closing */

/* Takes all off the queue and adds them to a list of goroutines, who waited longest last.
   Receivers get zeroes. */
static struct rt_g *claim_all(tuco_chan *c, struct rt_waitq *q, struct rt_g *list) {
    struct rt_waiter *w;
    while ((w = rt_waitq_claim(q)) != NULL) {
        struct rt_g *g = w->g;
        if (q == &c->receivers) {
            rt_chan_zero(c, w->value);
        }
        w->result = -EPIPE;
        rt_g_link(g, list);
        list = g;
    }
    return list;
}

/* Under the lock, which is released. */
static void close_locked(tuco_chan *c) {
    /* release: what was done before is seen. Pairs with the acquire in
       rt_chan_is_over(). */
    rt_store_rel(&c->closed, 1);
    struct rt_g *list = claim_all(c, &c->receivers, NULL);
    list = claim_all(c, &c->senders, list);
    rt_spin_unlock(&c->lock);
    if (list != NULL) {
        rt_ready_list(list);
    }
}

void tuco_chan_close(tuco_chan *c) {
    if (unlikely(c == NULL)) {
        rt_panic("close of nil channel");
    }
    rt_enter();
    rt_spin_lock(&c->lock);
    if (unlikely(rt_load_rlx(&c->closed) != 0)) { /* relaxed: the lock is held */
        rt_spin_unlock(&c->lock);
        rt_panic("close of closed channel");
    }
    close_locked(c);
    rt_leave();
}

/* For timers and contexts */

void rt_chan_close_system(tuco_chan *c) {
    rt_spin_lock_thread(&c->lock);
    close_locked(c);
}

bool rt_chan_drain(tuco_chan *c) {
    rt_spin_lock_thread(&c->lock);
    bool had = rt_load_rlx(&c->count) > 0; /* relaxed: the lock is held; so below */
    c->head = c->tail = 0;
    rt_store_rlx(&c->count, 0);
    rt_spin_unlock(&c->lock);
    return had;
}

void rt_chan_unwatch(tuco_chan *c, struct rt_waiter *w) {
    rt_spin_lock(&c->lock);
    rt_waitq_remove(&c->receivers, w);
    rt_spin_unlock(&c->lock);
}

/* Making, counting, looking */

void rt_chan_init(tuco_chan *c, uint32_t elem_bytes, uint32_t capacity,
                  struct rt_chan_owner *owner) {
    c->capacity = capacity;
    c->elem_bytes = elem_bytes;
    c->owner = owner;
    rt_init(&c->references, 1);
}

/* Blocks. The cache is the P's, so that it is looked at inside; what it does not have is
   asked for outside, where the C library may wait: see preempt.c. */

static void *block_get(void) {
    void *block = NULL;
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        m = rt_m_enter_nested(m);
        block = rt_block_take(&m->p->blocks);
        rt_m_leave_nested(m);
    }
    return likely(block != NULL) ? block : rt_block_make();
}

static void block_put(void *block) {
    bool kept = false;
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        m = rt_m_enter_nested(m);
        kept = rt_block_keep(&m->p->blocks, block);
        rt_m_leave_nested(m);
    }
    if (unlikely(!kept)) {
        rt_block_free(block);
    }
}

/* Its memory, with everything but the buffer zeroed; NULL: there is none. */
static tuco_chan *chan_alloc(size_t bytes) {
    tuco_chan *c = likely(bytes <= RT_BLOCK_BYTES) ? block_get() : rt_alloc_raw(bytes);
    if (likely(c != NULL)) {
        *c = (tuco_chan){.owner = NULL};
    }
    return c;
}

static void chan_free(tuco_chan *c) {
    size_t bytes = sizeof *c + (size_t)c->elem_bytes * c->capacity;
    if (likely(bytes <= RT_BLOCK_BYTES)) {
        block_put(c);
    } else {
        rt_free(c);
    }
}

tuco_chan *tuco_chan_make(size_t elem_size, size_t capacity) {
    size_t bytes;
    if (__builtin_mul_overflow(elem_size, capacity, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(tuco_chan), &bytes) ||
        bytes > PTRDIFF_MAX - RT_CACHE_LINE_BYTES || elem_size > UINT32_MAX ||
        capacity > UINT32_MAX) {
        return NULL;
    }
    tuco_chan *c = chan_alloc(bytes);
    if (c != NULL) {
        rt_chan_init(c, (uint32_t)elem_size, (uint32_t)capacity, NULL);
    }
    return c;
}

tuco_chan *tuco_chan_ref(tuco_chan *c) {
    if (c != NULL) {
        rt_add_rlx(&c->references, 1); /* relaxed: the caller has one already */
    }
    return c;
}

void tuco_chan_unref(tuco_chan *c) {
    /* acquire, acq_rel: all that others did with the channel comes before its end. Pairs
       with the subtraction. Who has the only reference need not count: nobody could make
       another. */
    if (c != NULL &&
        (rt_load_acq(&c->references) == 1 || rt_sub_acqrel(&c->references, 1) == 1)) {
        if (c->owner != NULL) {
            c->owner->end(c->owner);
        } else {
            chan_free(c);
        }
    }
}

size_t tuco_chan_len(const tuco_chan *c) {
    if (c == NULL || c->owner != NULL) {
        return 0;
    }
    return rt_load_rlx(&c->count); /* relaxed: a moment old in any case */
}

size_t tuco_chan_cap(const tuco_chan *c) {
    return c == NULL || c->owner != NULL ? 0 : c->capacity;
}
