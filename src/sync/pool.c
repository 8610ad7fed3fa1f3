/* SPDX-License-Identifier: MIT */
/* Pools: objects that are kept for reuse, on the P where they were put back. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "sched/enter.h"
#include "sched/m.h"
#include "sched/p.h"
#include "sched/spin.h"

#include <string.h>
#include <tuco/sync.h>

/*
 * Problem. An object that has just been put back is warm in the cache of that core, and
 * whoever runs there should get it without asking anybody.
 *
 * The way taken. Each P has a small stack of objects that only its owner touches, with
 * plain loads and stores: nobody takes the P from a goroutine that is inside the runtime. Behind the stacks there is one shelf for all,
 * under a spin lock; a stack that is full moves half of it there, and one that is empty
 * takes as much from there, so that the lock is taken once in LOCAL_OBJECTS / 2
 * operations at most, also if one P only puts and another only gets. Threads without a P
 * use the shelf.
 *
 * Bound. At most SHELF_OBJECTS + LOCAL_OBJECTS for each P are kept; what is put beyond
 * that is destroyed. Nothing is destroyed for being old. What lies in the stack of a P is
 * not found from another one, which makes a new object instead.
 *
 * The stacks of BLOCK_PS neighbouring Ps are one allocation, made when the first of them
 * puts something. If there is no memory, they do with the shelf. It is made outside of the
 * runtime, as objects are made and destroyed there.
 */
#define LOCAL_OBJECTS 15 /* with their number, two cache lines */
#define MOVE_OBJECTS  (LOCAL_OBJECTS / 2)
#define SHELF_OBJECTS 512
#define BLOCK_PS      16
#define BLOCKS        (RT_PROCS_MAX / BLOCK_PS)

_Static_assert(RT_PROCS_MAX % BLOCK_PS == 0, "every P has a place");

/* Owner of the P. */
struct local {
    size_t count;
    void *objects[LOCAL_OBJECTS]; /* the warmest last */
} RT_CACHE_ALIGNED;

struct block {
    struct local locals[BLOCK_PS];
};

struct tuco_pool {
    /* Immutable. */
    void *(*make)(void *);
    void (*destroy)(void *, void *);
    void *arg;

    /* Atomic: NULL until it is first needed, and then for good. */
    rt_atomic(struct block *) blocks[BLOCKS];

    struct rt_spin
        lock RT_CACHE_ALIGNED; /* of the shelf; no goroutine switches under it */
    /* The lock. */
    size_t shelf_count;
    void *shelf[SHELF_OBJECTS];
};

/* The stacks */

/* The place of the block of m's P. Inside; the place stays what it is. */
static inline rt_atomic(struct block *) *place_of(tuco_pool *pool, const struct rt_m *m) {
    return &pool->blocks[m->p->id / BLOCK_PS];
}

/* The stack of m's P; NULL: there is no memory for it yet. Inside, and good until the
   caller leaves. */
static inline struct local *local_of(tuco_pool *pool, const struct rt_m *m) {
    /* acquire: sees the block zeroed. Pairs with make_block(). */
    struct block *b = rt_load_acq(place_of(pool, m));
    return likely(b != NULL) ? &b->locals[m->p->id % BLOCK_PS] : NULL;
}

/* Outside. */
static RT_NOINLINE void make_block(rt_atomic(struct block *) *place) {
    struct block *b = rt_alloc_lines(sizeof *b);
    struct block *other = NULL;
    /* release: publishes the zeroed block. Pairs with local_of(). */
    if (b != NULL && !rt_cas_acqrel(place, &other, b)) {
        rt_free(b);
    }
}

/* The shelf. Inside, or on a thread without an M. */

/* As many as there are, up to most; returns how many. */
static size_t shelf_take(tuco_pool *pool, void **objects, size_t most) {
    rt_spin_lock_thread(&pool->lock);
    size_t n = pool->shelf_count < most ? pool->shelf_count : most;
    pool->shelf_count -= n;
    memcpy(objects, &pool->shelf[pool->shelf_count], n * sizeof *objects);
    rt_spin_unlock(&pool->lock);
    return n;
}

/* As many as there is room for; returns how many. */
static size_t shelf_put(tuco_pool *pool, void *const *objects, size_t count) {
    rt_spin_lock_thread(&pool->lock);
    size_t room = SHELF_OBJECTS - pool->shelf_count;
    size_t n = room < count ? room : count;
    memcpy(&pool->shelf[pool->shelf_count], objects, n * sizeof *objects);
    pool->shelf_count += n;
    rt_spin_unlock(&pool->lock);
    return n;
}

/* The program's functions: outside */

static void *make_object(tuco_pool *pool) {
    return pool->make == NULL ? NULL : pool->make(pool->arg);
}

static void destroy_objects(tuco_pool *pool, void *const *objects, size_t count) {
    for (size_t i = 0; i < count && pool->destroy != NULL; i++) {
        pool->destroy(pool->arg, objects[i]);
    }
}

/* Taking and putting. l: of the caller's P, inside; NULL: it has none. */

/* NULL: there is none. */
static inline void *take(tuco_pool *pool, struct local *l) {
    void *object;
    if (unlikely(l == NULL)) {
        return shelf_take(pool, &object, 1) == 1 ? object : NULL;
    }
    if (unlikely(l->count == 0)) {
        l->count = shelf_take(pool, l->objects, MOVE_OBJECTS);
    }
    return likely(l->count > 0) ? l->objects[--l->count] : NULL;
}

/* What there was no room for, the coldest. */
struct rest {
    size_t count;
    void *objects[MOVE_OBJECTS];
};

static RT_NOINLINE void put_slow(tuco_pool *pool, struct local *l, void *object,
                                 struct rest *rest) {
    void *moved[MOVE_OBJECTS] = {object};
    size_t count = 1;
    if (l != NULL) {
        count = MOVE_OBJECTS;
        memcpy(moved, l->objects, sizeof moved);
        l->count -= count;
        memmove(l->objects, l->objects + count, l->count * sizeof object);
        l->objects[l->count++] = object;
    }
    size_t kept = shelf_put(pool, moved, count);
    rest->count = count - kept;
    memcpy(rest->objects, moved + kept, rest->count * sizeof object);
}

static inline void put(tuco_pool *pool, struct local *l, void *object,
                       struct rest *rest) {
    if (likely(l != NULL && l->count < LOCAL_OBJECTS)) {
        l->objects[l->count++] = object;
    } else {
        put_slow(pool, l, object, rest);
    }
}

/* Public */

tuco_pool *tuco_pool_make(void *(*make)(void *), void (*destroy)(void *, void *),
                          void *arg) {
    tuco_pool *pool = rt_alloc_lines(sizeof *pool);
    if (pool != NULL) {
        pool->make = make;
        pool->destroy = destroy;
        pool->arg = arg;
    }
    return pool;
}

void *tuco_pool_get(tuco_pool *pool) {
    void *object;
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        m = rt_m_enter_nested(m);
        object = take(pool, local_of(pool, m));
        rt_m_leave_nested(m);
    } else {
        object = take(pool, NULL);
    }
    return likely(object != NULL) ? object : make_object(pool);
}

/* True: it has been put. False: *place is that of a block which has to be made first. */
static bool put_inside(tuco_pool *pool, void *object, bool anyhow, struct rest *rest,
                       rt_atomic(struct block *) **place) {
    struct rt_m *m = rt_m_enter_nested(arch_self());
    struct local *l = local_of(pool, m);
    *place = place_of(pool, m);
    bool ready = likely(l != NULL) || anyhow;
    if (ready) {
        put(pool, l, object, rest);
    }
    rt_m_leave_nested(m);
    return ready;
}

void tuco_pool_put(tuco_pool *pool, void *object) {
    struct rest rest;
    rest.count = 0;
    if (unlikely(object == NULL)) {
        return;
    }
    if (unlikely(arch_self() == NULL)) {
        put(pool, NULL, object, &rest);
    } else {
        rt_atomic(struct block *) *place;
        if (unlikely(!put_inside(pool, object, false, &rest, &place))) {
            make_block(place);
            put_inside(pool, object, true /* with or without one */, &rest, &place);
        }
    }
    destroy_objects(pool, rest.objects, rest.count);
}

void tuco_pool_free(tuco_pool *pool) {
    if (pool == NULL) {
        return;
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        struct block *b = rt_load_acq(&pool->blocks[i]); /* acquire: as in local_of() */
        for (size_t k = 0; b != NULL && k < BLOCK_PS; k++) {
            destroy_objects(pool, b->locals[k].objects, b->locals[k].count);
        }
        rt_free(b);
    }
    destroy_objects(pool, pool->shelf, pool->shelf_count);
    rt_free(pool);
}
