/* SPDX-License-Identifier: MIT */
/* Proves: while a writer waits no new reader gets the lock, so that overlapping readers
   cannot starve the writer. (RW-06) */
#include "waiting.h"

static tuco_rwmutex rw;
static tuco_wg end;
static atomic_int written;

static void write_once(void *arg) {
    (void)arg;
    tuco_rwmutex_lock(&rw);
    atomic_store(&written, 1);
    tuco_rwmutex_unlock(&rw);
}

static void read_after_writer(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    ASSERT_EQ(atomic_load(&written), 1);
    tuco_rwmutex_runlock(&rw);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    ASSERT_EQ(tuco_wg_go(&end, write_once, NULL), 0);
    test_await_waiting("sync.RWMutex.Lock", 1);
    ASSERT(!tuco_rwmutex_try_rlock(&rw));
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(tuco_wg_go(&end, read_after_writer, NULL), 0);
    }
    test_await_waiting("sync.RWMutex.RLock", 5);
    ASSERT_EQ(atomic_load(&written), 0);
    tuco_rwmutex_runlock(&rw);
    tuco_wg_wait(&end);
    return 0;
}

TEST(waiting_writer_stops_readers) {
    RUN(run_main);
}
