/* SPDX-License-Identifier: MIT */
/* Proves: readers that arrive while a writer holds the lock get it before the next writer
   that waits. (RW-06) */
#include "waiting.h"

#define READERS 4

static tuco_rwmutex rw;
static tuco_wg end;
static atomic_int read;

static void read_once(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    atomic_fetch_add(&read, 1);
    tuco_rwmutex_runlock(&rw);
}

static void write_after_readers(void *arg) {
    (void)arg;
    tuco_rwmutex_lock(&rw);
    ASSERT_EQ(atomic_load(&read), READERS);
    tuco_rwmutex_unlock(&rw);
}

static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < 20; round++) {
        atomic_store(&read, 0);
        tuco_rwmutex_lock(&rw);
        ASSERT_EQ(tuco_wg_go(&end, write_after_readers, NULL), 0);
        test_await_waiting("sync.RWMutex.Lock", 1);
        for (int i = 0; i < READERS; i++) {
            ASSERT_EQ(tuco_wg_go(&end, read_once, NULL), 0);
        }
        test_await_waiting("sync.RWMutex.RLock", READERS);
        tuco_rwmutex_unlock(&rw);
        tuco_wg_wait(&end);
    }
    return 0;
}

TEST(readers_before_next_writer) {
    RUN(run_main);
}
