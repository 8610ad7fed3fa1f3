/* SPDX-License-Identifier: MIT */
/* Lists under a lock: goroutines that are urgent, those that came one by one, and chunks of
   what overflowed. */
#include "sched/globq.h"
#include "base/lock.h"
#include "os/os.h"
#include "sched/g.h"
#include "sched/p.h"

/*
 * What overflows a ring goes into a chunk, an array of pointers, and comes out as one: no
 * goroutine is touched. Linked through their descriptors, a million spawned goroutines
 * would cost a cache miss each on the way in and another on the way out. Single
 * goroutines, and everything if there is no memory for a chunk, are linked.
 *
 * The newest chunk comes out first, for a P that has nothing else. A tree of goroutines
 * that start others and wait for them is then walked in depth: what was started last is
 * smallest, and ends soon. First in, first out walks it in breadth, with all of its nodes
 * alive at once: fib(27) has 17,000 at its peak then, and 1,800 this way, and takes half
 * again as long, for the caches hold neither their stacks nor their descriptors. Who has
 * waited longest is not forgotten: once in OLDEST_NS a goroutine of the oldest chunk is
 * taken, whatever else there is. Not every 61st time, as with the list: in a tree those are
 * the largest branches, and starting one in 61 of them makes it a walk in breadth again.
 *
 * The list is FIFO. Takers alternate between the two while both have something, so that
 * neither waits for the other. Those that are urgent, made so by the monitor for want of
 * anybody else, come first: they are few.
 *
 * Chunks are cut from pages of the queue's own: see 'Not inside' in alloc.h. They are kept
 * until the runtime ends, as descriptors are, which are thirty times as large.
 */

/* What overflows at a time: half a ring, and the one that did not fit. */
#define CHUNK_SLOTS (RT_RUNQ_SLOTS / 2 + 1)

/* How often at least one of those that have waited longest has its turn. */
#define OLDEST_NS ((int64_t)1000 * 1000)

/* Chunks are cut from that much at a time. */
#define SLAB_BYTES ((size_t)64 * 1024)

struct chunk {
    struct chunk *next; /* older */
    struct chunk *prev; /* newer */
    uint32_t begin;     /* [begin, end) are left */
    uint32_t end;
    struct rt_g *gs[CHUNK_SLOTS];
};

struct slab {
    struct slab *next; /* the one before */
    uint32_t cut;      /* how many of its chunks have been used */
    struct chunk chunks[];
};

#define SLAB_CHUNKS ((SLAB_BYTES - sizeof(struct slab)) / sizeof(struct chunk))

static struct {
    /* guards all; under it only the ring of the caller's own P is touched */
    struct rt_lock lock;
    struct rt_glist urgent;
    struct rt_glist list;
    struct chunk *newest;
    struct chunk *oldest;
    struct chunk *spare; /* empty ones */
    struct slab *slabs;  /* only the newest has chunks that were never used */
    uint32_t chunked;    /* goroutines in chunks */
    int64_t oldest_ns;   /* when one of the oldest was last taken */
    bool list_turn;
} globq RT_CACHE_ALIGNED = {.lock = RT_LOCK_INIT(globq)};

struct rt_globq_length rt_globq_shared;

void rt_glist_append(struct rt_glist *list, struct rt_g *g) {
    rt_g_link(g, NULL);
    if (list->last != NULL) {
        rt_g_link(list->last, g);
    } else {
        list->first = g;
    }
    list->last = g;
    list->count++;
}

struct rt_g *rt_glist_pop(struct rt_glist *list) {
    struct rt_g *g = list->first;
    if (g != NULL) {
        list->first = rt_g_next(g);
        if (list->first == NULL) {
            list->last = NULL;
        }
        list->count--;
    }
    return g;
}

/* At the end of every change. */
static void publish_and_unlock(void) {
    uint32_t count = globq.urgent.count + globq.list.count + globq.chunked;
    /* release: after what was moved to a ring. Pairs with rt_globq_length(). */
    rt_store_rel(&rt_globq_shared.count, count);
    rt_store_rlx(&rt_globq_shared.urgent, globq.urgent.count); /* relaxed: a hint */
    rt_unlock(&globq.lock);
}

/* Chunks */

static struct chunk *take_empty_locked(void) {
    struct chunk *c = globq.spare;
    if (c != NULL) {
        globq.spare = c->next;
    } else if (globq.slabs != NULL && globq.slabs->cut < SLAB_CHUNKS) {
        c = &globq.slabs->chunks[globq.slabs->cut++];
    }
    return c;
}

/* NULL: no memory. */
static struct chunk *chunk_get(void) {
    rt_lock(&globq.lock);
    struct chunk *c = take_empty_locked();
    rt_unlock(&globq.lock);
    if (likely(c != NULL)) {
        return c;
    }
    struct slab *slab = os_reserve(SLAB_BYTES, OS_PAGE_BYTES);
    if (slab == NULL) {
        return NULL;
    }
    rt_lock(&globq.lock);
    c = take_empty_locked(); /* another P may have come here as well */
    if (likely(c == NULL)) {
        slab->next = globq.slabs;
        globq.slabs = slab;
        c = take_empty_locked();
        slab = NULL;
    }
    rt_unlock(&globq.lock);
    if (slab != NULL) {
        os_release(slab, SLAB_BYTES);
    }
    return c;
}

static void chunk_push_locked(struct chunk *c) {
    rt_assert_held(&globq.lock);
    c->prev = NULL;
    c->next = globq.newest;
    if (globq.newest != NULL) {
        globq.newest->prev = c;
    } else {
        globq.oldest = c;
    }
    globq.newest = c;
    globq.chunked += c->end - c->begin;
}

/* Takes a chunk, which is empty, out. */
static void chunk_retire_locked(struct chunk *c) {
    if (c->prev != NULL) {
        c->prev->next = c->next;
    } else {
        globq.newest = c->next;
    }
    if (c->next != NULL) {
        c->next->prev = c->prev;
    } else {
        globq.oldest = c->prev;
    }
    c->next = globq.spare;
    globq.spare = c;
}

/* Putting */

static void put_list(struct rt_glist *to, struct rt_glist *list) {
    if (list->first == NULL) {
        return;
    }
    rt_lock(&globq.lock);
    if (to->last != NULL) {
        rt_g_link(to->last, list->first);
    } else {
        to->first = list->first;
    }
    to->last = list->last;
    to->count += list->count;
    publish_and_unlock();
    *list = (struct rt_glist){.first = NULL};
}

void rt_globq_put_list(struct rt_glist *list) {
    put_list(&globq.list, list);
}

void rt_globq_put_urgent(struct rt_glist *list) {
    put_list(&globq.urgent, list);
}

void rt_globq_put(struct rt_g *g) {
    struct rt_glist one = {.first = NULL};
    rt_glist_append(&one, g);
    rt_globq_put_list(&one);
}

static void put_array_linked(struct rt_g *const *gs, uint32_t count) {
    struct rt_glist list = {.first = NULL};
    for (uint32_t i = 0; i < count; i++) {
        rt_glist_append(&list, gs[i]);
    }
    rt_globq_put_list(&list);
}

void rt_globq_put_array(struct rt_g *const *gs, uint32_t count) {
    while (count > 0) {
        uint32_t n = count < CHUNK_SLOTS ? count : CHUNK_SLOTS;
        struct chunk *c = chunk_get();
        if (c == NULL) {
            put_array_linked(gs, count);
            return;
        }
        c->begin = 0;
        c->end = n;
        for (uint32_t i = 0; i < n; i++) {
            c->gs[i] = gs[i];
        }
        rt_lock(&globq.lock);
        chunk_push_locked(c);
        publish_and_unlock();
        gs += n;
        count -= n;
    }
}

/* Taking */

/* From the one whose turn it is, or from the one that has something. Both are not empty
   at once. */
static bool take_from_list_locked(void) {
    rt_assert_held(&globq.lock);
    globq.list_turn = !globq.list_turn;
    return globq.newest == NULL || (globq.list.first != NULL && globq.list_turn);
}

/* Off the queue before it is in the ring: from then on a thief may have it and use its
   link. The ring has room, because it was empty, or has been looked at, and only its owner,
   the caller, fills it. */
static struct rt_g *take_linked_locked(struct rt_glist *from, struct rt_p *p,
                                       uint32_t share) {
    struct rt_g *first = rt_glist_pop(from);
    struct rt_g *g;
    while (--share > 0 && (g = rt_glist_pop(from)) != NULL) {
        rt_check(rt_runq_put(&p->runq, g));
    }
    return first;
}

/* The chunk that one, or share of them, are taken from. */
static struct chunk *choose_chunk_locked(uint32_t share) {
    if (share > 1 || globq.newest == globq.oldest) {
        return globq.newest;
    }
    int64_t now = os_now();
    if (now - globq.oldest_ns < OLDEST_NS) {
        return globq.newest;
    }
    globq.oldest_ns = now;
    return globq.oldest;
}

static struct rt_g *take_chunked_locked(struct rt_p *p, uint32_t share) {
    struct chunk *c = choose_chunk_locked(share);
    struct rt_g *first = c->gs[c->begin++];
    globq.chunked--;
    while (--share > 0 && c->begin < c->end) {
        rt_check(rt_runq_put(&p->runq, c->gs[c->begin++]));
        globq.chunked--;
    }
    if (c->begin == c->end) {
        chunk_retire_locked(c);
    }
    return first;
}

/* Up to share of them, one returned and the others put into p's ring. */
static struct rt_g *take(struct rt_p *p, uint32_t share_of, uint32_t share_max) {
    struct rt_g *g = NULL;
    if (rt_globq_length() == 0) {
        return NULL;
    }
    rt_lock(&globq.lock);
    uint32_t total = globq.list.count + globq.chunked;
    uint32_t share = total / share_of + 1;
    share = share < share_max ? share : share_max;
    if (globq.urgent.first != NULL) {
        g = take_linked_locked(&globq.urgent, NULL, 1); /* who was asked takes the rest */
    } else if (total > 0) {
        g = take_from_list_locked() ? take_linked_locked(&globq.list, p, share)
                                    : take_chunked_locked(p, share);
    }
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_urgent(struct rt_p *p) {
    if (rt_globq_urgent() == 0) {
        return NULL;
    }
    uint32_t room = RT_RUNQ_SLOTS - rt_runq_length(&p->runq); /* only more by now */
    rt_lock(&globq.lock);
    struct rt_g *g = take_linked_locked(&globq.urgent, p, room + 1);
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_one(void) {
    return take(NULL /* one only: no ring is needed */, 1, 1);
}

struct rt_g *rt_globq_take_batch(struct rt_p *p, uint32_t procs) {
    return take(p, procs, RT_RUNQ_SLOTS / 2);
}

void rt_globq_reset(void) {
    rt_lock(&globq.lock);
    struct slab *slab = globq.slabs;
    globq.urgent = globq.list = (struct rt_glist){.first = NULL};
    globq.newest = globq.oldest = globq.spare = NULL;
    globq.slabs = NULL;
    globq.chunked = 0;
    publish_and_unlock();
    while (slab != NULL) {
        struct slab *next = slab->next;
        os_release(slab, SLAB_BYTES);
        slab = next;
    }
}
