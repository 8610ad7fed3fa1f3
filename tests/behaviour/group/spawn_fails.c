/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that cannot be started leaves its group as it was: its place is
   free, and the wait does not wait for it. */
/* fixed procs */
#include "contexts.h"

#define GOROUTINES 20000 /* more than one slab of descriptors */

static atomic_int ran;
static tuco_wg gate;

/* Denies memory for more descriptors while the main goroutine requests a descriptor. */
static int count(tuco_ctx *ctx, void *arg) {
    (void)ctx;
    (void)arg;
    tuco_wg_wait(&gate);
    atomic_fetch_add(&ran, 1);
    return 0;
}

static int go(tuco_group *group, bool without_memory) {
    atomic_store(&test_fault_denying, without_memory);
    int error = tuco_group_go(group, count, NULL);
    atomic_store(&test_fault_denying, 0);
    return error;
}

/* No goroutine ends before the wait, so that each needs a descriptor of its own. */
static int run_main(void *arg) {
    (void)arg;
    int started = 0;
    tuco_wg_add(&gate, 1);
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), GOROUTINES));
    while (go(group, true) == 0) {
        ASSERT_LT(++started, GOROUTINES);
    }
    ASSERT_EQ(go(group, true), -ENOMEM);
    ASSERT_EQ(go(group, false), 0);
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(atomic_load(&ran), started + 1);
    return 0;
}

TEST(without_memory) {
    test_setenv("TUCOPROCS", "1");
    os_fault_hook = test_fault_deny_reserve;
    RUN(run_main);
}

TEST(without_runtime) {
    count_blocks();
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 1));
    ASSERT_EQ(tuco_group_go(group, count, NULL), -ESRCH);
    ASSERT_EQ(tuco_group_go(group, count, NULL), -ESRCH); // its only place is free
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(blocks_held(), 0);
}
