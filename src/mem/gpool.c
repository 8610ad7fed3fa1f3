/* SPDX-License-Identifier: MIT */
/* The slabs of goroutine descriptors, and the shared list of free ones. */
#include "mem/gpool.h"
#include "base/lock.h"
#include "os/os.h"

#include <string.h>

#define SLAB_SLOTS 8192u /* 2 MiB */
#define SLAB_BYTES ((size_t)SLAB_SLOTS * RT_GSLOT_BYTES)
#define SLABS      8192u /* 64 million goroutines */

/* A program that has used this many slots probably needs many more: from then on, pages are
   populated several at a time. */
#define POPULATE_FROM  SLAB_SLOTS
#define POPULATE_SLOTS 256u
#define SLOTS_PER_PAGE ((uint32_t)(OS_PAGE_BYTES / RT_GSLOT_BYTES))

/* A bundle is a free slot and the others whose addresses are in its spare bytes. */
#define BUNDLE_OTHERS (RT_GSLOT_SPARE_BYTES / sizeof(struct rt_gslot *) - 1)
#define BUNDLE_SLOTS  (BUNDLE_OTHERS + 1)

struct bundle {
    uint64_t others_count;
    struct rt_gslot *others[BUNDLE_OTHERS];
};

_Static_assert(sizeof(struct bundle) <= RT_GSLOT_SPARE_BYTES,
               "a bundle fits into the spare bytes");
_Static_assert(4 * BUNDLE_SLOTS <= RT_GCACHE_SLOTS, "a cache holds some bundles");
_Static_assert(SLAB_SLOTS % POPULATE_SLOTS == 0, "a stretch lies within one slab");
_Static_assert(POPULATE_SLOTS % SLOTS_PER_PAGE == 0, "a stretch is whole pages");

static struct {
    struct rt_lock lock; /* a leaf; only os.h is called under it */
    /* Under the lock. */
    struct rt_gslot *free; /* bundles, linked by next */
    uint32_t populated;    /* slots below this have been populated */

    /* Atomic: written under the lock; walks by number read them without it. */
    rt_atomic(uint32_t) end;
    rt_atomic(char *) slabs[SLABS];
} pool = {.lock = RT_LOCK_INIT(gpool), .end = 1 /* 0 means none */};

struct rt_gslot *rt_gpool_at(uint32_t index) {
    /* acquire: sees the zeroed slab. Pairs with the release in slot_carve_locked(). */
    char *slab = rt_load_acq(&pool.slabs[index / SLAB_SLOTS]);
    return (struct rt_gslot *)(slab + (size_t)(index % SLAB_SLOTS) * RT_GSLOT_BYTES);
}

uint32_t rt_gpool_end(void) {
    /* acquire: every number below has its slab and its index. Pairs with the release in
       slot_carve_locked(). */
    return rt_load_acq(&pool.end);
}

static void populate_locked(uint32_t index) {
    if (index < POPULATE_FROM || index < pool.populated) {
        return;
    }
    uint32_t first = index / POPULATE_SLOTS * POPULATE_SLOTS;
    struct os_range range = {rt_gpool_at(first), (size_t)POPULATE_SLOTS * RT_GSLOT_BYTES};
    os_populate(&range, 1);
    pool.populated = first + POPULATE_SLOTS;
}

/* Returns a slot that was never used before; NULL: no memory. */
static struct rt_gslot *slot_carve_locked(void) {
    uint32_t index = rt_load_rlx(&pool.end); /* relaxed: the lock is held */
    uint32_t slab = index / SLAB_SLOTS;
    if (slab == SLABS) {
        return NULL;
    }
    if (rt_load_rlx(&pool.slabs[slab]) == NULL) { /* relaxed: the lock is held */
        char *memory = os_reserve(SLAB_BYTES, OS_PAGE_BYTES);
        if (memory == NULL) {
            return NULL;
        }
        /* release: publishes the zeroed slab. Pairs with the acquire in rt_gpool_at(). */
        rt_store_rel(&pool.slabs[slab], memory);
    }
    populate_locked(index);
    struct rt_gslot *s = rt_gpool_at(index);
    s->index = index;
    /* release: publishes the index. Pairs with the acquire in rt_gpool_end(). */
    rt_store_rel(&pool.end, index + 1);
    return s;
}

static struct bundle *bundle_of(struct rt_gslot *s) {
    return (struct bundle *)((char *)s + RT_GSLOT_SPARE_OFFSET);
}

/* Adds the slots of a bundle to the cache. */
static void unpack(struct rt_gcache *c, struct rt_gslot *s) {
    struct bundle *b = bundle_of(s);
    c->slots[c->count++] = s;
    for (uint64_t i = 0; i < b->others_count; i++) {
        c->slots[c->count++] = b->others[i];
    }
}

/* Makes a bundle of the slots that have been in the cache the longest. */
static struct rt_gslot *pack(struct rt_gcache *c, uint32_t slots_count) {
    struct rt_gslot *s = c->slots[0];
    struct bundle *b = bundle_of(s);
    b->others_count = slots_count - 1;
    memcpy(b->others, &c->slots[1], b->others_count * sizeof c->slots[0]);
    c->count -= slots_count;
    memmove(&c->slots[0], &c->slots[slots_count], c->count * sizeof c->slots[0]);
    return s;
}

static void push_bundle(struct rt_gslot *s) {
    rt_lock(&pool.lock);
    s->next = pool.free;
    pool.free = s;
    rt_unlock(&pool.lock);
}

bool rt_gpool_refill(struct rt_gcache *c) {
    rt_lock(&pool.lock);
    struct rt_gslot *s = pool.free;
    if (s != NULL) {
        pool.free = s->next;
        __builtin_prefetch(s->next); /* for the next refill: the link and the bundle */
        __builtin_prefetch((char *)s->next + RT_GSLOT_SPARE_OFFSET);
    }
    while (s == NULL && c->count < BUNDLE_SLOTS) {
        struct rt_gslot *fresh = slot_carve_locked();
        if (fresh == NULL) {
            break;
        }
        c->slots[c->count++] = fresh;
    }
    rt_unlock(&pool.lock);
    if (s != NULL) {
        unpack(c, s);
    }
    return c->count > 0;
}

void rt_gpool_spill(struct rt_gcache *c) {
    for (int i = 0; i < 2; i++) {
        push_bundle(pack(c, BUNDLE_SLOTS));
    }
}

void rt_gpool_flush(struct rt_gcache *c) {
    while (c->count > 0) {
        push_bundle(pack(c, c->count < BUNDLE_SLOTS ? c->count : BUNDLE_SLOTS));
    }
}

struct rt_gslot *rt_gpool_get_shared(void) {
    rt_lock(&pool.lock);
    struct rt_gslot *s = pool.free;
    if (s == NULL) {
        s = slot_carve_locked();
    } else if (bundle_of(s)->others_count > 0) {
        s = bundle_of(s)->others[--bundle_of(s)->others_count];
    } else {
        pool.free = s->next;
    }
    rt_unlock(&pool.lock);
    return s;
}

void rt_gpool_put_shared(struct rt_gslot *s) {
    bundle_of(s)->others_count = 0;
    push_bundle(s);
}

void rt_gpool_free_all(void) {
    rt_lock(&pool.lock);
    for (uint32_t i = 0; i < SLABS; i++) {
        /* relaxed: the lock is held */
        char *slab = rt_load_rlx(&pool.slabs[i]);
        if (slab == NULL) {
            break;
        }
        rt_store_rlx(&pool.slabs[i], NULL); /* relaxed: no reader is left */
        os_release(slab, SLAB_BYTES);
    }
    pool.free = NULL;
    pool.populated = 0;
    rt_store_rlx(&pool.end, 1); /* relaxed: no reader is left */
    rt_unlock(&pool.lock);
}
