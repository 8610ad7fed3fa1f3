/* SPDX-License-Identifier: MIT */
/* The timing wheel; wheel.h describes the algorithm. */
#include "base/wheel.h"
#include "base/bits.h"
#include "base/die.h"

#define SLOT_MASK (RT_WHEEL_SLOTS - 1)

#define TICK_NEVER UINT64_MAX

_Static_assert(RT_WHEEL_SLOTS == 2 << RT_WHEEL_SPAN_LOG2, "the next slot fits below");
_Static_assert(RT_WHEEL_LEVELS *RT_WHEEL_SPAN_LOG2 >= 64 - RT_WHEEL_TICK_LOG2,
               "every point of time has its slot");
_Static_assert((RT_WHEEL_CROWD & (RT_WHEEL_CROWD - 1)) == 0, "is_filling() masks");

static uint64_t tick_from(int64_t now_ns) {
    return now_ns <= 0 ? 0 : (uint64_t)now_ns >> RT_WHEEL_TICK_LOG2;
}

static uint64_t tick_after(int64_t when_ns) {
    uint64_t mask = (uint64_t)RT_WHEEL_TICK_NS - 1;
    return when_ns <= 0 ? 0 : ((uint64_t)when_ns + mask) >> RT_WHEEL_TICK_LOG2;
}

static int64_t ns_of(uint64_t tick) {
    return tick > (uint64_t)RT_WHEEL_NEVER >> RT_WHEEL_TICK_LOG2
               ? RT_WHEEL_NEVER
               : (int64_t)(tick << RT_WHEEL_TICK_LOG2);
}

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Positions: the slots of a level, numbered from tick 0 */

static uint64_t position_of(uint64_t tick, unsigned level) {
    return tick >> level * RT_WHEEL_SPAN_LOG2;
}

static uint64_t first_tick(uint64_t position, unsigned level) {
    return position << level * RT_WHEEL_SPAN_LOG2;
}

static uint64_t last_tick(uint64_t position, unsigned level) {
    return first_tick(position + 1, level) - 1;
}

/* The position of the level's first non-empty slot. The level is not empty. */
static uint64_t first_position(const struct rt_wheel *w, unsigned level) {
    uint64_t here = position_of(w->tick, level);
    unsigned shift = (unsigned)here & SLOT_MASK;
    uint64_t bits = w->occupied[level];
    uint64_t ahead = bits >> shift | bits << (-shift & SLOT_MASK);
    return here + rt_lowest_bit(ahead);
}

static struct rt_wheel_slot *slot_at(struct rt_wheel *w, unsigned level,
                                     uint64_t position) {
    return &w->slots[level][position & SLOT_MASK];
}

/* The lowest level whose ring reaches the tick. */
static unsigned level_for(const struct rt_wheel *w, uint64_t tick) {
    uint64_t distance = (tick - w->tick) | SLOT_MASK;
    unsigned bits = 64 - (unsigned)__builtin_clzll(distance);
    /* chosen so that the distance in slots has at most six bits */
    unsigned level = (bits - 6 + RT_WHEEL_SPAN_LOG2 - 1) / RT_WHEEL_SPAN_LOG2;
    uint64_t slots = position_of(tick, level) - position_of(w->tick, level);
    return likely(slots < RT_WHEEL_SLOTS) ? level : level + 1;
}

/* Slots */

static void link_last(struct rt_wheel_slot *slot, struct rt_timer *t) {
    struct rt_timer *head = slot->first;
    if (slot->count++ == 0) {
        t->next = t->prev = t;
        slot->first = t;
        slot->earliest_ns = t->when_ns;
        return;
    }
    t->next = head;
    t->prev = head->prev;
    head->prev->next = t;
    head->prev = t;
    if (t->when_ns < slot->earliest_ns) {
        slot->earliest_ns = t->when_ns;
    }
}

static void unlink_from(struct rt_wheel_slot *slot, struct rt_timer *t) {
    if (--slot->count == 0) {
        slot->first = NULL;
        return;
    }
    t->next->prev = t->prev;
    t->prev->next = t->next;
    if (slot->first == t) {
        slot->first = t->next;
    }
}

static struct rt_wheel_slot *insert(struct rt_wheel *w, struct rt_timer *t) {
    uint64_t tick = later(tick_after(t->when_ns), w->tick);
    unsigned level = level_for(w, tick);
    unsigned index = (unsigned)position_of(tick, level) & SLOT_MASK;
    struct rt_wheel_slot *slot = &w->slots[level][index];
    t->level = (uint8_t)level;
    t->slot = (uint8_t)index;
    link_last(slot, t);
    w->occupied[level] |= UINT64_C(1) << index;
    w->levels |= 1u << level;
    return slot;
}

static void timer_take_out(struct rt_wheel *w, struct rt_timer *t) {
    unsigned level = t->level;
    struct rt_wheel_slot *slot = &w->slots[level][t->slot];
    unlink_from(slot, t);
    if (slot->count > 0) {
        return;
    }
    w->occupied[level] &= ~(UINT64_C(1) << t->slot);
    if (w->occupied[level] == 0) {
        w->levels &= ~(1u << level);
    }
}

/* True each time RT_WHEEL_CROWD more timers are in the slot. Level 0 is never spread. */
static bool is_filling(const struct rt_timer *t, const struct rt_wheel_slot *slot) {
    return t->level > 0 && slot->count > RT_WHEEL_CROWD &&
           (slot->count & (RT_WHEEL_CROWD - 1)) == 1;
}

/* Advancing */

/* The first slots of the levels above 0. */
struct far {
    unsigned level; /* of the slot that begins first */
    uint64_t position;
    uint64_t begins;
    uint64_t ends; /* the earliest end, perhaps of another slot */
};

static uint64_t find_near(const struct rt_wheel *w) {
    return (w->levels & 1) != 0 ? first_position(w, 0) : TICK_NEVER;
}

static bool is_crowded(const struct rt_wheel *w, unsigned level, uint64_t position) {
    return w->slots[level][position & SLOT_MASK].count > RT_WHEEL_CROWD;
}

/* With crowds false, begins ignores crowded slots; ends always counts them. */
static struct far find_far(const struct rt_wheel *w, bool crowds) {
    struct far far = {.begins = TICK_NEVER, .ends = TICK_NEVER};
    for (uint32_t rest = w->levels & ~1u; rest != 0; rest &= rest - 1) {
        unsigned level = rt_lowest_bit(rest);
        uint64_t position = first_position(w, level);
        uint64_t begins = first_tick(position, level);
        if (begins <= far.begins && (crowds || !is_crowded(w, level, position))) {
            far.level = level;
            far.position = position;
            far.begins = begins;
        }
        far.ends = earlier(far.ends, last_tick(position, level));
    }
    return far;
}

/* Moves up to count timers of slot into lower levels. slot is the one the wheel is in, or
   the next one; no timer is added to it any more. */
static void slot_spread(struct rt_wheel *w, struct rt_wheel_slot *slot, uint32_t count,
                        uint32_t *budget) {
    count = count < *budget ? count : *budget;
    *budget -= count;
    while (count-- > 0) {
        struct rt_timer *t = slot->first;
        __builtin_prefetch(t->next->next, 1);
        timer_take_out(w, t);
        insert(w, t);
    }
}

/* Spreads the crowded slots that the wheel is in or reaches next, lowest level first. */
static void spread_ahead(struct rt_wheel *w, uint32_t *budget) {
    uint32_t rest = w->levels & ~1u;
    while (rest != 0 && *budget > 0) {
        unsigned level = rt_lowest_bit(rest);
        uint64_t position = first_position(w, level);
        struct rt_wheel_slot *slot = slot_at(w, level, position);
        if (position <= position_of(w->tick, level) + 1 &&
            is_crowded(w, level, position)) {
            slot_spread(w, slot, slot->count, budget);
            rest = w->levels & ~1u; /* lower levels may now have crowded slots */
        } else {
            rest &= rest - 1;
        }
    }
}

static struct rt_timer *pop_near(struct rt_wheel *w, uint64_t tick) {
    struct rt_timer *t = slot_at(w, 0, tick)->first;
    w->tick = tick;
    __builtin_prefetch(t->next->next, 1);
    rt_wheel_remove(w, t);
    return t;
}

/* Spreads the slot that begins first; a crowded one by at most *patience timers. */
static void spread_begun(struct rt_wheel *w, const struct far *far, uint32_t *patience,
                         uint32_t *budget) {
    struct rt_wheel_slot *slot = slot_at(w, far->level, far->position);
    uint32_t count = slot->count;
    if (count > RT_WHEEL_CROWD) {
        count = count < *patience ? count : *patience;
        *patience -= count;
    }
    w->tick = later(w->tick, far->begins);
    slot_spread(w, slot, count, budget);
}

struct rt_timer *rt_wheel_pop(struct rt_wheel *w, int64_t now_ns, uint32_t *budget) {
    uint64_t now = tick_from(now_ns); /* maybe behind w->tick */
    uint32_t patience = RT_WHEEL_CROWD;
    while (*budget > 0) {
        uint64_t near = find_near(w);
        struct far far = find_far(w, patience > 0);
        uint64_t reach = earlier(now, earlier(near, far.ends));
        if (far.begins <= reach) {
            spread_begun(w, &far, &patience, budget);
        } else if (near <= reach) {
            --*budget;
            return pop_near(w, near);
        } else if (patience > 0) {
            w->tick = later(w->tick, now); /* all other timers are in the future */
            spread_ahead(w, budget);
            return NULL;
        } else {
            patience = UINT32_MAX; /* only crowded slots are left */
        }
    }
    return NULL;
}

void rt_wheel_turn(struct rt_wheel *w, int64_t now_ns) {
    uint64_t reach = earlier(find_near(w), find_far(w, true).ends);
    w->tick = later(w->tick, earlier(tick_from(now_ns), reach));
}

/* When rt_wheel_pop() must next handle a slot of a level above 0. */
static int64_t slot_next(const struct rt_wheel_slot *slot, unsigned level,
                         uint64_t position) {
    if (slot->count <= RT_WHEEL_CROWD) {
        return rt_wheel_due_ns(slot->earliest_ns);
    }
    return position == 0 ? 0 : ns_of(first_tick(position - 1, level));
}

int64_t rt_wheel_next(const struct rt_wheel *w) {
    int64_t next = (w->levels & 1) != 0 ? ns_of(first_position(w, 0)) : RT_WHEEL_NEVER;
    for (uint32_t rest = w->levels & ~1u; rest != 0; rest &= rest - 1) {
        unsigned level = rt_lowest_bit(rest);
        uint64_t position = first_position(w, level);
        int64_t at = slot_next(&w->slots[level][position & SLOT_MASK], level, position);
        next = at < next ? at : next;
    }
    return next;
}

/* Insertion and removal */

void rt_wheel_init(struct rt_wheel *w, int64_t now_ns) {
    rt_assert(w->count == 0);
    w->tick = tick_from(now_ns);
}

bool rt_wheel_add(struct rt_wheel *w, struct rt_timer *t) {
    const struct rt_wheel_slot *slot = insert(w, t);
    w->count++;
    return is_filling(t, slot);
}

void rt_wheel_remove(struct rt_wheel *w, struct rt_timer *t) {
    rt_assert(w->count > 0);
    timer_take_out(w, t);
    w->count--;
}

struct rt_timer *rt_wheel_pop_any(struct rt_wheel *w) {
    if (w->levels == 0) {
        return NULL;
    }
    unsigned level = rt_lowest_bit(w->levels);
    struct rt_timer *t = slot_at(w, level, first_position(w, level))->first;
    rt_wheel_remove(w, t);
    return t;
}
