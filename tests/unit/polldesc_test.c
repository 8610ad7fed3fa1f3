/* SPDX-License-Identifier: MIT */
/* Proves: readiness, a deadline or a close each ends a wait once, before it begins or
   during it; a late event for a freed descriptor does no harm. */
#include "test.h"
#include "sched/netpoll/polldesc.h"
#include "os/os.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sched/netpoll/pollwait.h"

#include <errno.h>

#define BOTH (OS_POLL_READ | OS_POLL_WRITE)

static struct rt_polldesc *make(void) {
    struct rt_polldesc *d = rt_polldesc_make();
    ASSERT(d != NULL);
    return d;
}

static uintptr_t word_of(struct rt_polldesc *d, enum rt_pollway_name name) {
    return rt_load_acq(&d->ways[name].word);
}

/* Does what a poller does. Returns how many goroutines were woken. */
static uint32_t tell(struct rt_polldesc *d, uint32_t generation, uint32_t events) {
    struct rt_glist ready = {.first = NULL};
    struct rt_g *g;
    rt_enter();
    rt_polldesc_events(d, generation, events, &ready);
    uint32_t count = ready.count;
    while ((g = rt_glist_pop(&ready)) != NULL) {
        rt_ready(g);
    }
    rt_leave();
    return count;
}

static uint32_t tell_now(struct rt_polldesc *d, uint32_t events) {
    return tell(d, rt_polldesc_generation(rt_polldesc_token(d)), events);
}

/* A single waiter */

struct waiter {
    struct rt_polldesc *d;
    enum rt_pollway_name name;
    int result;
    tuco_wg *wg;
};

static void wait_once(void *raw) {
    struct waiter *w = raw;
    w->result = rt_polldesc_wait(w->d, w->name, NULL);
    if (w->wg != NULL) {
        tuco_wg_done(w->wg);
    }
}

static void await_parked(struct rt_polldesc *d, enum rt_pollway_name name) {
    while ((word_of(d, name) & ~(uintptr_t)RT_POLLWAY_BITS) == 0) {
        tuco_yield();
    }
}

TEST(ready_is_by_direction) {
    struct rt_polldesc *d = make();
    ASSERT_EQ(word_of(d, RT_POLLWAY_READ), 0);
    ASSERT_EQ(tell_now(d, OS_POLL_READ), 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_READ), RT_POLLWAY_READY);
    ASSERT_EQ(word_of(d, RT_POLLWAY_WRITE), 0);
    ASSERT_EQ(tell_now(d, BOTH), 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_WRITE), RT_POLLWAY_READY);
    rt_polldesc_free(d);
}

TEST(ready_before_try_is_forgotten) {
    struct rt_polldesc *d = make();
    tell_now(d, BOTH);
    ASSERT_GE(rt_polldesc_begin(d, RT_POLLWAY_READ), 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_READ), 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_WRITE), RT_POLLWAY_READY);
    rt_polldesc_free(d);
}

TEST(ready_before_wait_is_not_waited_for) {
    struct rt_polldesc *d = make();
    ASSERT_GE(rt_polldesc_begin(d, RT_POLLWAY_READ), 0);
    tell_now(d, OS_POLL_READ);
    ASSERT_EQ(rt_polldesc_wait(d, RT_POLLWAY_READ, NULL), 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_READ), 0);
    ASSERT_EQ(rt_netpoll_awaited(rt_netpoll_waits_ended()), false);
    rt_polldesc_free(d);
}

TEST(event_wakes_its_direction) {
    struct rt_polldesc *d = make();
    struct waiter w = {.d = d, .name = RT_POLLWAY_WRITE, .result = 1};
    struct test_thread t;
    test_thread_start(&t, wait_once, &w);
    await_parked(d, RT_POLLWAY_WRITE);
    ASSERT_EQ(rt_netpoll_awaited(rt_netpoll_waits_ended()), true);
    ASSERT_EQ(tell_now(d, OS_POLL_READ), 0);
    ASSERT_EQ(tell_now(d, OS_POLL_WRITE), 1);
    test_thread_join(&t);
    ASSERT_EQ(w.result, 0);
    ASSERT_EQ(word_of(d, RT_POLLWAY_WRITE), 0);
    ASSERT_EQ(rt_netpoll_awaited(rt_netpoll_waits_ended()), false);
    rt_polldesc_free(d);
}

TEST(close_wakes_both) {
    struct rt_polldesc *d = make();
    struct waiter w[RT_POLLWAYS];
    struct test_thread t[RT_POLLWAYS];
    for (int i = 0; i < RT_POLLWAYS; i++) {
        w[i] = (struct waiter){.d = d, .name = (enum rt_pollway_name)i};
        test_thread_start(&t[i], wait_once, &w[i]);
        await_parked(d, (enum rt_pollway_name)i);
    }
    rt_polldesc_close(d);
    for (int i = 0; i < RT_POLLWAYS; i++) {
        test_thread_join(&t[i]);
        ASSERT_EQ(w[i].result, -ECANCELED);
        ASSERT_EQ(rt_polldesc_begin(d, (enum rt_pollway_name)i), -ECANCELED);
        ASSERT_EQ(rt_polldesc_wait(d, (enum rt_pollway_name)i, NULL), -ECANCELED);
    }
    rt_polldesc_free(d);
}

TEST(past_deadline_fails_its_direction) {
    struct rt_polldesc *d = make();
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, 1);
    tell_now(d, BOTH);
    ASSERT_EQ(rt_polldesc_begin(d, RT_POLLWAY_READ), -ETIMEDOUT);
    ASSERT_EQ(rt_polldesc_wait(d, RT_POLLWAY_READ, NULL), -ETIMEDOUT);
    ASSERT_EQ(rt_polldesc_begin(d, RT_POLLWAY_READ), -ETIMEDOUT);
    ASSERT_EQ(rt_polldesc_begin(d, RT_POLLWAY_WRITE), 0);
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, OS_NEVER);
    ASSERT_GE(rt_polldesc_begin(d, RT_POLLWAY_READ), 0);
    rt_polldesc_free(d);
}

TEST(past_deadline_wakes) {
    struct rt_polldesc *d = make();
    struct waiter w = {.d = d, .name = RT_POLLWAY_READ};
    struct test_thread t;
    test_thread_start(&t, wait_once, &w);
    await_parked(d, RT_POLLWAY_READ);
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, INT64_MIN);
    test_thread_join(&t);
    ASSERT_EQ(w.result, -ETIMEDOUT);
    rt_polldesc_free(d);
}

/* The clock, which needs a runtime */

static int deadline_comes(void *arg) {
    struct rt_polldesc *d = make();
    (void)arg;
    for (int i = 0; i < 20; i++) {
        tuco_time deadline = tuco_now() + i * 100 * TUCO_MICROSECOND;
        rt_polldesc_set_deadline(d, RT_POLLWAY_READ, deadline);
        ASSERT_EQ(rt_polldesc_wait(d, RT_POLLWAY_READ, NULL), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
    rt_polldesc_free(d);
    return 0;
}

TEST(wait_ends_at_the_deadline) {
    RUN(deadline_comes);
}

/* A goroutine waits with the first of these deadlines, which is then moved to each of the
   others. */
static tuco_time move_while_waiting(const tuco_time *spans, int count) {
    tuco_wg wg = {0};
    struct rt_polldesc *d = make();
    struct waiter w = {.d = d, .name = RT_POLLWAY_READ, .wg = &wg};
    tuco_time deadline = tuco_deadline(spans[0]);
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, deadline);
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go(wait_once, &w), 0);
    await_parked(d, RT_POLLWAY_READ);
    for (int i = 1; i < count; i++) {
        deadline = tuco_deadline(spans[i]);
        rt_polldesc_set_deadline(d, RT_POLLWAY_READ, deadline);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(w.result, -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    rt_polldesc_free(d);
    return tuco_now() - deadline;
}

static int deadline_moves(void *arg) {
    static const tuco_time spans[][3] = {
        {3600 * TUCO_SECOND, 3600 * TUCO_SECOND, 2 * TUCO_MILLISECOND},
        {TUCO_NEVER, TUCO_NEVER, 2 * TUCO_MILLISECOND},
        {TUCO_NEVER, 200 * TUCO_MILLISECOND, 210 * TUCO_MILLISECOND},
    };
    (void)arg;
    for (int i = 0; i < 3; i++) {
        ASSERT_LT(move_while_waiting(spans[i], 3), 60 * TUCO_SECOND);
    }
    return 0;
}

TEST(deadline_moves_under_a_waiter) {
    RUN(deadline_moves);
}

static int leave_armed(void *arg) {
    struct rt_polldesc *d = arg;
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, tuco_deadline(3600 * TUCO_SECOND));
    tell_now(d, OS_POLL_READ);
    ASSERT_EQ(rt_polldesc_wait(d, RT_POLLWAY_READ, NULL), 0);
    ASSERT(d->ways[RT_POLLWAY_READ].armed);
    return 0;
}

TEST(outlives_the_runtime) {
    struct rt_polldesc *d = make();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_run(leave_armed, d), 0);
        ASSERT(!d->ways[RT_POLLWAY_READ].armed);
    }
    rt_polldesc_free(d);
    rt_polldesc_trim();
}

TEST(all_look_again_at_the_end) {
    struct rt_glist ready = {.first = NULL};
    struct rt_polldesc *d = make();
    struct waiter w = {.d = d, .name = RT_POLLWAY_READ, .result = 1};
    struct test_thread t;
    test_thread_start(&t, wait_once, &w);
    await_parked(d, RT_POLLWAY_READ);
    rt_enter();
    rt_polldesc_wake_all(&ready);
    ASSERT_EQ(ready.count, 1);
    rt_ready(rt_glist_pop(&ready));
    rt_leave();
    test_thread_join(&t);
    ASSERT_EQ(w.result, 0);
    rt_polldesc_free(d);
}

/* Memory */

TEST(late_event_is_dropped) {
    struct rt_polldesc *d = make();
    uint64_t token = rt_polldesc_token(d);
    rt_polldesc_set_deadline(d, RT_POLLWAY_READ, 1);
    rt_polldesc_close(d);
    rt_polldesc_free(d);
    struct rt_polldesc *next = make();
    ASSERT(next == d);
    ASSERT(rt_polldesc_of(token) == d);
    ASSERT_NE(rt_polldesc_token(d), token);
    ASSERT_EQ(tell(d, rt_polldesc_generation(token), BOTH), 0);
    for (int i = 0; i < RT_POLLWAYS; i++) {
        ASSERT_EQ(word_of(d, (enum rt_pollway_name)i), 0);
        ASSERT_EQ(rt_polldesc_begin(d, (enum rt_pollway_name)i), RT_POLLDESC_SILENT);
    }
    rt_polldesc_free(d);
}

#define MANY 1000

TEST(tokens_name_descriptors) {
    static struct rt_polldesc *all[MANY];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            all[i] = make();
            ASSERT(rt_polldesc_of(rt_polldesc_token(all[i])) == all[i]);
            ASSERT_LT(all[i]->index, 2 * MANY);
        }
        rt_polldesc_trim(); /* does nothing: all are in use */
        for (int i = 0; i < MANY; i++) {
            ASSERT(rt_polldesc_of(rt_polldesc_token(all[i])) == all[i]);
            rt_polldesc_free(all[i]);
        }
        rt_polldesc_trim();
    }
}

/* All at once */

#define ROUNDS TEST_SIZE(20000, 2000)

static struct {
    struct rt_polldesc *d;
    atomic_int over;
} storm;

static void tell_often(void *arg) {
    (void)arg;
    while (atomic_load(&storm.over) < RT_POLLWAYS) {
        tell_now(storm.d, BOTH);
        sched_yield();
    }
}

/* The clock and the poller both end these waits; the test requires only that they end. */
static void wait_often(void *raw) {
    struct waiter *w = raw;
    for (int i = 0; i < ROUNDS; i++) {
        rt_polldesc_set_deadline(w->d, w->name, tuco_now() + i % 50 * TUCO_MICROSECOND);
        int result = rt_polldesc_begin(w->d, w->name);
        if (result >= 0) {
            result = rt_polldesc_wait(w->d, w->name, NULL);
        }
        ASSERT(result == 0 || result == -ETIMEDOUT);
    }
    atomic_fetch_add(&storm.over, 1);
    tuco_wg_done(w->wg);
}

static int storm_main(void *arg) {
    tuco_wg wg = {0};
    struct waiter w[RT_POLLWAYS];
    (void)arg;
    tuco_wg_add(&wg, RT_POLLWAYS);
    for (int i = 0; i < RT_POLLWAYS; i++) {
        w[i] = (struct waiter){storm.d, (enum rt_pollway_name)i, 0, &wg};
        ASSERT_EQ(tuco_go(wait_often, &w[i]), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(no_wait_is_lost) {
    struct test_thread t;
    storm.d = make();
    test_thread_start(&t, tell_often, NULL);
    RUN(storm_main);
    test_thread_join(&t);
    ASSERT_EQ(rt_netpoll_awaited(rt_netpoll_waits_ended()), false);
    rt_polldesc_free(storm.d);
    rt_polldesc_trim();
}

/* As many as fill the first slabs. */
#define FULL (64 * ((1 << 11) - 1))

TEST(one_more_does_not_cost_a_whole_slab) {
    static struct rt_polldesc *full[FULL];
    for (int i = 0; i < FULL; i++) {
        full[i] = make();
    }
    long before = test_resident_kib();
    struct rt_polldesc *one_more = make();
    ASSERT_LE(test_resident_kib() - before, 2048);
    rt_polldesc_free(one_more);
    for (int i = 0; i < FULL; i++) {
        rt_polldesc_free(full[i]);
    }
    rt_polldesc_trim();
}
