/* SPDX-License-Identifier: MIT */
/* Proves: no deadlock is reported while a goroutine is in a blocking call, announced or
   not: it will come back and may wake the others. */
#include "chans.h"
#include "pipes.h"

#include <time.h>

static struct pipe_ends data;
static atomic_int entered;
static tuco_chan *answer;

static void take_and_answer(void *arg) {
    (void)arg;
    atomic_store(&entered, 1);
    pipe_take(&data);
    test_send(answer, 7);
}

static void take_announced(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    atomic_store(&entered, 1);
    pipe_take(&data);
    tuco_blocking_exit();
    test_send(answer, 7);
}

/* The pause is not there to synchronise: it gives a false report the time to appear. The
   thread is unknown to the library. */
static void put_late(void *arg) {
    (void)arg;
    while (atomic_load(&entered) == 0) {
        sched_yield();
    }
    nanosleep(&(struct timespec){.tv_nsec = 300 * TUCO_MILLISECOND}, NULL);
    pipe_put(&data, 1);
}

static int run_main(void *arg) {
    answer = CHAN(int, 0);
    ASSERT_EQ(tuco_go(*(tuco_fn **)arg, NULL), 0);
    ASSERT_EQ(test_recv(answer), 7);
    test_await_alone();
    tuco_chan_unref(answer);
    return 0;
}

static void run_with(tuco_fn *blocker) {
    struct test_thread thread;
    pipe_open(&data);
    test_thread_start(&thread, put_late, NULL);
    ASSERT_EQ(tuco_run(run_main, &blocker), 0);
    test_thread_join(&thread);
}

TEST(announced) {
    run_with(take_announced);
}

TEST(unannounced) {
    run_with(take_and_answer);
}
