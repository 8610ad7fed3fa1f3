/* SPDX-License-Identifier: MIT */
/* Proves: a plain thread may call tuco_checkpoint at any time, also while the runtime
   starts and stops. ThreadSanitizer checks it. */
#include "test.h"

#define RUNS 20

static atomic_int over;
static atomic_int checked;

static void check_often(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        tuco_checkpoint();
        atomic_fetch_add(&checked, 1);
    }
}

static int run_main(void *arg) {
    (void)arg;
    int before = atomic_load(&checked);
    while (atomic_load(&checked) == before) {
        tuco_yield();
    }
    return 0;
}

TEST(checkpoint_beside_start_and_stop) {
    struct test_thread thread;
    test_thread_start(&thread, check_often, NULL);
    for (int i = 0; i < RUNS; i++) {
        RUN(run_main);
    }
    atomic_store(&over, 1);
    test_thread_join(&thread);
}
