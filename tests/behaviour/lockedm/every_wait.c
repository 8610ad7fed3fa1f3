/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine returns to its thread from a wait for a mutex, a
   readers-writer lock, a condition, a semaphore or a select, and exclusion holds
   meanwhile. */
#include "chans.h"
#include "threads.h"

#define WIRED  4
#define LOOSE  4
#define ROUNDS TEST_SIZE(500, 100)

static tuco_mutex mutex;
static tuco_rwmutex rwmutex;
static tuco_cond turned;
static tuco_sem sem;
static tuco_chan *tokens[2];
static int in_mutex, in_rwmutex, in_sem; /* guarded by what they are named after */
static int turn;                         /* mutex */

/* Yields inside, so that others come and have to wait. */
static void add_alone(int *count) {
    int before = *count;
    tuco_yield();
    *count = before + 1;
}

static void take_turn(int i) {
    tuco_mutex_lock(&mutex);
    add_alone(&in_mutex);
    while (turn % (WIRED + LOOSE) != i) {
        tuco_cond_wait(&turned, &mutex);
    }
    turn++;
    tuco_cond_broadcast(&turned);
    tuco_mutex_unlock(&mutex);
}

static void wait_every_way(int i) {
    take_turn(i);
    tuco_rwmutex_lock(&rwmutex);
    add_alone(&in_rwmutex);
    tuco_rwmutex_unlock(&rwmutex);
    ASSERT_EQ(tuco_sem_acquire(&sem, 1, NULL), 0);
    add_alone(&in_sem);
    tuco_sem_release(&sem, 1);
    int token = -1;
    tuco_case both[] = {TUCO_RECV(tokens[0], &token), TUCO_RECV(tokens[1], &token)};
    int from = tuco_select(both, 2);
    test_send(tokens[1 - from], token);
}

static void work(void *arg) {
    int i = (int)(intptr_t)arg;
    if (i < WIRED) {
        tuco_lock_thread();
    }
    int tid = gettid();
    for (int round = 0; round < ROUNDS; round++) {
        wait_every_way(i);
        ASSERT(i >= WIRED || gettid() == tid);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_sem_init(&sem, 1);
    tokens[0] = CHAN(int, 1);
    tokens[1] = CHAN(int, 1);
    test_send(tokens[0], 1);
    for (intptr_t i = 0; i < WIRED + LOOSE; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, work, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(in_mutex, (WIRED + LOOSE) * ROUNDS);
    ASSERT_EQ(in_rwmutex, (WIRED + LOOSE) * ROUNDS);
    ASSERT_EQ(in_sem, (WIRED + LOOSE) * ROUNDS);
    tuco_chan_unref(tokens[0]);
    tuco_chan_unref(tokens[1]);
    return 0;
}

TEST(every_wait) {
    RUN(run_main);
}
