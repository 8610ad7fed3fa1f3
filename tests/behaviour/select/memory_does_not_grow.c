/* SPDX-License-Identifier: MIT */
/* Proves: selects that wait leave no memory behind (SE-19). */
/* not under qemu */
#include "chans.h"
#include "fault.h"

#define SELECTS        TEST_SIZE(100000, 5000)
#define GROWTH_MAX_KIB TEST_SIZE(110, 16 * 1024)
#define OTHERS         20 /* for threads that the runtime may start meanwhile */

static tuco_wg end;

static void send_all(void *c) {
    for (int i = 0; i < SELECTS; i++) {
        test_send(c, i);
    }
}

static void select_all(tuco_chan *c, tuco_chan *never) {
    ASSERT_EQ(tuco_wg_go(&end, send_all, c), 0);
    for (int i = 0; i < SELECTS; i++) {
        int value = -1;
        tuco_case cases[] = {TUCO_RECV(never, &value), TUCO_RECV(c, &value)};
        ASSERT_EQ(tuco_select(cases, 2), 1);
        ASSERT_EQ(value, i);
    }
    tuco_wg_wait(&end);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 0);
    tuco_chan *never = CHAN(int, 0);
    select_all(c, never);
    long resident = test_resident_kib();
    int allocated = test_fault_calls(OS_FAULT_ALLOC);
    select_all(c, never);
    ASSERT_LE(test_fault_calls(OS_FAULT_ALLOC), allocated + OTHERS);
    ASSERT_LE(test_resident_kib() - resident, GROWTH_MAX_KIB);
    tuco_chan_unref(c);
    tuco_chan_unref(never);
    return 0;
}

TEST(memory_does_not_grow) {
    test_fault_plan(OS_FAULT_ALLOC, 1, 0, ENOMEM);
    RUN(run_main);
}
