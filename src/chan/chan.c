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
 * A channel is a spin lock, a ring of values and two queues of waiters. If the partner
 * already waits, the value is copied directly between the two goroutines, after the lock is
 * released: a claimed record belongs to the goroutine that claimed it.
 *
 * Rejected: a lock-free ring with a sequence number in each slot. Its operations cost one
 * read-modify-write; so does taking a free lock, whose release is a plain store. And wait,
 * wake, close and select would need an order with the ring, which the lock gives for free.
 */

/* The caller holds the lock */

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
    rt_assert_spin_held(&c->lock);
    /* relaxed, all: the lock is held */
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

/* A value was just received. Moves the value of the longest-waiting sender, if any, into
   the free slot. */
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
    rt_assert_spin_held(&c->lock);
    uint32_t count = rt_load_rlx(&c->count); /* relaxed, all: the lock is held */
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

/* The lock is released */

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

/* Release the lock and complete the operation; return the caller's result. */
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

/* A nil channel: only the deadline ends the wait. */
static RT_COLD int wait_on_nothing(int64_t deadline_ns, enum rt_wait_reason reason,
                                   const void *pc) {
    struct rt_g *g = rt_wait_begin();
    rt_wait_on(g, &(struct rt_wait_terms){.ticket = rt_claim_new(g),
                                          .deadline_ns = deadline_ns,
                                          .reason = reason,
                                          .pc = pc});
    rt_wait_end(g);
    return -ETIMEDOUT;
}

/* The caller holds the lock; it is released after the switch. Parks in q until a waker or
   the deadline wins, and returns the result. g: see send_as(). */
static int wait_in(tuco_chan *c, struct rt_waitq *q, struct rt_g *g, void *value,
                   int64_t deadline_ns, const void *pc) {
    enum rt_wait_reason reason = q == &c->senders ? RT_WAIT_chan_send : RT_WAIT_chan_recv;
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

/* g: the goroutine or proxy that parks if the operation blocks; NULL: the running
   goroutine, looked up only when it parks. */
static RT_INLINE int send_as(struct rt_g *g, tuco_chan *c, const void *value,
                             int64_t deadline_ns, const void *pc) {
    struct rt_waiter *partner = NULL;
    rt_spin_lock(&c->lock);
    enum rt_chan_outcome outcome = send_locked(c, value, &partner);
    if (outcome != RT_CHAN_BLOCKED) {
        return finish_send(c, value, outcome, partner);
    }
    return wait_in(c, &c->senders, g, (void *)value, deadline_ns, pc);
}

static RT_INLINE int recv_as(struct rt_g *g, tuco_chan *c, void *value,
                             int64_t deadline_ns, const void *pc) {
    struct rt_waiter *partner = NULL;
    rt_spin_lock(&c->lock);
    enum rt_chan_outcome outcome = recv_locked(c, value, &partner);
    if (outcome != RT_CHAN_BLOCKED) {
        return finish_recv(c, value, outcome, partner);
    }
    return wait_in(c, &c->receivers, g, value, deadline_ns, pc);
}

/* A nil channel, or a foreign thread */

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

/* The fast path, on an M. A goroutine that parks may resume on another M. */
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
        tuco_checkpoint(); /* lets a polling loop be preempted; this path never enters */
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

/* Claims every waiter in q and prepends its goroutine to list, so that the longest-waiting
   one comes last. Receivers get zeroes. */
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

/* The caller holds the lock; it is released. */
static void close_locked(tuco_chan *c) {
    rt_assert_spin_held(&c->lock);
    rt_race_release(&c->lock); /* here: rt_chan_is_over() does not take the lock */
    /* release: publishes everything before the close. Pairs with the acquire in
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
    bool had = rt_load_rlx(&c->count) > 0; /* relaxed, both: the lock is held */
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

/* Creation, references, length */

void rt_chan_init(tuco_chan *c, uint32_t elem_bytes, uint32_t capacity,
                  struct rt_chan_owner *owner) {
    c->capacity = capacity;
    c->elem_bytes = elem_bytes;
    c->owner = owner;
    rt_init(&c->references, 1);
}

/* Memory blocks. The cache belongs to the P, so it is used inside the runtime. malloc and
   free are called outside, where they may wait for a lock: see 'Not inside' in alloc.h. */

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

/* Returns memory with all but the buffer zeroed, or NULL. */
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
        rt_add_rlx(&c->references, 1); /* relaxed: the caller holds a reference */
    }
    return c;
}

void tuco_chan_unref(tuco_chan *c) {
    /* acquire, acq_rel: every other use of the channel happens before it is freed. Pairs
       with tuco_chan_unref() in other threads. The holder of the only reference need not
       subtract: no other thread can add one. */
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
    return rt_load_rlx(&c->count); /* relaxed: out of date on return in any case */
}

size_t tuco_chan_cap(const tuco_chan *c) {
    return c == NULL || c->owner != NULL ? 0 : c->capacity;
}
