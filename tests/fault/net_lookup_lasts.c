/* SPDX-License-Identifier: MIT */
/* Proves: if a name server does not answer, a dial still ends at its deadline, and a late
   answer is dropped; other lookups and goroutines run meanwhile. Numeric addresses and
   localhost need no lookup, nor does a dial after its deadline. */
#include "fault.h"
#include "names.h"
#include "test.h"
#include "waiting.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define DIALERS 4

/* Lookups wait until this is closed. */
static int gate[2];
static atomic_int waiting;
static atomic_bool open_gate;
static atomic_int blocks;

/* Runs in place of the C library's lookup, on the same thread. */
static int hold_lookups(enum os_fault_kind kind) {
    char byte;
    atomic_fetch_add(&blocks, (kind == OS_FAULT_ALLOC) - (kind == OS_FAULT_FREE));
    if (kind == OS_FAULT_FIND_NAME && !atomic_load(&open_gate)) {
        atomic_fetch_add(&waiting, 1);
        ASSERT_EQ(read(gate[0], &byte, 1), 0);
    }
    return 0;
}

/* Each uses another name: equal lookups are merged. */
static void dial(void *arg) {
    static atomic_int names;
    char address[32];
    (void)arg;
    tuco_fd *f = NULL;
    tuco_time deadline = tuco_deadline(10 * TUCO_MILLISECOND);
    snprintf(address, sizeof address, "name%d:9", atomic_fetch_add(&names, 1));
    ASSERT_EQ(tuco_dial("udp4", address, deadline, &f), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    ASSERT(f == NULL);
}

static void dial_late(void *arg) {
    (void)arg;
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("udp4", "late.name:9", TUCO_NEVER, &f), 0);
    ASSERT_EQ(tuco_fd_close(f), 0);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg late = {0};
    struct test_thread thread;
    for (int i = 0; i < DIALERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial, NULL), 0);
    }
    test_thread_start(&thread, dial, NULL);
    ASSERT_EQ(tuco_wg_go(&late, dial_late, NULL), 0);
    tuco_wg_wait(&wg);
    test_thread_join(&thread);
    /* A dial whose deadline passes before a thread takes its name makes no lookup. */
    while (atomic_load(&waiting) == 0) {
        tuco_yield();
    }
    test_await_waiting("IO wait", 1);
    atomic_store(&open_gate, true);
    ASSERT_EQ(close(gate[1]), 0);
    tuco_wg_wait(&late);
    test_await_alone();
    return 0;
}

TEST(lookup_lasts) {
    ASSERT_EQ(pipe(gate), 0);
    os_fault_hook = hold_lookups;
    RUN(run_main);
    test_spin(&blocks, 0); // the lookup threads free the last ones
    os_fault_hook = NULL;
    close(gate[0]);
}

TEST(not_after_the_deadline) {
    tuco_fd *f = NULL;
    test_fault_plan(OS_FAULT_FIND_NAME, 1, TEST_FAULT_ALWAYS, EIO);
    ASSERT_EQ(tuco_dial("tcp", "some.name:domain", 0, &f), -ETIMEDOUT);
    ASSERT_EQ(test_fault_calls(OS_FAULT_FIND_NAME), 0);
    ASSERT_EQ(tuco_dial("tcp", "some.name:80", TUCO_NEVER, &f), -EIO);
    ASSERT_EQ(tuco_dial("udp", "127.0.0.1:domain", TUCO_NEVER, &f), -EIO);
    ASSERT_EQ(tuco_listen("tcp", "some.name:0", &f), -EIO);
    ASSERT_EQ(test_fault_calls(OS_FAULT_FIND_NAME), 3);
}

TEST(not_for_numbers) {
    static const char *const texts[] = {"127.0.0.1:0", "[::1]:0",   ":0",
                                        "[::]:0",      "0.0.0.0:0", "localhost:0",
                                        "LocalHost.:0"};
    test_fault_plan(OS_FAULT_FIND_NAME, 1, TEST_FAULT_ALWAYS, EIO);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tuco_fd *f = NULL;
        if (tuco_listen("udp", texts[i], &f) == 0) { // fails without IPv6
            ASSERT_EQ(tuco_fd_close(f), 0);
        }
        if (tuco_dial("udp", texts[i], TUCO_NEVER, &f) == 0) {
            ASSERT_EQ(tuco_fd_close(f), 0);
        }
    }
    ASSERT_EQ(test_fault_calls(OS_FAULT_FIND_NAME), 0);
}
