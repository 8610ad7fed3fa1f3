/* SPDX-License-Identifier: MIT */
/* Proves: a runtime with 1024 processors works, and shrinks to one and grows again while
   goroutines are queued. */
/* fixed procs */
#include "test.h"

#define MOST  1024
#define COUNT TEST_SIZE(5000, 2000)

static atomic_int ran;

static void work(void *arg) {
    (void)arg;
    tuco_yield();
    atomic_fetch_add(&ran, 1);
}

static void work_all(int procs) {
    tuco_wg wg = {0};
    int before = atomic_load(&ran);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, work, NULL), 0);
    }
    tuco_procs(procs);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&ran) - before, COUNT);
    ASSERT_EQ(tuco_procs(0), procs);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), MOST);
    work_all(MOST);
    work_all(1);
    work_all(MOST);
    work_all(3);
    return 0;
}

TEST(from_the_environment) {
    test_setenv("TUCOPROCS", "1024");
    RUN(run_main);
}

TEST(from_the_configuration) {
    tuco_config config = {.procs = MOST};
    test_setenv("TUCOPROCS", NULL);
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
