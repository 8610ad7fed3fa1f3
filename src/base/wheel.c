/* SPDX-License-Identifier: MIT */
/* The timing wheel: the way that it works is in wheel.h. */
#include "base/wheel.h"
#include "base/bits.h"
#include "base/die.h"

#define DIGIT_MASK (RT_WHEEL_SLOTS - 1)

/* In a slot with up to so many timers the first one is looked for; with more, the slot's
   first tick has to do as an answer. */
#define SCAN_MAX 32

/* What wheels are made for. */
_Static_assert(RT_WHEEL_LEVELS *RT_WHEEL_SLOTS_LOG2 >= 64 - RT_WHEEL_TICK_LOG2,
               "every point of time has its digits");

static uint64_t tick_from(int64_t now_ns) {
    return now_ns <= 0 ? 0 : (uint64_t)now_ns >> RT_WHEEL_TICK_LOG2;
}

static uint64_t tick_after(int64_t when_ns) {
    uint64_t mask = (uint64_t)RT_WHEEL_TICK_NS - 1;
    return when_ns <= 0 ? 0 : ((uint64_t)when_ns + mask) >> RT_WHEEL_TICK_LOG2;
}

static unsigned digit(uint64_t tick, unsigned level) {
    return (unsigned)(tick >> level * RT_WHEEL_SLOTS_LOG2) & DIGIT_MASK;
}

static int64_t ns_of(uint64_t tick) {
    return tick > (uint64_t)RT_WHEEL_NEVER >> RT_WHEEL_TICK_LOG2
               ? RT_WHEEL_NEVER
               : (int64_t)(tick << RT_WHEEL_TICK_LOG2);
}

/* The first tick of a slot: the wheel's own digits above its level, then the slot's number,
   then zeroes. */
static uint64_t slot_begins(const struct rt_wheel *w, unsigned level, unsigned slot) {
    unsigned shift = level * RT_WHEEL_SLOTS_LOG2;
    uint64_t above = w->tick >> shift & ~(uint64_t)DIGIT_MASK;
    return (above | slot) << shift;
}

/* Lists */

static void link_last(struct rt_timer **first, struct rt_timer *t) {
    struct rt_timer *head = *first;
    if (head == NULL) {
        t->next = t->prev = t;
        *first = t;
        return;
    }
    t->next = head;
    t->prev = head->prev;
    head->prev->next = t;
    head->prev = t;
}

/* True: it was the only one. */
static bool unlink_from(struct rt_timer **first, struct rt_timer *t) {
    if (t->next == t) {
        *first = NULL;
        return true;
    }
    t->next->prev = t->prev;
    t->prev->next = t->next;
    if (*first == t) {
        *first = t->next;
    }
    return false;
}

static void insert(struct rt_wheel *w, struct rt_timer *t) {
    uint64_t tick = tick_after(t->when_ns);
    if (tick < w->tick) {
        tick =
            w->tick; /* this tick's own slot of level 0: the first one to be looked at */
    }
    unsigned bits = 64 - (unsigned)__builtin_clzll((tick ^ w->tick) | 1);
    unsigned level = (bits - 1) / RT_WHEEL_SLOTS_LOG2;
    unsigned slot = digit(tick, level);
    t->level = (uint8_t)level;
    t->slot = (uint8_t)slot;
    link_last(&w->slots[level][slot], t);
    w->occupied[level] |= UINT64_C(1) << slot;
    w->levels |= 1u << level;
}

static void take_out(struct rt_wheel *w, struct rt_timer *t) {
    unsigned level = t->level;
    if (!unlink_from(&w->slots[level][t->slot], t)) {
        return;
    }
    w->occupied[level] &= ~(UINT64_C(1) << t->slot);
    if (w->occupied[level] == 0) {
        w->levels &= ~(1u << level);
    }
}

/* Moving on */

/* Puts the timers of the slot that the wheel has arrived at into the levels below. New ones
   never come to this slot: they agree with the wheel in its digit. False: the budget is
   used up, and the rest comes first the next time. */
static bool spread(struct rt_wheel *w, uint32_t *budget) {
    unsigned level = w->spreading;
    struct rt_timer **first = &w->slots[level][digit(w->tick, level)];
    struct rt_timer *t;
    while ((t = *first) != NULL) {
        if (*budget == 0) {
            return false;
        }
        --*budget;
        __builtin_prefetch(t->next->next, 1);
        take_out(w, t);
        insert(w, t);
    }
    w->spreading = 0;
    return true;
}

/* Where the first timers are. */
struct place {
    unsigned level;
    unsigned slot;
    uint64_t begins;
};

static bool find_first(const struct rt_wheel *w, struct place *place) {
    if (w->levels == 0) {
        return false;
    }
    place->level = rt_lowest_bit(w->levels);
    place->slot = rt_lowest_bit(w->occupied[place->level]);
    place->begins = slot_begins(w, place->level, place->slot);
    return true;
}

struct rt_timer *rt_wheel_pop(struct rt_wheel *w, int64_t now_ns, uint32_t *budget) {
    uint64_t now = tick_from(now_ns);
    struct place first;
    for (;;) {
        if ((w->spreading != 0 && !spread(w, budget)) || *budget == 0) {
            return NULL;
        }
        if (!find_first(w, &first) || first.begins > now) {
            /* All that is left lies beyond now, in slots that agree with it in the same
               digits as with the old tick. */
            w->tick = now > w->tick ? now : w->tick;
            return NULL;
        }
        w->tick = first.begins;
        if (first.level == 0) {
            struct rt_timer *t = w->slots[0][first.slot];
            --*budget;
            __builtin_prefetch(t->next->next, 1);
            rt_wheel_remove(w, t);
            return t;
        }
        w->spreading = first.level;
    }
}

struct rt_timer *rt_wheel_pop_any(struct rt_wheel *w) {
    struct place first;
    if (!find_first(w, &first)) {
        return NULL;
    }
    struct rt_timer *t = w->slots[first.level][first.slot];
    rt_wheel_remove(w, t);
    return t;
}

int64_t rt_wheel_next(const struct rt_wheel *w) {
    struct place first;
    if (!find_first(w, &first)) {
        return RT_WHEEL_NEVER;
    }
    if (w->spreading != 0) {
        return ns_of(w->tick);
    }
    const struct rt_timer *head = w->slots[first.level][first.slot];
    const struct rt_timer *t = head;
    int64_t earliest = head->when_ns;
    for (int i = 0; first.level > 0 && (t = t->next) != head; i++) {
        if (i == SCAN_MAX) {
            return ns_of(first.begins);
        }
        earliest = t->when_ns < earliest ? t->when_ns : earliest;
    }
    return first.level > 0 ? rt_wheel_due_ns(earliest) : ns_of(first.begins);
}

/* Putting in and taking out */

void rt_wheel_init(struct rt_wheel *w, int64_t now_ns) {
    rt_assert(w->count == 0);
    w->tick = tick_from(now_ns);
    w->spreading = 0;
}

void rt_wheel_add(struct rt_wheel *w, struct rt_timer *t) {
    insert(w, t);
    w->count++;
}

void rt_wheel_remove(struct rt_wheel *w, struct rt_timer *t) {
    rt_assert(w->count > 0);
    take_out(w, t);
    w->count--;
}
