/* SPDX-License-Identifier: MIT */
/* Proves: the poller reports each change to ready once, can be woken, never ends a wait
   early and is less than a millisecond late, on new and old kernels, and returns errors
   without leaks. */
#include "fault.h"
#include "test.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct os_poll poller;
static struct os_poll_event events[OS_POLL_EVENTS_MAX];
static int ends[2];

static void set_up(void) {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    ASSERT_EQ(os_poll_make(&poller), 0);
}

static int look(void) {
    return os_poll_wait(&poller, events, OS_POLL_EVENTS_MAX, 0);
}

TEST(tells_each_edge_once) {
    set_up();
    ASSERT_EQ(os_poll_add(&poller, ends[0], 7), 0);
    ASSERT_EQ(look(), 1);
    ASSERT_EQ(events[0].token, 7);
    ASSERT_EQ(events[0].events, OS_POLL_WRITE);
    ASSERT_EQ(look(), 0);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    ASSERT_EQ(look(), 1);
    ASSERT_EQ(events[0].events, OS_POLL_READ | OS_POLL_WRITE);
    ASSERT_EQ(look(), 0);
    close(ends[1]);
    ASSERT_EQ(look(), 1);
    ASSERT_EQ(events[0].events, OS_POLL_READ | OS_POLL_WRITE | OS_POLL_MORE);
    os_poll_free(&poller);
}

TEST(removed_is_silent) {
    set_up();
    ASSERT_EQ(os_poll_add(&poller, ends[0], 7), 0);
    ASSERT_EQ(os_poll_add(&poller, ends[0], 8), -EEXIST);
    os_poll_remove(&poller, ends[0]);
    os_poll_remove(&poller, ends[0]);
    ASSERT_EQ(look(), 0);
    ASSERT_EQ(os_poll_add(&poller, ends[0], 9), 0);
    ASSERT_EQ(look(), 1);
    ASSERT_EQ(events[0].token, 9);
    os_poll_free(&poller);
}

TEST(some_cannot_be_watched) {
    set_up();
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    ASSERT_EQ(os_poll_add(&poller, file, 1), -EPERM);
    close(file);
    ASSERT_EQ(os_poll_add(&poller, file, 1), -EBADF);
    os_poll_free(&poller);
}

static void wait_for_ever(void *arg) {
    (void)arg;
    ASSERT_EQ(os_poll_wait(&poller, events, OS_POLL_EVENTS_MAX, OS_NEVER), 0);
}

TEST(wakes) {
    struct test_thread t;
    set_up();
    for (int i = 0; i < 100; i++) {
        test_thread_start(&t, wait_for_ever, NULL);
        os_poll_wake(&poller); // before or during the wait
        test_thread_join(&t);
    }
    os_poll_wake(&poller);
    os_poll_wake(&poller);
    ASSERT_EQ(look(), 0);
    os_poll_free(&poller);
}

/* Takes the best of several tries: other processes may have the CPU in the rest. */
static void expect_precise(void) {
    int64_t least_ns = INT64_MAX;
    set_up();
    for (int i = 0; i < 50; i++) {
        int64_t deadline_ns = os_now() + 200000;
        ASSERT_EQ(os_poll_wait(&poller, events, OS_POLL_EVENTS_MAX, deadline_ns), 0);
        int64_t late_ns = os_now() - deadline_ns;
        ASSERT_GE(late_ns, 0);
        least_ns = late_ns < least_ns ? late_ns : least_ns;
    }
    ASSERT_LT(least_ns, 500000); // a timeout in milliseconds would be later
    ASSERT_EQ(os_poll_wait(&poller, events, OS_POLL_EVENTS_MAX, 1), 0);
    ASSERT_EQ(os_poll_add(&poller, ends[0], 7), 0);
    ASSERT_EQ(os_poll_wait(&poller, events, OS_POLL_EVENTS_MAX, OS_NEVER), 1);
    os_poll_free(&poller);
}

TEST(keeps_deadlines) {
    expect_precise();
}

TEST(keeps_deadlines_on_old_kernels) {
    test_fault_plan(OS_FAULT_POLL_PRECISE, 1, TEST_FAULT_ALWAYS, ENOSYS);
    expect_precise();
    ASSERT_EQ(test_fault_calls(OS_FAULT_POLL_PRECISE), 1);
}

TEST(failures_leave_nothing) {
    int before = test_count_fds();
    for (int call = 1; call <= 2; call++) {
        test_fault_plan(OS_FAULT_POLL_MAKE, call, 1, EMFILE);
        ASSERT_EQ(os_poll_make(&poller), -EMFILE);
        ASSERT_EQ(test_count_fds(), before);
    }
    test_fault_clear();
    set_up();
    test_fault_plan(OS_FAULT_POLL_ADD, 1, 1, ENOSPC);
    ASSERT_EQ(os_poll_add(&poller, ends[0], 7), -ENOSPC);
    ASSERT_EQ(os_poll_add(&poller, ends[0], 7), 0);
    test_fault_plan(OS_FAULT_POLL_WAIT, 1, 1, EINTR);
    ASSERT_EQ(look(), 0);
    ASSERT_EQ(look(), 1);
    os_poll_free(&poller);
}
