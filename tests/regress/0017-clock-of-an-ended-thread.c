/* SPDX-License-Identifier: MIT */
/* Proves: the CPU time of a thread that has ended and been joined reads as 0, without a
   crash. */
/*
 * Bug. Sysmon reads the CPU time of the thread that holds a P, by the C library's handle,
 * without a lock. Meanwhile the thread could end and the starter could join it, which
 * freed the memory that the handle points to.
 *
 * Fix. Sysmon uses the kernel's number of the thread: os_thread_cpu() finds no thread, or
 * another thread of the same process.
 *
 * Fails without it: it took a handle.
 */
#include "os/os.h"
#include "test.h"

static atomic_int number;
static atomic_int may_end;

static void live(void *arg) {
    (void)arg;
    while (os_thread_cpu(os_thread_number()) == 0) {
    }
    atomic_store(&number, os_thread_number());
    test_spin(&may_end, 1);
}

TEST(clock_of_an_ended_thread) {
    struct test_thread thread;
    test_thread_start(&thread, live, NULL);
    while (atomic_load(&number) == 0) {
        sched_yield();
    }
    int of_thread = atomic_load(&number);
    ASSERT_GT(os_thread_cpu(of_thread), 0);
    atomic_store(&may_end, 1);
    test_thread_join(&thread);
    while (os_thread_cpu(of_thread) != 0) { // the kernel forgets it a moment later
        sched_yield();
    }
}

TEST(numbers_of_no_thread) {
    for (int i = -1; i <= 0; i++) {
        ASSERT_EQ(os_thread_cpu(i), 0);
    }
    ASSERT_EQ(os_thread_cpu(1), 0); // of another process
}
