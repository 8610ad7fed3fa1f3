/* SPDX-License-Identifier: MIT */
/* not under qemu */
/* Proves: wait groups work among plain threads, before, between and after runtimes. */
#include "test.h"

#define THREADS 4

static tuco_wg arrive;
static atomic_int passed;

static void meet(void *arg) {
    (void)arg;
    tuco_wg_done(&arrive);
    tuco_wg_wait(&arrive);
    atomic_fetch_add(&passed, 1);
}

static void expect_meeting(void) {
    atomic_store(&passed, 0);
    tuco_wg_add(&arrive, THREADS);
    test_threads_run(THREADS, meet, NULL);
    ASSERT_EQ(atomic_load(&passed), THREADS);
}

TEST(threads_alone) {
    expect_meeting();
    ASSERT_EQ(tuco_start(), 0);
    expect_meeting();
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    expect_meeting();
}

/* Threads that used the library and ended leave nothing behind, however many there
   were. */
TEST(threads_come_and_go) {
    ASSERT_EQ(tuco_start(), 0);
    expect_meeting();
    int fds = test_count_fds();
    long resident = test_resident_kib();
    for (int i = 0; i < TEST_SIZE(500, 50); i++) {
        expect_meeting();
    }
    ASSERT_EQ(test_count_fds(), fds);
    ASSERT_LE(test_resident_kib() - resident, TEST_SIZE(2048, 65536));
    ASSERT_EQ(tuco_count(), 0);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
