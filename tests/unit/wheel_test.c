/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: the timing wheel returns every timer once, never early and at most a tick late,
   in order, while others are added and removed; a near timer is found beside any number
   of far ones. */
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

/* Near and far times in equal parts: the number of bits is random. */
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

/* The model: checks all timers. */

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

/* Removes all timers that are due, with a new budget for each call. */
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
    // never late
    ASSERT(model_first() == INT64_MAX || !tick_has_come(model_first(), now));
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
        // a timer that was due when it was added is due from then on
        ASSERT(next == due || (due <= START && next <= START));
        ASSERT(pop(next - 1) == NULL || next <= START);
        struct rt_timer *t = pop(next);
        ASSERT(t != NULL);
        is_in[t - timers] = false;
    }
    ASSERT_EQ(rt_wheel_next(&wheel), RT_WHEEL_NEVER);
}

/* Repeated calls of rt_wheel_next() lead to the timer, without a loop. */
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
        ASSERT_LE(++looks, 2 * RT_WHEEL_LEVELS);
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

/* A past time in the current tick is rounded up like others. */
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
    ASSERT(pop(INT64_MAX) == NULL); // the last tick never ends
    ASSERT_EQ(rt_wheel_next(&wheel), RT_WHEEL_NEVER);
    rt_wheel_remove(&wheel, &timers[0]);
    ASSERT(rt_wheel_pop_any(&wheel) == &timers[1]);
    ASSERT(rt_wheel_pop_any(&wheel) == NULL);
}

/* A budget that is used up in the middle of a spread neither loses nor duplicates a
   timer. */
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

/* A crowd, and near timers beside it */

#define CROWD 5000

static struct rt_timer crowd[CROWD];

/* Adds a timer as the runtime does. */
static void add_in_time(struct rt_timer *t, int64_t when, int64_t now) {
    t->when_ns = when;
    if (rt_wheel_add(&wheel, t)) {
        rt_wheel_turn(&wheel, now);
    }
}

static void add_crowd(int64_t begin, int64_t length, int64_t now) {
    for (size_t i = 0; i < CROWD; i++) {
        add_in_time(&crowd[i], begin + (int64_t)draw((uint64_t)length), now);
    }
}

static bool is_of_crowd(const struct rt_timer *t) {
    return t >= crowd && t < crowd + CROWD;
}

/* One pop with the most work that the runtime does for one timer. */
static struct rt_timer *look(int64_t now) {
    uint32_t budget = RT_WHEEL_LEVELS * RT_WHEEL_CROWD;
    return rt_wheel_pop(&wheel, now, &budget);
}

/* Advances from now to then, with a single pop at each time at which there is work, so
   that much work is left. */
static int64_t turn_slowly(int64_t now, int64_t then) {
    int64_t next;
    while ((next = rt_wheel_next(&wheel)) < then) {
        now = next > now ? next : now + RT_WHEEL_TICK_NS;
        if (now >= then) {
            break;
        }
        ASSERT(look(now) == NULL);
    }
    return then;
}

/* The crowd is in slots of any level, while the wheel advances to it. At each step one
   timer is added, and one pop finds it. */
static void expect_near_beside(int64_t ahead, int64_t length) {
    int64_t now = START;
    int64_t begin = START + ahead;
    set_up(now);
    add_crowd(begin, length, now);
    for (int64_t step = ahead / 2; step > 4 * RT_WHEEL_TICK_NS; step -= step / 8) {
        if (now + step + RT_WHEEL_TICK_NS >= begin) {
            continue;
        }
        add_in_time(&timers[0], now + step, now);
        now = turn_slowly(now, rt_wheel_due_ns(now + step));
        ASSERT(look(now) == &timers[0]);
        ASSERT_LE(rt_wheel_next(&wheel), rt_wheel_due_ns(begin + length));
    }
}

TEST(near_ones_are_found_beside_a_crowd) {
    for (int64_t ahead = 100000; ahead < TUCO_SECOND * 100000; ahead *= 3) {
        expect_near_beside(ahead, ahead / 50 + 1);
        expect_near_beside(ahead, 1);
    }
}

/* The wheel is late: the crowd's slot has begun, most of the crowd is not due, and near
   timers have been added since. */
TEST(near_ones_are_found_beside_a_late_crowd) {
    int64_t now = START;
    set_up(now);
    add_crowd(START + TUCO_SECOND, TUCO_SECOND, now);
    now = START + TUCO_SECOND * 3 / 2;
    for (int i = 0; i < 100; i++) {
        struct rt_timer *t;
        int looks = 0;
        add_in_time(&timers[i], now, now);
        now += RT_WHEEL_TICK_NS;
        do {
            t = look(now);
            ASSERT_LE(++looks, CROWD); // it is found
            ASSERT(t == NULL || tick_has_come(t->when_ns, now));
        } while (t == NULL || is_of_crowd(t));
    }
}

/* The wheel puts a timer at too high a level because it has not been turned for long. */
TEST(near_ones_are_found_by_a_wheel_behind_its_time) {
    int64_t now = START;
    set_up(now);
    for (int64_t lag = TUCO_MILLISECOND; lag < TUCO_SECOND * 10000; lag *= 3) {
        now += lag;
        add_in_time(&timers[0], now + TUCO_MILLISECOND, now);
        add_crowd(now + TUCO_MILLISECOND * 20, TUCO_MILLISECOND * 100, now);
        add_in_time(&timers[1], now + TUCO_MILLISECOND, now);
        // little work is due at once
        int looks = 0;
        while (rt_wheel_next(&wheel) <= now) {
            ASSERT(look(now) == NULL);
            ASSERT_LE(++looks, 8);
        }
        now += TUCO_MILLISECOND + RT_WHEEL_TICK_NS;
        struct rt_timer *t = look(now);
        ASSERT(t == &timers[0] || t == &timers[1]);
        t = look(now);
        ASSERT(t == &timers[0] || t == &timers[1]);
        while (rt_wheel_pop_any(&wheel) != NULL) {
        }
    }
}

/* A crowd on a wheel that is turned in time is returned in order, each timer when it is
   due. */
TEST(a_crowd_in_order) {
    static const int64_t lengths[] = {TUCO_MILLISECOND * 50, TUCO_SECOND,
                                      TUCO_SECOND * 100};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int64_t last = 0;
        int64_t now = START;
        set_up(now);
        add_crowd(START + lengths[i], lengths[i], now);
        for (int popped = 0; popped < CROWD;) {
            int64_t next = rt_wheel_next(&wheel);
            now = next > now ? next : now;
            struct rt_timer *t = look(now);
            if (t == NULL) {
                continue;
            }
            popped++;
            ASSERT(tick_has_come(t->when_ns, now));
            ASSERT_LE(now, rt_wheel_due_ns(t->when_ns) + RT_WHEEL_TICK_NS);
            ASSERT_GE(rt_wheel_due_ns(t->when_ns), last);
            last = rt_wheel_due_ns(t->when_ns);
        }
    }
}
