/* SPDX-License-Identifier: MIT */
/* Pools: objects that are kept for reuse, on the P where they were put back. */
#include "base/alloc.h"
#include "base/atomic.h"
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
 * plain loads and stores: a goroutine stays on its P until it parks or yields, and
 * neither happens while it is at the stack. Behind the stacks there is one shelf for all,
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
 * puts something. If there is no memory, they do with the shelf.
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

static struct block *make_block(rt_atomic(struct block *) *place) {
    struct block *b = rt_alloc_lines(sizeof *b);
    struct block *other = NULL;
    /* release: publishes the zeroed block; acquire: sees that of another. Pairs with
       itself and with local_of(). */
    if (b != NULL && !rt_cas_acqrel(place, &other, b)) {
        rt_free(b);
        return other;
    }
    return b;
}

/* The stack of the caller's P; NULL: it has none. Good until the caller may park. */
static inline struct local *local_of(tuco_pool *pool, bool make) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        return NULL;
    }
    uint32_t id = m->p->id;
    rt_atomic(struct block *) *place = &pool->blocks[id / BLOCK_PS];
    /* acquire: sees the block zeroed. Pairs with make_block(). */
    struct block *b = rt_load_acq(place);
    if (unlikely(b == NULL)) {
        b = make ? make_block(place) : NULL;
        if (b == NULL) {
            return NULL;
        }
    }
    return &b->locals[id % BLOCK_PS];
}

/* The shelf */

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

/* The program's functions: no lock is held, and no stack is looked at afterwards */

static void *make_object(tuco_pool *pool) {
    return pool->make == NULL ? NULL : pool->make(pool->arg);
}

static void destroy_objects(tuco_pool *pool, void *const *objects, size_t count) {
    for (size_t i = 0; i < count && pool->destroy != NULL; i++) {
        pool->destroy(pool->arg, objects[i]);
    }
}

static RT_NOINLINE void *get_slow(tuco_pool *pool, struct local *l) {
    void *object;
    if (l != NULL) {
        l->count = shelf_take(pool, l->objects, MOVE_OBJECTS);
        if (l->count > 0) {
            return l->objects[--l->count];
        }
    } else if (shelf_take(pool, &object, 1) == 1) {
        return object;
    }
    return make_object(pool);
}

/* l is full: the coldest of its objects go to the shelf, or have to go. */
static RT_NOINLINE void put_slow(tuco_pool *pool, struct local *l, void *object) {
    void *moved[MOVE_OBJECTS];
    size_t count = 1;
    if (l == NULL) {
        moved[0] = object;
    } else {
        count = MOVE_OBJECTS;
        memcpy(moved, l->objects, sizeof moved);
        l->count -= count;
        memmove(l->objects, l->objects + count, l->count * sizeof object);
        l->objects[l->count++] = object;
    }
    size_t kept = shelf_put(pool, moved, count);
    destroy_objects(pool, moved + kept, count - kept);
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
    struct local *l = local_of(pool, false /* nothing is put in */);
    if (likely(l != NULL && l->count > 0)) {
        return l->objects[--l->count];
    }
    return get_slow(pool, l);
}

void tuco_pool_put(tuco_pool *pool, void *object) {
    if (unlikely(object == NULL)) {
        return;
    }
    struct local *l = local_of(pool, true /* make room */);
    if (likely(l != NULL && l->count < LOCAL_OBJECTS)) {
        l->objects[l->count++] = object;
        return;
    }
    put_slow(pool, l, object);
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
