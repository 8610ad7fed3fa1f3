/* SPDX-License-Identifier: MIT */
/* Proves: while a writer holds the lock, no other writer and no reader does; readers may
   share it. (RW-02) */
#include "test.h"

#define ROUNDS TEST_SIZE(1000, 200)
#define WRITER 10000

static tuco_rwmutex rw;
static tuco_wg end;
static atomic_int activity;
static long written; /* plain: only writers access it */

static void read_rounds(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_rwmutex_rlock(&rw);
        int n = atomic_fetch_add(&activity, 1) + 1;
        ASSERT(n >= 1 && n < WRITER);
        if (i % 8 == 0) {
            tuco_yield();
        }
        atomic_fetch_sub(&activity, 1);
        tuco_rwmutex_runlock(&rw);
    }
}

static void write_rounds(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_rwmutex_lock(&rw);
        ASSERT_EQ(atomic_fetch_add(&activity, WRITER), 0);
        written++;
        if (i % 8 == 0) {
            tuco_yield();
        }
        ASSERT_EQ(atomic_fetch_sub(&activity, WRITER), WRITER);
        tuco_rwmutex_unlock(&rw);
    }
}

static int run_main(void *arg) {
    (void)arg;
    const int readers[] = {1, 3, 10, 5};
    for (int k = 0; k < 4; k++) {
        written = 0;
        for (int i = 0; i < 2; i++) {
            ASSERT_EQ(tuco_wg_go(&end, write_rounds, NULL), 0);
        }
        for (int i = 0; i < readers[k]; i++) {
            ASSERT_EQ(tuco_wg_go(&end, read_rounds, NULL), 0);
        }
        tuco_wg_wait(&end);
        ASSERT_EQ(written, 2L * ROUNDS);
    }
    return 0;
}

TEST(exclusion) {
    RUN(run_main);
}

TEST(exclusion_at_ten) {
    test_setenv("TUCOPROCS", "10");
    RUN(run_main);
}
