/* SPDX-License-Identifier: MIT */
/* Proves: a thread blocked on a wait group is woken by a goroutine, and a goroutine by a
   thread. */
#include "test.h"

#define ROUNDS TEST_SIZE(2000, 500)

/* Each side waits for its turn and then gives the turn to the other. */
static tuco_wg thread_turn;
static tuco_wg goroutine_turn;
static int hits; /* plain: every access is ordered by the two wait groups */

static void play(tuco_wg *mine, tuco_wg *other) {
    for (int i = 0; i < ROUNDS; i++) {
        tuco_wg_wait(mine);
        tuco_wg_add(mine, 1);
        hits++;
        tuco_wg_done(other);
    }
}

static void goroutine_side(void *arg) {
    (void)arg;
    play(&goroutine_turn, &thread_turn);
}

TEST(goroutine_wakes_thread) {
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&goroutine_turn, 1);
    ASSERT_EQ(tuco_go(goroutine_side, NULL), 0);
    play(&thread_turn, &goroutine_turn);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(hits, 2 * ROUNDS);
}

static void thread_side_alone(void *arg) {
    (void)arg;
    play(&thread_turn, &goroutine_turn);
}

static int run_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&goroutine_turn, 1);
    test_thread_start(&thread, thread_side_alone, NULL);
    goroutine_side(arg);
    test_thread_join(&thread);
    ASSERT_EQ(hits, 2 * ROUNDS);
    return 0;
}

TEST(thread_wakes_main_goroutine) {
    RUN(run_main);
}
