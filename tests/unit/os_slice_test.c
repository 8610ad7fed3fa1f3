/* SPDX-License-Identifier: MIT */
/* Proves: os_thread_shorten_slice() gives the calling thread, and no other one, the
   shortest slice that the kernel grants. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "test.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORTEST_NS 100000

/* struct sched_attr of the kernel, without what newer ones appended. */
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

static struct attributes attributes_of_this_thread(void) {
    struct attributes a = {.size = sizeof a};
    ASSERT_EQ(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0), 0);
    return a;
}

static void shorten(void *arg) {
    struct attributes *after = arg;
    os_thread_shorten_slice();
    *after = attributes_of_this_thread();
}

TEST(an_ordinary_thread_gets_the_shortest_slice) {
    struct attributes before = attributes_of_this_thread();
    if (before.policy != SCHED_OTHER || before.runtime == 0) {
        SKIP("this kernel has no slices of its own choice"); // before Linux 6.12
    }
    struct attributes after;
    struct test_thread t;
    test_thread_start(&t, shorten, &after);
    test_thread_join(&t);
    ASSERT_EQ(after.runtime, SHORTEST_NS);
    ASSERT_EQ(after.policy, SCHED_OTHER);
    ASSERT_EQ(after.nice, before.nice);
    ASSERT_EQ(attributes_of_this_thread().runtime, before.runtime);
}
