/* SPDX-License-Identifier: MIT */
/* The global run queue: under one lock, lists of urgent goroutines, of single ones, of
   chunks of what overflowed, and of goroutines that yielded. */
#include "sched/globq.h"
#include "base/lock.h"
#include "os/os.h"
#include "sched/g.h"
#include "sched/runq.h"
#include "sched/tuning.h"

/*
 * What overflows a ring goes into a chunk, an array of pointers, and comes out as a batch:
 * no descriptor is touched. If a million spawned goroutines were linked through their
 * descriptors, each would cost a cache miss on the way in and another on the way out.
 * Single goroutines are linked; so is everything if there is no memory for a chunk.
 *
 * A P that has nothing else takes the newest chunk first. This walks a tree of goroutines
 * that spawn others and wait for them depth first: those spawned last have the smallest
 * subtrees and end soon. FIFO walks the tree breadth first, with all of its nodes alive at
 * once: fib(27) then peaks at 17,000 goroutines instead of 1,800 and takes half again as
 * long, because their stacks and descriptors do not fit into the caches.
 *
 * Age. Newest first alone would starve the oldest chunk for as long as new ones arrive. A
 * chunk that has waited for RT_GLOBQ_AGED_NS is aged. From time to time the oldest aged
 * chunk goes first, often enough that all aged chunks are gone within RT_GLOBQ_DRAIN_NS:
 * the fewer goroutines it had room for, the sooner the next turn. So a goroutine waits at
 * most the sum of both longer than with FIFO. The drain is not faster because in a tree the
 * oldest goroutines are the largest branches, and starting many of them makes the walk
 * breadth first again: with a drain of 10 ms skynet took 1.3 times as long.
 *
 * A P whose ring is not empty takes one goroutine of a chunk that is not aged, since each
 * of a larger share would start another walk: of a tree of 121,392 goroutines, fib(25),
 * 2,349 are alive at once with one, 2,985 with 8, and 3,800 with 32.
 *
 * The list is FIFO. Takers alternate between list and chunks while both have goroutines,
 * so that neither starves. Urgent goroutines come before them, in turns: see find_urgent()
 * in findrunnable.c. Their I/O was ready while no P polled, or while the ring of the P that
 * polled stayed full. Goroutines that yielded have a FIFO list of their own, from which a P
 * takes when there is nothing else, or when it is their turn.
 *
 * Chunks are cut from pages that the queue maps itself: see 'Not inside' in alloc.h. They
 * are kept until the runtime ends. So are descriptors, which take thirty times as much
 * memory.
 */

/* One overflow: half a ring, and the G that did not fit. */
#define CHUNK_SLOTS (RT_RUNQ_SLOTS / 2 + 1)

/* The largest share of a P: half a ring, and the G that it runs at once. So a chunk comes
   out whole. */
#define BATCH_MAX CHUNK_SLOTS

/* How much memory is mapped for chunks at a time. */
#define SLAB_BYTES ((size_t)64 * 1024)

struct chunk {
    struct chunk *next; /* older */
    struct chunk *prev; /* newer */
    int64_t put_ns;     /* when it overflowed */
    bool aged;          /* has waited for RT_GLOBQ_AGED_NS */
    uint32_t begin;     /* gs[begin..end) are left */
    uint32_t end;
    struct rt_g *gs[CHUNK_SLOTS];
};

struct slab {
    struct slab *next; /* the slab mapped before it */
    uint32_t cut;      /* how many of its chunks have been used */
    struct chunk chunks[];
};

#define SLAB_CHUNKS ((SLAB_BYTES - sizeof(struct slab)) / sizeof(struct chunk))

static struct {
    /* Guards all fields. While it is held only the rings of the caller's own P are
       touched. */
    struct rt_lock lock;
    struct rt_glist urgent;
    struct rt_glist list;
    struct rt_glist yielded;
    struct chunk *newest;
    struct chunk *oldest;
    struct chunk *young; /* the oldest chunk that is not aged */
    struct chunk *spare; /* empty chunks */
    struct slab *slabs;  /* only the first has chunks that were never used */
    uint32_t chunked;    /* goroutines in chunks */
    uint32_t aged;       /* goroutines in aged chunks */
    uint32_t to_drain;   /* maximum of aged since it was last 0 */
    int64_t aged_ns;     /* when the oldest chunk last went first */
    uint32_t aged_taken; /* goroutines that came out then */
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

/* Ends every change of the queue. */
static void publish_and_unlock(void) {
    uint32_t ahead = globq.urgent.count + globq.list.count + globq.chunked;
    /* release, both: after goroutines were put into a ring. Pairs with the acquire in
       rt_globq_ahead() and rt_globq_yielded(). */
    rt_store_rel(&rt_globq_shared.ahead, ahead);
    rt_store_rel(&rt_globq_shared.yielded, globq.yielded.count);
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
    c = take_empty_locked(); /* another P may have added a slab meanwhile */
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
    if (globq.young == NULL) {
        globq.young = c;
    }
    globq.chunked += c->end - c->begin;
}

/* Unlinks an empty chunk and makes it spare. */
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
    if (globq.young == c) {
        globq.young = c->prev;
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

void rt_globq_put_yielded(struct rt_glist *list) {
    put_list(&globq.yielded, list);
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
        c->put_ns = os_now();
        c->aged = false;
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

/* Whether to take from the list: it is its turn, or there is no chunk. At least one of the
   two is not empty. */
static bool take_from_list_locked(void) {
    rt_assert_held(&globq.lock);
    globq.list_turn = !globq.list_turn;
    return globq.newest == NULL || (globq.list.first != NULL && globq.list_turn);
}

/* Takes up to share Gs, returns the first and puts the others into the ring, which has
   room for share - 1. Each G is unlinked before the put, because a thief may then take it
   and use its link. */
static struct rt_g *take_linked_locked(struct rt_glist *from, struct rt_runq *to,
                                       uint32_t share) {
    struct rt_g *first = rt_glist_pop(from);
    struct rt_g *g;
    while (--share > 0 && (g = rt_glist_pop(from)) != NULL) {
        rt_check(rt_runq_put(to, g));
    }
    return first;
}

/* The caller's share of total, which may be 0: at most max, and at most one more than the
   ring has room for. */
static uint32_t share_of(uint32_t total, uint32_t procs, uint32_t max,
                         const struct rt_runq *to) {
    uint32_t share = total / procs + 1;
    uint32_t room = rt_runq_room(to) + 1; /* the first is returned */
    share = share < max ? share : max;
    return share < room ? share : room;
}

/* Ages chunks, and reports whether the oldest aged one goes first now: see 'Age'. */
static bool oldest_has_turn_locked(void) {
    int64_t now = os_now();
    while (globq.young != NULL && now - globq.young->put_ns >= RT_GLOBQ_AGED_NS) {
        globq.young->aged = true;
        globq.aged += globq.young->end - globq.young->begin;
        globq.young = globq.young->prev;
    }
    if (globq.aged == 0) {
        globq.to_drain = 0;
        return false;
    }
    globq.to_drain = globq.aged > globq.to_drain ? globq.aged : globq.to_drain;
    if (now - globq.aged_ns < RT_GLOBQ_DRAIN_NS * globq.aged_taken / globq.to_drain) {
        return false;
    }
    globq.aged_ns = now;
    return true;
}

/* share applies to the newest chunk; the oldest, when it has its turn, is taken whole as
   far as the ring has room. */
static struct rt_g *take_chunked_locked(struct rt_runq *to, uint32_t share) {
    bool oldest = oldest_has_turn_locked();
    struct chunk *c = oldest ? globq.oldest : globq.newest;
    if (oldest) {
        share = to != NULL ? share_of(globq.chunked, 1, BATCH_MAX, to) : 1;
    }
    uint32_t begin = c->begin;
    struct rt_g *first = c->gs[c->begin++];
    while (--share > 0 && c->begin < c->end) {
        rt_check(rt_runq_put(to, c->gs[c->begin++]));
    }
    uint32_t taken = c->begin - begin;
    globq.chunked -= taken;
    globq.aged -= c->aged ? taken : 0;
    globq.aged_taken = oldest ? taken : globq.aged_taken;
    if (c->begin == c->end) {
        chunk_retire_locked(c);
    }
    return first;
}

/* Takes those ahead of the yielded ones: returns one and puts the rest of a share into the
   ring. Urgent ones are taken one at a time here: the P that received the request for them
   takes the rest. */
static struct rt_g *take_ahead_locked(struct rt_runq *to, uint32_t list_share,
                                      uint32_t chunk_share, bool urgent_first) {
    bool others = globq.list.first != NULL || globq.newest != NULL;
    if (globq.urgent.first != NULL && (urgent_first || !others)) {
        return rt_glist_pop(&globq.urgent);
    }
    if (!others) {
        return NULL;
    }
    return take_from_list_locked() ? take_linked_locked(&globq.list, to, list_share)
                                   : take_chunked_locked(to, chunk_share);
}

struct rt_g *rt_globq_take_batch(struct rt_p *p, uint32_t procs) {
    if (rt_globq_ahead() == 0) {
        return NULL;
    }
    rt_lock(&globq.lock);
    uint32_t share =
        share_of(globq.list.count + globq.chunked, procs, BATCH_MAX, &p->runq);
    struct rt_g *g = take_ahead_locked(&p->runq, share, share, !rt_p_last_was_urgent(p));
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_share(struct rt_p *p, uint32_t procs) {
    if (rt_globq_ahead() == 0) {
        return NULL;
    }
    rt_lock(&globq.lock);
    /* Leaves room for those that the ring's goroutines wake. */
    uint32_t most = rt_runq_room(&p->runq) / 2 + 1;
    uint32_t share = share_of(globq.list.count, procs, most, &p->runq);
    struct rt_g *g =
        take_ahead_locked(&p->runq, share, 1 /* see 'Age' */, !rt_p_last_was_urgent(p));
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_yielded(struct rt_p *p, uint32_t procs) {
    if (rt_globq_yielded() == 0) {
        return NULL;
    }
    rt_lock(&globq.lock);
    uint32_t share = share_of(globq.yielded.count, procs, BATCH_MAX, &p->yieldq);
    struct rt_g *g = take_linked_locked(&globq.yielded, &p->yieldq, share);
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_one(void) {
    if (rt_globq_length() == 0) {
        return NULL;
    }
    rt_lock(&globq.lock);
    struct rt_g *g = take_ahead_locked(NULL /* no ring */, 1, 1, true);
    g = g != NULL ? g : rt_glist_pop(&globq.yielded);
    publish_and_unlock();
    return g;
}

struct rt_g *rt_globq_take_urgent(struct rt_p *p) {
    if (rt_globq_urgent() == 0) {
        return NULL;
    }
    uint32_t most = rt_runq_room(&p->runq) + 1; /* the first is returned */
    rt_lock(&globq.lock);
    struct rt_g *g = take_linked_locked(&globq.urgent, &p->runq, most);
    publish_and_unlock();
    return g;
}

void rt_globq_reset(void) {
    rt_lock(&globq.lock);
    struct slab *slab = globq.slabs;
    globq.urgent = globq.list = globq.yielded = (struct rt_glist){.first = NULL};
    globq.newest = globq.oldest = globq.young = globq.spare = NULL;
    globq.slabs = NULL;
    globq.chunked = globq.aged = 0;
    publish_and_unlock();
    while (slab != NULL) {
        struct slab *next = slab->next;
        os_release(slab, SLAB_BYTES);
        slab = next;
    }
}
