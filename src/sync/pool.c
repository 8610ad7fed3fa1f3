/* SPDX-License-Identifier: MIT */
/* Pools: objects kept for reuse, on the P where they were put back. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/race.h"
#include "sched/syscall/enter.h"
#include "sched/m.h"
#include "sched/p.h"
#include "sched/spin.h"

#include <string.h>
#include <tuco/sync.h>

/*
 * Problem. An object that has just been put back is warm in that core's cache. The next
 * goroutine on the core should get it without synchronization.
 *
 * The way taken. Each P has a small stack of objects. Only the P's owner touches it, with
 * plain loads and stores; no thread retakes the P of a goroutine that is inside the
 * runtime. All Ps share one shelf under a spin lock. A full stack moves half of its objects
 * to the shelf, and an empty one takes as many from it. So the lock is taken at most once
 * in MOVE_OBJECTS operations, also if one P only puts and another only gets, unless the
 * shelf is empty or full. Threads without a P use the shelf.
 *
 * Bound. The pool keeps at most SHELF_OBJECTS, plus LOCAL_OBJECTS for each P. Objects put
 * beyond that are destroyed; none is destroyed for its age. A P does not search the stacks
 * of other Ps; it makes a new object instead.
 *
 * The stacks of BLOCK_PS neighbouring Ps are one allocation, a block, made when the first
 * of them puts an object. If it fails, these Ps use the shelf. Blocks are allocated, and
 * objects made and destroyed, outside of the runtime.
 */
#define LOCAL_OBJECTS 15 /* with their number, two cache lines */
#define MOVE_OBJECTS  (LOCAL_OBJECTS / 2)
#define SHELF_OBJECTS 512
#define BLOCK_PS      16
#define BLOCKS        (RT_PROCS_MAX / BLOCK_PS)

_Static_assert(RT_PROCS_MAX % BLOCK_PS == 0, "every P has a place");

/* Owner: the M that has the P, inside the runtime. */
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

    /* Atomic: set once, by make_block(). */
    rt_atomic(struct block *) blocks[BLOCKS];

    /* Guards the shelf; its holder does not switch. */
    struct rt_spin lock RT_CACHE_ALIGNED;

    /* Under the lock. */
    size_t shelf_count;
    void *shelf[SHELF_OBJECTS];
};

/* The stacks */

/* Returns where the pointer to the block of m's P is stored. Call it inside; the result is
   valid as long as the pool. */
static inline rt_atomic(struct block *) *place_of(tuco_pool *pool, const struct rt_m *m) {
    return &pool->blocks[m->p->id / BLOCK_PS];
}

/* Returns the stack of m's P; NULL: its block does not exist yet. Call it inside; the
   result may be used until the caller leaves the runtime. */
static inline struct local *local_of(tuco_pool *pool, const struct rt_m *m) {
    /* acquire: sees the block zeroed. Pairs with make_block(). */
    struct block *b = rt_load_acq(place_of(pool, m));
    return likely(b != NULL) ? &b->locals[m->p->id % BLOCK_PS] : NULL;
}

/* Called outside of the runtime. */
static RT_NOINLINE void make_block(rt_atomic(struct block *) *place) {
    struct block *b = rt_alloc_lines(sizeof *b);
    struct block *other = NULL;
    /* release: publishes the zeroed block. Pairs with local_of(). */
    if (b != NULL && !rt_cas_acqrel(place, &other, b)) {
        rt_free(b);
    }
}

/* The shelf: used inside the runtime, or by a foreign thread */

/* Takes up to most objects; returns their number. */
static size_t shelf_take(tuco_pool *pool, void **objects, size_t most) {
    rt_spin_lock_thread(&pool->lock);
    size_t n = pool->shelf_count < most ? pool->shelf_count : most;
    pool->shelf_count -= n;
    memcpy(objects, &pool->shelf[pool->shelf_count], n * sizeof *objects);
    rt_spin_unlock(&pool->lock);
    return n;
}

/* Puts as many objects as there is room for; returns their number. */
static size_t shelf_put(tuco_pool *pool, void *const *objects, size_t count) {
    rt_spin_lock_thread(&pool->lock);
    size_t room = SHELF_OBJECTS - pool->shelf_count;
    size_t n = room < count ? room : count;
    memcpy(&pool->shelf[pool->shelf_count], objects, n * sizeof *objects);
    pool->shelf_count += n;
    rt_spin_unlock(&pool->lock);
    return n;
}

/* The user's functions: called outside of the runtime */

static void *make_object(tuco_pool *pool) {
    return pool->make == NULL ? NULL : pool->make(pool->arg);
}

static void destroy_objects(tuco_pool *pool, void *const *objects, size_t count) {
    for (size_t i = 0; i < count && pool->destroy != NULL; i++) {
        rt_race_acquire(objects[i]);
        pool->destroy(pool->arg, objects[i]);
    }
}

/* Taking and putting. l: the stack of the caller's P, inside; NULL: there is none. */

/* Returns NULL if the pool has no object for the caller. */
static inline void *object_take(tuco_pool *pool, struct local *l) {
    void *object;
    if (unlikely(l == NULL)) {
        return shelf_take(pool, &object, 1) == 1 ? object : NULL;
    }
    if (unlikely(l->count == 0)) {
        l->count = shelf_take(pool, l->objects, MOVE_OBJECTS);
    }
    return likely(l->count > 0) ? l->objects[--l->count] : NULL;
}

/* The objects that found no room: the least recently put ones. */
struct rest {
    size_t count;
    void *objects[MOVE_OBJECTS];
};

static RT_NOINLINE void pool_put_slow(tuco_pool *pool, struct local *l, void *object,
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

static inline void pool_put(tuco_pool *pool, struct local *l, void *object,
                            struct rest *rest) {
    if (likely(l != NULL && l->count < LOCAL_OBJECTS)) {
        l->objects[l->count++] = object;
    } else {
        pool_put_slow(pool, l, object, rest);
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
        object = object_take(pool, local_of(pool, m));
        rt_m_leave_nested(m);
    } else {
        object = object_take(pool, NULL);
    }
    if (unlikely(object == NULL)) {
        return make_object(pool);
    }
    rt_race_acquire(object);
    return object;
}

/* Puts the object. Returns false if the P's block has to be made first, at *place, and
   anyhow is false. */
static bool put_inside(tuco_pool *pool, void *object, bool anyhow, struct rest *rest,
                       rt_atomic(struct block *) **place) {
    struct rt_m *m = rt_m_enter_nested(arch_self());
    struct local *l = local_of(pool, m);
    *place = place_of(pool, m);
    bool ready = likely(l != NULL) || anyhow;
    if (ready) {
        pool_put(pool, l, object, rest);
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
    rt_race_release(object);
    if (unlikely(arch_self() == NULL)) {
        pool_put(pool, NULL, object, &rest);
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
