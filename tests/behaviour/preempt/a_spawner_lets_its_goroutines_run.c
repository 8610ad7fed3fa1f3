/* SPDX-License-Identifier: MIT */
/* Proves: with one processor, a goroutine that spawns others without end, and so is
   nearly always inside the library, yields when its slice is over. */
/* fixed procs */
#include "test.h"

/* A slice is 10 ms. */
#define CPU_MAX (80 * TUCO_MILLISECOND)
#define MOST    3000000

static tuco_time begin;
static atomic_bool ran;

/* The first goroutine checks the time: the others may run before the spawner's next
   turn. */
static void run_once(void *unused) {
    (void)unused;
    if (!atomic_exchange(&ran, true)) {
        ASSERT_LT(test_cpu_time() - begin, CPU_MAX);
    }
}

static int spawn_main(void *unused) {
    (void)unused;
    begin = test_cpu_time();
    for (int i = 0; i < MOST && !atomic_load(&ran); i++) {
        ASSERT_EQ(tuco_go(run_once, NULL), 0);
    }
    ASSERT(atomic_load(&ran));
    return 0;
}

TEST(a_spawner_lets_its_goroutines_run) {
    test_setenv("TUCOPROCS", "1");
    RUN(spawn_main);
}
