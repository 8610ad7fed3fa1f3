/* SPDX-License-Identifier: MIT */
/* The depot of stacks: slabs that they are carved from, lists of free ones, and the way
   back to the kernel. */
#include "mem/stack.h"
#include "base/die.h"
#include "base/lock.h"
#include "os/os.h"

#if RT_HAVE_VALGRIND
#include <valgrind/valgrind.h>
#endif

/*
 * Life of a stack.
 *
 *   carved      taken from a slab for the first time: gets its guard, which it keeps
 *   in use      a goroutine runs on it
 *   cached      in a P's cache: warm, reused within nanoseconds
 *   warm        in the depot, its memory still resident: a burst left it there
 *   cold        in the depot, its memory given back; only its guard is left
 *
 * A slab is one reservation of many stacks of one size, and of their descriptors behind
 * them, so that a million of them need a handful of mappings. Its memory costs nothing until it is touched. When all of a slab's
 * stacks are cold the slab is unmapped, and with it the page tables, which for a million
 * stacks are half a gigabyte.
 *
 * Bursts. A P that runs out asks for one stack, then two, four, up to half its cache. The
 * guards of a batch come from one system call. What comes from the warm list is trimmed to
 * KEEP_BYTES, so that a stack which once grew deep does not stay so under a shallow user;
 * but each stack only once in a period, which is from one scavenging to the next, since
 * trimming costs more than a spawn.
 *
 * From LARGE_BURST stacks on, a P that has to make stacks makes VECTOR_MAX, since each
 * call is cheaper the more it is for, and leaves what it does not need to the next. And
 * if there is a CPU to spare the monitor makes as many again ahead: the pages of a new
 * stack cost microseconds, a goroutine nanoseconds.
 *
 * Colours. If stacks lay a power of two apart, the first frames of all would compete for
 * the same few lines of a cache, and their pages for the same few entries of the TLB. Each
 * top is shifted down by its colour, a multiple of the line size that stays within the
 * first page; and between two stacks a page is left unused, so that they are an odd number
 * of pages apart. (A ring of a thousand goroutines: 38 ns a step without that page, 28
 * with it.)
 */

#define CLASSES         (RT_STACK_MAX_LOG2 + 1)
#define SLAB_FIRST      16u /* stacks in the first slab of a size */
#define SLAB_MAX_STACKS 4096u
#define SLAB_MAX_BYTES  ((size_t)1 << 30) /* unless a single stack is larger */
#define BATCH_MAX       (RT_STACK_CACHE_SLOTS / 2)
/* what a reused stack may keep resident */
#define KEEP_BYTES     ((size_t)16 * 1024)
#define WARM_MAX_BYTES ((size_t)1 << 20) /* larger ones are given back at once */
#define VECTOR_MAX     64u               // stacks that one system call is made for
/* stacks a call: keeps the monitor responsive */
#define SCAVENGE_MAX 4096u
#define LARGE_BURST  ((size_t)4096)
#define HELP_MAX     512u /* made ahead at most */
#define COLOURS      32u
#define CANARY_WORDS 16

struct rt_slab {
    /* The depot's lock. */
    struct rt_slab *next; /* all slabs of the size, newest first */
    struct rt_stack *cold;
    uint32_t cold_count;
    uint32_t carved;

    /* Immutable. */
    uint32_t stacks_count;
    char *memory; /* all of the reservation, of which this is the end */
    size_t bytes;
    struct rt_stack stacks[];
};

struct depot_class {
    struct rt_slab *slabs;
    struct rt_stack *warm;
    size_t warm_count;
    /* the least warm_count since the last scavenge: nobody needed these */
    size_t warm_low;
    size_t cold_count;
    uint32_t next_slab; /* stacks in the next slab */
};

static struct {
    struct rt_lock lock; /* guards what follows but guard; calls only os.h */
    struct depot_class classes[CLASSES];
    size_t made;
    uint32_t period;   /* scavengings so far, from 1 */
    long protect_left; /* guards that mappings remain for */
    bool gap_said;

    /* Immutable while goroutines exist. */
    enum rt_stack_guard guard;
} depot = {.lock = RT_LOCK_INIT(stacks)};

unsigned rt_stack_cached_log2 = RT_STACK_DEFAULT_LOG2;

/* Atomic: how many stacks of the cached size are to be made ahead. */
static rt_atomic(uint32_t) help_wanted;

void rt_stack_configure(unsigned cached_log2, enum rt_stack_guard guard) {
    rt_stack_cached_log2 = cached_log2;
    depot.guard = guard;
    depot.period = 1;
    /* Each guard splits a mapping in two. Half of the mappings are left to the
       program. */
    depot.protect_left = os_max_mappings() / 4;
}

/* Slabs */

/* From one stack to the next. */
static size_t stride(unsigned size_log2) {
    return ((size_t)1 << size_log2) + OS_PAGE_BYTES;
}

static struct rt_slab *slab_make(unsigned size_log2, uint32_t wanted) {
    size_t most = SLAB_MAX_BYTES >> size_log2;
    size_t count = most == 0 ? 1 : wanted < most ? wanted : most;
    size_t slab_bytes = sizeof(struct rt_slab) + count * sizeof(struct rt_stack);
    size_t stacks_bytes = count * stride(size_log2);
    size_t bytes = (stacks_bytes + slab_bytes + OS_PAGE_BYTES - 1) & ~(OS_PAGE_BYTES - 1);
    char *memory = os_reserve(bytes, OS_PAGE_BYTES);
    if (memory == NULL) {
        return NULL;
    }
    struct rt_slab *slab = (struct rt_slab *)(void *)(memory + stacks_bytes);
    slab->stacks_count = (uint32_t)count;
    slab->memory = memory;
    slab->bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        struct rt_stack *s = &slab->stacks[i];
        s->slab = slab;
        s->size_log2 = (uint8_t)size_log2;
        s->low = slab->memory + i * stride(size_log2);
        s->top = s->low + rt_stack_bytes(s) - i % COLOURS * RT_CACHE_LINE_BYTES;
    }
    return slab;
}

static void stack_forget(struct rt_stack *s) {
#if RT_HAVE_VALGRIND
    VALGRIND_STACK_DEREGISTER(s->valgrind_id);
#else
    (void)s;
#endif
}

static void slab_free(struct rt_slab *slab) {
    long guards = 0;
    for (uint32_t i = 0; i < slab->carved; i++) {
        stack_forget(&slab->stacks[i]);
        guards += slab->stacks[i].guard == RT_GUARD_PROTECT;
    }
    rt_lock(&depot.lock);
    depot.protect_left += guards;
    rt_unlock(&depot.lock);
    os_release(slab->memory, slab->bytes);
}

/* Guards */

static void gap_say_once(void) {
    rt_lock(&depot.lock);
    bool first = !depot.gap_said;
    depot.gap_said = true;
    rt_unlock(&depot.lock);
    if (first) {
        rt_print(
            "tuco: no more guard pages can be had (vm.max_map_count); further stacks have an "
            "unguarded gap that is checked when their goroutine ends\n");
    }
}

static bool protect_allowed(void) {
    rt_lock(&depot.lock);
    bool allowed = depot.protect_left > 0;
    depot.protect_left -= allowed;
    rt_unlock(&depot.lock);
    return allowed;
}

static void guard_by_protection(struct rt_stack *s) {
    s->guard = RT_GUARD_GAP;
    if (depot.guard != RT_GUARD_GAP) {
        if (protect_allowed() && os_protect_none(s->low, RT_STACK_GUARD_BYTES) == 0) {
            s->guard = RT_GUARD_PROTECT;
        } else {
            gap_say_once();
        }
    }
}

static int list_ranges(struct rt_stack *list, struct os_range *ranges, size_t from_low,
                       size_t length) {
    int n = 0;
    for (struct rt_stack *s = list; s != NULL; s = s->next) {
        ranges[n++] = (struct os_range){s->low + from_low, length};
    }
    return n;
}

/* For stacks that were never used: the list, which is not empty, becomes usable. */
static void guard_install(struct rt_stack *list) {
    struct os_range ranges[VECTOR_MAX] = {{NULL, 0}};
    int n = list_ranges(list, ranges, 0, RT_STACK_GUARD_BYTES);
    bool advised = depot.guard == RT_GUARD_ADVISE && os_guard_install(ranges, n) == 0;
    for (struct rt_stack *s = list; s != NULL; s = s->next) {
        s->guard = RT_GUARD_ADVISE;
        if (!advised) {
            guard_by_protection(s);
        }
#if RT_HAVE_VALGRIND
        s->valgrind_id = VALGRIND_STACK_REGISTER(s->low, s->low + rt_stack_bytes(s));
#endif
    }
}

/* An overflow writes the gap from above, and an untouched page reads as zero: so the
   words at its upper end are the canary, and cost no memory. */
static void gap_check(const struct rt_stack *s) {
    const uint64_t *end = (const uint64_t *)(s->low + RT_STACK_GUARD_BYTES);
    for (int i = 1; i <= CANARY_WORDS; i++) {
        if (unlikely(end[-i] != 0)) {
            rt_fatal(
                "stack overflow: a goroutine that has ended wrote below its stack [%p, %p]; "
                "raise TUCOSTACK or tuco_attr.stack_size above %zu bytes",
                (void *)end, s->top, rt_stack_bytes(s));
        }
    }
}

/* Taking from the depot */

/* Brings the first page of each in, by plain faults. The kernel's way to populate ranges
   empties a per-CPU list of pages after each of them, which with two threads at it costs
   more than the fault saves: 2.4 against 1.4 microseconds a stack. */
static void touch_tops(struct rt_stack *list) {
    for (struct rt_stack *s = list; s != NULL; s = s->next) {
        *((volatile char *)s->top - 1) = 0;
    }
}

static void trim_warm(struct rt_stack *list, uint32_t period) {
    struct os_range ranges[VECTOR_MAX] = {{NULL, 0}};
    size_t bytes = rt_stack_bytes(list);
    int n = 0;
    for (struct rt_stack *s = list; s != NULL; s = s->next) {
        if (s->trimmed != period && bytes > KEEP_BYTES + RT_STACK_GUARD_BYTES) {
            s->trimmed = period;
            ranges[n++] = (struct os_range){s->low + RT_STACK_GUARD_BYTES,
                                            bytes - RT_STACK_GUARD_BYTES - KEEP_BYTES};
        }
    }
    if (n > 0) {
        os_discard(ranges, n);
    }
}

static struct rt_stack *take_warm_locked(struct depot_class *d, uint32_t wanted) {
    struct rt_stack *list = NULL;
    while (d->warm != NULL && wanted-- > 0) {
        struct rt_stack *s = d->warm;
        d->warm = s->next;
        d->warm_count--;
        s->next = list;
        list = s;
    }
    if (d->warm_count < d->warm_low) {
        d->warm_low = d->warm_count;
    }
    return list;
}

static struct rt_stack *take_cold_locked(struct depot_class *d, uint32_t wanted) {
    struct rt_stack *list = NULL;
    for (struct rt_slab *slab = d->slabs; d->cold_count > 0 && wanted > 0;
         slab = slab->next) {
        while (slab->cold != NULL && wanted > 0) {
            struct rt_stack *s = slab->cold;
            slab->cold = s->next;
            slab->cold_count--;
            d->cold_count--;
            wanted--;
            s->next = list;
            list = s;
        }
    }
    return list;
}

/* Only the newest slab may still have stacks that were never carved. */
static struct rt_stack *carve_locked(struct depot_class *d, uint32_t wanted) {
    struct rt_slab *slab = d->slabs;
    struct rt_stack *list = NULL;
    while (slab != NULL && slab->carved < slab->stacks_count && wanted-- > 0) {
        struct rt_stack *s = &slab->stacks[slab->carved++];
        depot.made++;
        s->next = list;
        list = s;
    }
    return list;
}

static bool add_slab(struct depot_class *d, unsigned size_log2) {
    rt_lock(&depot.lock);
    if (d->next_slab == 0) {
        d->next_slab = SLAB_FIRST;
    }
    uint32_t wanted = d->next_slab;
    if (d->next_slab < SLAB_MAX_STACKS) {
        d->next_slab *= 2;
    }
    rt_unlock(&depot.lock);
    /* Outside of the lock, because it allocates. */
    struct rt_slab *slab = slab_make(size_log2, wanted);
    if (slab == NULL && wanted > 1) {
        slab = slab_make(size_log2, 1); /* a small one may still fit */
    }
    if (slab == NULL) {
        return false;
    }
    rt_lock(&depot.lock);
    /* Another P may have come here as well: the first one's slab serves both. */
    bool needed = d->slabs == NULL || d->slabs->carved == d->slabs->stacks_count;
    if (needed) {
        slab->next = d->slabs;
        d->slabs = slab;
    }
    rt_unlock(&depot.lock);
    if (!needed) {
        slab_free(slab);
    }
    return true;
}

/* Cuts the list behind its first count stacks and returns the rest. */
static struct rt_stack *split(struct rt_stack *list, uint32_t count) {
    while (--count > 0 && list->next != NULL) {
        list = list->next;
    }
    struct rt_stack *rest = list->next;
    list->next = NULL;
    return rest;
}

/* Stacks made ahead are as warm as they get, and there is nothing to trim. */
static void put_ahead(struct depot_class *d, struct rt_stack *list, uint32_t period) {
    rt_lock(&depot.lock);
    while (list != NULL) {
        struct rt_stack *s = list;
        list = s->next;
        s->trimmed = period;
        s->next = d->warm;
        d->warm = s;
        d->warm_count++;
    }
    rt_unlock(&depot.lock);
}

/* Asked for by who has just made count stacks. */
static void ask_for_help(uint32_t count) {
    /* relaxed, here and below: a number; a stack too many or too few does no harm. */
    uint32_t wanted = rt_load_rlx(&help_wanted);
    if (wanted < HELP_MAX) {
        rt_add_rlx(&help_wanted, count);
    }
}

/* Up to wanted stacks as a list, ready for use; NULL: no memory. */
static struct rt_stack *take_batch(unsigned size_log2, uint32_t wanted) {
    struct depot_class *d = &depot.classes[size_log2];
    for (;;) {
        struct rt_stack *cold = NULL;
        struct rt_stack *carved = NULL;
        bool large_burst = false;
        rt_lock(&depot.lock);
        struct rt_stack *warm = take_warm_locked(d, wanted);
        if (warm == NULL) {
            cold = take_cold_locked(d, wanted);
        }
        if (warm == NULL && cold == NULL) {
            large_burst = wanted == BATCH_MAX && depot.made >= LARGE_BURST;
            carved = carve_locked(d, large_burst ? VECTOR_MAX : wanted);
        }
        uint32_t period = depot.period;
        rt_unlock(&depot.lock);
        if (warm != NULL) {
            trim_warm(warm, period);
            return warm;
        }
        if (cold != NULL) {
            return cold;
        }
        if (carved != NULL) {
            guard_install(carved);
            if (large_burst) {
                put_ahead(d, split(carved, wanted), period);
                ask_for_help(VECTOR_MAX);
            }
            return carved;
        }
        if (!add_slab(d, size_log2)) {
            return NULL;
        }
    }
}

bool rt_stack_wants_help(void) {
    return rt_load_rlx(&help_wanted) != 0;
}

bool rt_stack_help(void) {
    struct depot_class *d = &depot.classes[rt_stack_cached_log2];
    uint32_t wanted = rt_load_rlx(&help_wanted);
    if (wanted == 0) {
        return false;
    }
    uint32_t n = wanted < VECTOR_MAX ? wanted : VECTOR_MAX;
    rt_sub_rlx(&help_wanted, n);
    rt_lock(&depot.lock);
    struct rt_stack *list = carve_locked(d, n);
    uint32_t period = depot.period;
    rt_unlock(&depot.lock);
    if (list == NULL) {
        return false; /* the slab is used up: the next P to notice adds one */
    }
    guard_install(list);
    touch_tops(list);
    put_ahead(d, list, period);
    return true;
}

struct rt_stack *rt_stack_get_slow(struct rt_stack_cache *c, unsigned size_log2) {
    bool cached = size_log2 == rt_stack_cached_log2;
    uint32_t wanted = cached && c->refill > 0 ? c->refill : 1;
    struct rt_stack *list = take_batch(size_log2, wanted);
    if (list == NULL) {
        return NULL;
    }
    if (cached) {
        c->refill = wanted < BATCH_MAX ? wanted * 2 : BATCH_MAX;
    }
    struct rt_stack *first = list;
    for (list = list->next; list != NULL; list = list->next) {
        c->slots[c->count++] = list;
    }
    return first;
}

/* Giving to the depot */

static void put_cold_locked(struct depot_class *d, struct rt_stack *s) {
    s->next = s->slab->cold;
    s->slab->cold = s;
    s->slab->cold_count++;
    d->cold_count++;
}

static void discard_stack(struct rt_stack *s) {
    struct os_range range = {s->low + RT_STACK_GUARD_BYTES,
                             rt_stack_bytes(s) - RT_STACK_GUARD_BYTES};
    os_discard(&range, 1);
}

static void put_one(struct rt_stack *s) {
    struct depot_class *d = &depot.classes[s->size_log2];
    if (s->guard == RT_GUARD_GAP) {
        gap_check(s);
    }
    bool large = rt_stack_bytes(s) > WARM_MAX_BYTES;
    if (large) {
        discard_stack(s);
    }
    rt_lock(&depot.lock);
    if (large) {
        put_cold_locked(d, s);
    } else {
        s->next = d->warm;
        d->warm = s;
        d->warm_count++;
    }
    rt_unlock(&depot.lock);
}

/* Moves the count stacks that have been in the cache longest. */
static void spill(struct rt_stack_cache *c, uint32_t count) {
    struct depot_class *d = &depot.classes[rt_stack_cached_log2];
    rt_lock(&depot.lock);
    for (uint32_t i = 0; i < count; i++) {
        c->slots[i]->next = d->warm;
        d->warm = c->slots[i];
    }
    d->warm_count += count;
    rt_unlock(&depot.lock);
    c->count -= count;
    for (uint32_t i = 0; i < c->count; i++) {
        c->slots[i] = c->slots[i + count];
    }
    c->refill = 1;
}

void rt_stack_put_slow(struct rt_stack_cache *c, struct rt_stack *s) {
    if (s->size_log2 != rt_stack_cached_log2 || s->guard == RT_GUARD_GAP) {
        put_one(s);
        return;
    }
    spill(c, RT_STACK_CACHE_SLOTS / 2);
    c->slots[c->count++] = s;
}

void rt_stack_flush(struct rt_stack_cache *c) {
    if (c->count > 0) {
        spill(c, c->count);
    }
}

/* Giving back to the kernel */

static void scavenge_batch(struct depot_class *d, struct rt_stack *list) {
    struct os_range ranges[VECTOR_MAX] = {{NULL, 0}};
    int n = list_ranges(list, ranges, RT_STACK_GUARD_BYTES,
                        rt_stack_bytes(list) - RT_STACK_GUARD_BYTES);
    os_discard(ranges, n);
    rt_lock(&depot.lock);
    while (list != NULL) {
        struct rt_stack *next = list->next;
        put_cold_locked(d, list);
        list = next;
    }
    rt_unlock(&depot.lock);
}

/* Unlinks the slabs whose stacks are all cold. The newest stays: it is being carved. */
static struct rt_slab *take_idle_slabs_locked(struct depot_class *d) {
    struct rt_slab *idle = NULL;
    struct rt_slab **link = d->slabs != NULL ? &d->slabs->next : &d->slabs;
    while (*link != NULL) {
        struct rt_slab *slab = *link;
        if (slab->cold_count == slab->carved) {
            *link = slab->next;
            d->cold_count -= slab->cold_count;
            depot.made -= slab->carved;
            slab->next = idle;
            idle = slab;
        } else {
            link = &slab->next;
        }
    }
    return idle;
}

static void free_slabs(struct rt_slab *slab) {
    while (slab != NULL) {
        struct rt_slab *next = slab->next;
        slab_free(slab);
        slab = next;
    }
}

static bool scavenge_class(struct depot_class *d) {
    uint32_t done = 0;
    rt_lock(&depot.lock);
    size_t unneeded = d->warm_low;
    rt_unlock(&depot.lock);
    while (unneeded > 0 && done < SCAVENGE_MAX) {
        uint32_t wanted = unneeded < VECTOR_MAX ? (uint32_t)unneeded : VECTOR_MAX;
        rt_lock(&depot.lock);
        struct rt_stack *list = take_warm_locked(d, wanted);
        rt_unlock(&depot.lock);
        if (list == NULL) {
            break;
        }
        scavenge_batch(d, list);
        unneeded -= wanted;
        done += wanted;
    }
    rt_lock(&depot.lock);
    struct rt_slab *idle = take_idle_slabs_locked(d);
    if (unneeded == 0) {
        d->warm_low = d->warm_count; /* a new period of observation begins */
    }
    bool more = d->warm_count > 0;
    rt_unlock(&depot.lock);
    free_slabs(idle);
    return more;
}

bool rt_stack_scavenge(void) {
    bool more = false;
    rt_lock(&depot.lock);
    depot.period++;
    rt_unlock(&depot.lock);
    for (unsigned i = RT_STACK_MIN_LOG2; i < CLASSES; i++) {
        more |= scavenge_class(&depot.classes[i]);
    }
    return more;
}

void rt_stack_free_all(void) {
    for (unsigned i = RT_STACK_MIN_LOG2; i < CLASSES; i++) {
        free_slabs(depot.classes[i].slabs);
        depot.classes[i] = (struct depot_class){.slabs = NULL};
    }
    depot.made = 0;
    depot.gap_said = false;
    rt_store_rlx(&help_wanted, 0);
}

struct rt_stack_counts rt_stack_count(void) {
    struct rt_stack_counts counts = {0};
    rt_lock(&depot.lock);
    counts.made = depot.made;
    for (unsigned i = RT_STACK_MIN_LOG2; i < CLASSES; i++) {
        counts.warm += depot.classes[i].warm_count;
        counts.cold += depot.classes[i].cold_count;
    }
    rt_unlock(&depot.lock);
    return counts;
}
