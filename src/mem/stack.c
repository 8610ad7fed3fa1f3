/* SPDX-License-Identifier: MIT */
/* The depot of stacks: slabs, lists of free stacks, and returning memory to the kernel. */
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
 *   cached      in a P's cache: resident, reused within nanoseconds
 *   warm        in the depot, its memory still resident, usually after a burst
 *   cold        in the depot, its memory returned to the kernel; only its guard is left
 *
 * A slab is one reservation of many stacks of one size, followed by their descriptors. So a
 * million stacks need only a few mappings, and their memory costs nothing until it is
 * touched. When all of a slab's stacks are cold, the slab is unmapped, and with it its page
 * tables, which for a million stacks take half a gigabyte.
 *
 * Bursts. A P whose cache is empty takes one stack from the depot, the next time two, four,
 * up to half its cache. The guards of a batch need one system call. Stacks from the warm
 * list are trimmed to KEEP_BYTES, so that a stack that once grew deep does not stay large
 * under a shallow goroutine. Each stack is trimmed only once in a period, because trimming
 * costs more than a spawn.
 *
 * When there are LARGE_BURST stacks, a P that has to carve stacks carves VECTOR_MAX at a
 * time, because the system call is cheaper per stack, and puts what it does not need on the
 * warm list. If there is an idle CPU, sysmon makes as many again ahead: the pages of a new
 * stack cost microseconds, a goroutine nanoseconds.
 *
 * Giving back. Sysmon divides time into periods of one second. The lowest number of warm
 * stacks in a period is the number that was not needed. A quarter of it is returned to the
 * kernel in the next period. So the remains of a burst of any size halve in about two and a
 * half seconds, and a program with a burst every second keeps most of its stacks. Sysmon
 * works in slices of less than a millisecond, with its other duties in between.
 *
 * Colours. If stacks lay a power of two apart, all their first frames would compete for the
 * same few cache lines, and their pages for the same few TLB entries. So each top is
 * shifted down by its colour, a multiple of the line size within the first page. And an
 * unused page between two stacks makes their distance an odd number of pages. (A ring of a
 * thousand goroutines: 38 ns a step without that page, 28 with it.)
 */

#define CLASSES         (RT_STACK_MAX_LOG2 + 1)
#define SLAB_FIRST      16u /* stacks in the first slab of a size */
#define SLAB_MAX_STACKS 4096u
#define SLAB_MAX_BYTES  ((size_t)1 << 30) /* unless a single stack is larger */
#define BATCH_MAX       (RT_STACK_CACHE_SLOTS / 2)
/* resident bytes that a reused stack may keep */
#define KEEP_BYTES     ((size_t)16 * 1024)
#define WARM_MAX_BYTES ((size_t)1 << 20) /* larger ones become cold at once */
#define VECTOR_MAX     64u               /* stacks per system call */
/* Of the stacks not needed in a period, a quarter is due in the next, but at least
   SCAVENGE_MIN, or the last of them would take minutes. */
#define SCAVENGE_SHIFT 2
#define SCAVENGE_MIN   ((size_t)4096)
/* stacks per call, so that sysmon stays responsive */
#define SCAVENGE_SLICE 512u
#define LARGE_BURST    ((size_t)4096)
#define HELP_MAX       512u /* limit of the stacks to make ahead */
#define COLOURS        32u
#define CANARY_WORDS   16

struct rt_slab {
    /* Under the depot's lock. */
    struct rt_slab *next; /* all slabs of the size, newest first */
    struct rt_stack *cold;
    uint32_t cold_count;
    uint32_t carved;

    /* Immutable. */
    uint32_t stacks_count;
    char *memory; /* the reservation: the stacks, then this descriptor */
    size_t bytes;
    struct rt_stack stacks[];
};

/* All stacks of one size. Under the depot's lock. */
struct depot_class {
    struct rt_slab *slabs;
    struct rt_stack *warm;
    size_t warm_count;
    size_t warm_low; /* the lowest warm_count in this period: not needed so far */
    size_t due;      /* to return to the kernel in this period, unless needed */
    size_t cold_count;
    uint32_t next_slab; /* stacks in the next slab */
};

static struct {
    struct rt_lock lock; /* a leaf; only os.h is called under it */
    /* Under the lock. */
    struct depot_class classes[CLASSES];
    size_t made;       /* stacks that have been carved */
    uint32_t period;   /* from 1: see 'Giving back' */
    long protect_left; /* guards that there are still mappings for */
    bool gap_said;     /* gap_say_once() has printed */

    /* Immutable while goroutines exist. */
    enum rt_stack_guard guard;
} depot = {.lock = RT_LOCK_INIT(stacks)};

unsigned rt_stack_cached_log2 = RT_STACK_DEFAULT_LOG2;

/* Atomic: the number of stacks of the cached size to make ahead. */
static rt_atomic(uint32_t) help_wanted;

void rt_stack_configure(unsigned cached_log2, enum rt_stack_guard guard) {
    rt_stack_cached_log2 = cached_log2;
    depot.guard = guard;
    depot.period = 1;
    /* Each guard needs two mappings. Half of all mappings are left to the user. */
    depot.protect_left = os_max_mappings() / 4;
}

/* Slabs */

/* The distance between two stacks of a slab. */
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
        rt_print("tuco: out of guard pages (vm.max_map_count); further stacks have an "
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

/* Installs the guards of newly carved stacks. The list is not empty. */
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

/* An overflow writes into the gap from above, and an untouched page reads as zero. So the
   words at the gap's upper end are a canary that costs no memory. */
static void gap_check(const struct rt_stack *s) {
    const uint64_t *end = (const uint64_t *)(s->low + RT_STACK_GUARD_BYTES);
    for (int i = 1; i <= CANARY_WORDS; i++) {
        if (unlikely(end[-i] != 0)) {
            rt_fatal("stack overflow: a goroutine that has ended wrote below its stack "
                     "[%p, %p]; raise TUCOSTACK or tuco_attr.stack_size above %zu bytes",
                     (void *)end, s->top, rt_stack_bytes(s));
        }
    }
}

/* Taking from the depot */

/* Populates the first page of each stack by a plain fault. MADV_POPULATE_WRITE drains a
   per-CPU list of pages after each range, which with two threads costs more than the
   faults: 2.4 against 1.4 microseconds a stack. */
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

/* Only the newest slab may have stacks that are not carved yet. */
static struct rt_stack *stacks_carve_locked(struct depot_class *d, uint32_t wanted) {
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
    /* Without the lock, because it maps memory. */
    struct rt_slab *slab = slab_make(size_log2, wanted);
    if (slab == NULL && wanted > 1) {
        slab = slab_make(size_log2, 1); /* a small one may still fit */
    }
    if (slab == NULL) {
        return false;
    }
    rt_lock(&depot.lock);
    /* Another P may have added a slab meanwhile: then that one serves both. */
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

/* Cuts the list after its first count stacks and returns the rest. */
static struct rt_stack *split(struct rt_stack *list, uint32_t count) {
    while (--count > 0 && list->next != NULL) {
        list = list->next;
    }
    struct rt_stack *rest = list->next;
    list->next = NULL;
    return rest;
}

/* Puts stacks that were made ahead on the warm list. There is nothing to trim. */
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

/* Requests that sysmon makes count stacks ahead. */
static void ask_for_stacks(uint32_t count) {
    /* relaxed, here and below: a stack too many or too few does no harm. */
    uint32_t wanted = rt_load_rlx(&help_wanted);
    if (wanted < HELP_MAX) {
        rt_add_rlx(&help_wanted, count);
    }
}

/* Where a batch comes from, in the order in which the depot is asked. */
enum origin {
    WARM,   /* stacks with their memory, used lately */
    COLD,   /* stacks without memory */
    CARVED, /* a piece of a slab */
    AHEAD,  /* a larger piece, in a large burst */
};

/* NULL: the slabs are used up. */
static struct rt_stack *choose_batch_locked(struct depot_class *d, uint32_t wanted,
                                            enum origin *origin) {
    *origin = WARM;
    struct rt_stack *list = take_warm_locked(d, wanted);
    if (list == NULL) {
        *origin = COLD;
        list = take_cold_locked(d, wanted);
    }
    if (list == NULL) {
        *origin = wanted == BATCH_MAX && depot.made >= LARGE_BURST ? AHEAD : CARVED;
        list = stacks_carve_locked(d, *origin == AHEAD ? VECTOR_MAX : wanted);
    }
    return list;
}

/* Outside of the lock: makes the batch ready for use. Returns wanted stacks of it. */
static struct rt_stack *finish_batch(struct depot_class *d, struct rt_stack *list,
                                     uint32_t wanted, enum origin origin,
                                     uint32_t period) {
    switch (origin) {
    case WARM: trim_warm(list, period); break;
    case COLD: break;
    case CARVED: guard_install(list); break;
    case AHEAD:
        guard_install(list);
        put_ahead(d, split(list, wanted), period);
        ask_for_stacks(VECTOR_MAX);
        break;
    }
    return list;
}

/* Returns a list of up to wanted stacks, ready for use; NULL: no memory. */
static struct rt_stack *take_batch(unsigned size_log2, uint32_t wanted) {
    struct depot_class *d = &depot.classes[size_log2];
    do {
        enum origin origin;
        rt_lock(&depot.lock);
        struct rt_stack *list = choose_batch_locked(d, wanted, &origin);
        uint32_t period = depot.period;
        rt_unlock(&depot.lock);
        if (list != NULL) {
            return finish_batch(d, list, wanted, origin, period);
        }
    } while (add_slab(d, size_log2));
    return NULL;
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
    struct rt_stack *list = stacks_carve_locked(d, n);
    uint32_t period = depot.period;
    rt_unlock(&depot.lock);
    if (list == NULL) {
        return false; /* the slab is used up; the next P that needs a stack adds one */
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

/* Returning stacks to the depot */

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

/* Moves the count stacks that have been in the cache the longest to the depot. */
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

/* Returning memory to the kernel */

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

/* Unlinks a slab whose stacks are all cold. Only one at a time, because unmapping takes
   some hundred microseconds. The newest stays: it is still being carved. */
static struct rt_slab *take_idle_slab_locked(struct depot_class *d) {
    struct rt_slab **link = d->slabs != NULL ? &d->slabs->next : &d->slabs;
    while (*link != NULL && (*link)->cold_count < (*link)->carved) {
        link = &(*link)->next;
    }
    struct rt_slab *slab = *link;
    if (slab != NULL) {
        *link = slab->next;
        slab->next = NULL;
        d->cold_count -= slab->cold_count;
        depot.made -= slab->carved;
    }
    return slab;
}

static void free_slabs(struct rt_slab *slab) {
    while (slab != NULL) {
        struct rt_slab *next = slab->next;
        slab_free(slab);
        slab = next;
    }
}

/* Returns up to VECTOR_MAX due stacks that were not needed in this period so far. */
static struct rt_stack *take_due_locked(struct depot_class *d) {
    size_t wanted = d->due < d->warm_low ? d->due : d->warm_low;
    wanted = wanted < VECTOR_MAX ? wanted : VECTOR_MAX;
    d->due = wanted == 0 ? 0 : d->due - wanted;
    return take_warm_locked(d, (uint32_t)wanted);
}

/* Subtracts the number of stacks that it processes from *budget. */
static enum rt_scavenged scavenge_class(struct depot_class *d, uint32_t *budget) {
    struct rt_stack *list = NULL;
    do {
        rt_lock(&depot.lock);
        list = *budget > 0 ? take_due_locked(d) : NULL;
        rt_unlock(&depot.lock);
        if (list != NULL) {
            *budget -= *budget < VECTOR_MAX ? *budget : VECTOR_MAX;
            scavenge_batch(d, list);
        }
    } while (list != NULL);
    rt_lock(&depot.lock);
    struct rt_slab *idle = take_idle_slab_locked(d);
    bool soon = d->due > 0 || idle != NULL;
    bool later = d->warm_count > 0;
    rt_unlock(&depot.lock);
    free_slabs(idle);
    return soon ? RT_SCAVENGED_SOME : later ? RT_SCAVENGED_FOR_NOW : RT_SCAVENGED_ALL;
}

static void begin_period_locked(struct depot_class *d) {
    size_t part = d->warm_low >> SCAVENGE_SHIFT;
    part = part > SCAVENGE_MIN ? part : SCAVENGE_MIN;
    d->due = d->warm_low < part ? d->warm_low : part;
    d->warm_low = d->warm_count;
}

void rt_stack_scavenge_begin(void) {
    rt_lock(&depot.lock);
    depot.period++;
    for (unsigned i = RT_STACK_MIN_LOG2; i < CLASSES; i++) {
        begin_period_locked(&depot.classes[i]);
    }
    rt_unlock(&depot.lock);
}

enum rt_scavenged rt_stack_scavenge(void) {
    enum rt_scavenged all = RT_SCAVENGED_ALL;
    uint32_t budget = SCAVENGE_SLICE;
    for (unsigned i = RT_STACK_MIN_LOG2; i < CLASSES; i++) {
        enum rt_scavenged one = scavenge_class(&depot.classes[i], &budget);
        all = one > all ? one : all;
    }
    return all;
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
