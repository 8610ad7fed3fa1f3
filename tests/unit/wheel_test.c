/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: the timing wheel gives out every timer once, never early and at most a tick late,
   in order, whatever is put in and taken out meanwhile. */
#include "test.h"
#include "base/rand.h"
#include "base/wheel.h"

#include <stdlib.h>
#include <string.h>

#define TIMERS 300
#define STEPS  40000
#define START  ((int64_t)123456789)

static struct rt_wheel wheel;
static struct rt_timer timers[TIMERS];
static bool is_in[TIMERS];
static struct rt_rand rand_state;

static uint64_t draw(uint64_t below) {
    return rt_rand_next(&rand_state) % below;
}

/* Near and far ones in equal parts: the number of bits is what is drawn. */
static int64_t draw_delay(void) {
    return (int64_t)(rt_rand_next(&rand_state) >> (64 - 1 - draw(50)) >> 1);
}

static void set_up(int64_t now) {
    memset(&wheel, 0, sizeof wheel);
    memset(is_in, 0, sizeof is_in);
    rand_state.state = test_seed();
    rt_wheel_init(&wheel, now);
}

static void add(size_t i, int64_t when) {
    timers[i].when_ns = when;
    rt_wheel_add(&wheel, &timers[i]);
    is_in[i] = true;
}

static struct rt_timer *pop(int64_t now) {
    uint32_t budget = UINT32_MAX;
    return rt_wheel_pop(&wheel, now, &budget);
}

static bool tick_has_come(int64_t when, int64_t now) {
    return now / RT_WHEEL_TICK_NS >=
           when / RT_WHEEL_TICK_NS + (when % RT_WHEEL_TICK_NS != 0);
}

/* The model: a look at all of them. */

static uint64_t model_count(void) {
    uint64_t n = 0;
    for (size_t i = 0; i < TIMERS; i++) {
        n += is_in[i];
    }
    return n;
}

static int64_t model_first(void) {
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < TIMERS; i++) {
        if (is_in[i] && timers[i].when_ns < first) {
            first = timers[i].when_ns;
        }
    }
    return first;
}

/* Takes out all that is due, with a budget of its own for each call. */
static void expect_due(int64_t now) {
    int64_t last_tick = 0;
    for (;;) {
        uint32_t budget = 1 + (uint32_t)draw(5);
        struct rt_timer *t = rt_wheel_pop(&wheel, now, &budget);
        if (t == NULL && budget > 0) {
            break;
        }
        if (t == NULL) {
            continue;
        }
        size_t i = (size_t)(t - timers);
        ASSERT(is_in[i]);
        ASSERT(tick_has_come(t->when_ns, now)); // never early
        is_in[i] = false;
        int64_t tick = rt_wheel_due_ns(t->when_ns);
        ASSERT(tick >= last_tick || tick <= START); // in order
        last_tick = tick;
    }
    ASSERT(model_first() == INT64_MAX ||
           !tick_has_come(model_first(), now)); // never late
}

TEST(agrees_with_a_look_at_all) {
    int64_t now = START;
    set_up(now);
    for (int step = 0; step < STEPS; step++) {
        size_t i = (size_t)draw(TIMERS);
        if (is_in[i]) {
            rt_wheel_remove(&wheel, &timers[i]);
            is_in[i] = false;
        } else {
            add(i, now + draw_delay());
        }
        if (draw(4) == 0) {
            now += draw_delay() >> draw(30);
            now = now < INT64_MAX / 2 ? now : INT64_MAX / 2;
            expect_due(now);
        }
        ASSERT_EQ(wheel.count, model_count());
        int64_t next = rt_wheel_next(&wheel);
        int64_t first = model_first();
        if (first == INT64_MAX) {
            ASSERT_EQ(next, RT_WHEEL_NEVER);
        } else {
            ASSERT_LE(next, rt_wheel_due_ns(first));
        }
    }
}

TEST(next_is_exact_for_few) {
    set_up(START);
    for (size_t i = 0; i < 20; i++) {
        add(i, START + draw_delay());
    }
    while (wheel.count > 0) {
        int64_t next = rt_wheel_next(&wheel);
        int64_t due = rt_wheel_due_ns(model_first());
        // one that was due when it was put in is so from then on
        ASSERT(next == due || (due <= START && next <= START));
        ASSERT(pop(next - 1) == NULL || next <= START);
        struct rt_timer *t = pop(next);
        ASSERT(t != NULL);
        is_in[t - timers] = false;
    }
    ASSERT_EQ(rt_wheel_next(&wheel), RT_WHEEL_NEVER);
}

/* Following the answers of next one comes to the timer, without being led in circles. */
TEST(next_leads_to_the_first_of_many) {
    set_up(START);
    for (size_t i = 0; i < TIMERS; i++) {
        add(i, START + TUCO_SECOND * 3600 + (int64_t)draw(TUCO_SECOND));
    }
    int64_t due = rt_wheel_due_ns(model_first());
    int64_t now = START;
    int looks = 0;
    while (now < due) {
        int64_t next = rt_wheel_next(&wheel);
        ASSERT_GT(next, now);
        ASSERT_LE(next, due);
        now = next;
        ASSERT(now == due || pop(now) == NULL);
        ASSERT_LE(++looks, RT_WHEEL_LEVELS);
    }
    ASSERT(pop(now) != NULL);
}

TEST(equal_ones_in_the_order_of_coming) {
    set_up(START);
    for (size_t i = 0; i < TIMERS; i++) {
        add(i, START + TUCO_SECOND);
        ASSERT(pop(START + (int64_t)i * TUCO_MILLISECOND) == NULL);
    }
    for (size_t i = 0; i < TIMERS; i++) {
        ASSERT(pop(START + 2 * TUCO_SECOND) == &timers[i]);
    }
    ASSERT(pop(START + 2 * TUCO_SECOND) == NULL);
}

/* Where it was in the same tick, it is rounded up like the others. */
TEST(past_is_due_at_once) {
    static const int64_t past[] = {INT64_MIN,      -1, 0, 1, START - RT_WHEEL_TICK_NS,
                                   START - 5000000};
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        set_up(START);
        add(0, past[i]);
        ASSERT_LE(rt_wheel_next(&wheel), START);
        ASSERT(pop(START) == &timers[0]);
    }
}

TEST(ends_of_time) {
    set_up(1);
    add(0, INT64_MAX);
    add(1, INT64_MAX - 1);
    add(2, INT64_MAX - 2 * RT_WHEEL_TICK_NS);
    add(3, 2);
    ASSERT(pop(RT_WHEEL_TICK_NS) == &timers[3]);
    ASSERT(pop(INT64_MAX / 2) == NULL);
    ASSERT(pop(INT64_MAX) == &timers[2]);
    ASSERT(pop(INT64_MAX) == NULL); // the last tick does not end any more
    ASSERT_EQ(rt_wheel_next(&wheel), RT_WHEEL_NEVER);
    rt_wheel_remove(&wheel, &timers[0]);
    ASSERT(rt_wheel_pop_any(&wheel) == &timers[1]);
    ASSERT(rt_wheel_pop_any(&wheel) == NULL);
}

/* A budget that runs out in the middle of a spread loses and doubles nothing. */
TEST(interrupted_spread) {
    set_up(START);
    for (size_t i = 0; i < TIMERS / 2; i++) {
        add(i, START + TUCO_SECOND + (int64_t)draw(TUCO_MILLISECOND));
    }
    int64_t now = START + TUCO_SECOND - TUCO_MILLISECOND;
    for (size_t i = TIMERS / 2; i < TIMERS; i++) {
        uint32_t budget = 1;
        ASSERT(rt_wheel_pop(&wheel, now, &budget) == NULL);
        add(i, now + (int64_t)draw(TUCO_MILLISECOND));
        size_t j = (size_t)draw(TIMERS);
        if (is_in[j]) {
            rt_wheel_remove(&wheel, &timers[j]);
            is_in[j] = false;
        }
    }
    expect_due(START + TUCO_SECOND * 2);
    ASSERT_EQ(model_count(), 0);
    ASSERT_EQ(wheel.count, 0);
}
