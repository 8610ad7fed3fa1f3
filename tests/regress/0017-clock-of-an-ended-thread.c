/* SPDX-License-Identifier: MIT */
/* Proves: what is asked of a thread that has ended and been joined is not told, and nothing
   worse. */
/*
 * Bug. The monitor asks for the CPU time of the thread that holds a P, by the C library's
 * handle, without a lock. The thread could end in between, be joined by the starter and its
 * memory be given back, where the handle pointed to.
 *
 * Fix. The kernel is asked by its own number of the thread: os_thread_cpu() and
 * os_thread_look() find none, or another thread of the same process.
 *
 * Fails without it: they took a handle.
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
    ASSERT_GT(os_thread_look(of_thread).cpu_ns, 0);
    ASSERT(!os_thread_look(of_thread).untold);
    atomic_store(&may_end, 1);
    test_thread_join(&thread);
    while (os_thread_cpu(of_thread) != 0) { // the kernel forgets it a moment later
        sched_yield();
    }
    ASSERT(os_thread_look(of_thread).untold);
}

TEST(numbers_of_no_thread) {
    for (int i = -1; i <= 0; i++) {
        ASSERT_EQ(os_thread_cpu(i), 0);
        ASSERT(os_thread_look(i).untold);
    }
    ASSERT_EQ(os_thread_cpu(1), 0); // of another process
}
