/* SPDX-License-Identifier: MIT */
/* Proves: the dump of a goroutine without memory for a stack shows what it waits for, and
   not where an earlier goroutine waited. */
/* fixed procs */
/*
 * Bug. The descriptor holds the place of a wait, and descriptors are reused. A goroutine
 * that waits for stack memory has not called anything yet, but the dump showed the place
 * where the previous owner of its descriptor had waited.
 *
 * Fix. Such a goroutine has its own wait reason and no place.
 *
 * Fails without it: there is one processor, so that the descriptor freed last is taken
 * first, and its owner waited for the gate.
 */
#include "fault.h"
#include "gate.h"

#include <errno.h>
#include <string.h>

#define STACK_BYTES ((size_t)1024 * 1024) /* not the size that processors keep */

static tuco_wg wg;

static void done(void *arg) {
    (void)arg;
    tuco_wg_done(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_attr attr = {.name = "large", .stack_size = STACK_BYTES};
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_wg_go(&wg, gate_wait, NULL), 0);
    test_await(&gate_reached, 1);
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    atomic_store(&test_fault_denying, 1);
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_attr(&attr, done, NULL), 0);
    const char *dump;
    do { // it is runnable for a moment at each retry
        tuco_yield();
        dump = test_dump();
    } while (strstr(dump, "[runnable]") != NULL);
    ASSERT_HAS(dump, "[waiting for stack memory] {name: large}:\ncreated by ");
    atomic_store(&test_fault_denying, 0);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(dump_of_the_starved) {
    os_fault_hook = test_fault_deny_reserve;
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
