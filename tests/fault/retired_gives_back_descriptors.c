/* SPDX-License-Identifier: MIT */
/* Proves: a processor that is removed returns the descriptors that it kept for its next
   goroutines: as many goroutines can exist as before it was added. */
/* not under tsan */
/* fixed procs */
#include "fault.h"
#include "gate.h"

#include <errno.h>

#define PROCS    4
#define CHILDREN 20

static tuco_wg wg;
static atomic_int filled;
static atomic_int shrunk;

/* Descriptors come from reservations. */
/* Spawns until there is no memory, but at least so many. Returns the number. */
static int spawn_all(int least) {
    int spawned = 0;
    tuco_wg_add(&gate, 1);
    atomic_store(&test_fault_denying, 1);
    for (;;) {
        int error = tuco_wg_go(&wg, gate_wait, NULL);
        if (error == 0) {
            spawned++;
        } else if (spawned >= least) {
            ASSERT_EQ(error, -ENOMEM);
            break;
        } else {
            tuco_yield(); // a processor may not have stopped yet
        }
    }
    tuco_wg_done(&gate);
    atomic_store(&test_fault_denying, 0);
    tuco_wg_wait(&wg);
    return spawned;
}

/* Computes, so that each has a processor for itself, and leaves descriptors there. */
static void fill_processor(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    }
    tuco_yield();
    atomic_fetch_add(&filled, 1);
    test_spin(&shrunk, 1);
}

static int run_main(void *arg) {
    (void)arg;
    int all = spawn_all(1);
    tuco_procs(PROCS);
    for (int i = 0; i < PROCS - 1; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, fill_processor, NULL), 0);
    }
    test_await(&filled, PROCS - 1);
    tuco_procs(1);
    atomic_store(&shrunk, 1);
    tuco_wg_wait(&wg);
    spawn_all(all);
    return 0;
}

TEST(retired_gives_back_descriptors) {
    test_setenv("TUCOPROCS", "1");
    os_fault_hook = test_fault_deny_reserve;
    RUN(run_main);
    os_fault_hook = NULL;
}
