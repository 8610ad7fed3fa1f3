/* SPDX-License-Identifier: MIT */
/* Proves: an event that occurs just as a wait for a descriptor begins, or as its deadline
   is noticed, is returned and not lost. */
#include "fault.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static int fds[2];
static int looks;
static int late_look;

/* Called before each check of the descriptor; the late check finds a byte. */
static int write_before_look(enum os_fault_kind kind) {
    if (kind == OS_FAULT_FD_READY && ++looks == late_look) {
        ASSERT_EQ(write(fds[1], "x", 1), 1);
    }
    return 0;
}

/* As write_before_look(), but just after the check. */
static int write_after_look(enum os_fault_kind kind) {
    if (kind == OS_FAULT_FD_WATCHER && ++looks == late_look) {
        ASSERT_EQ(write(fds[1], "x", 1), 1);
    }
    return 0;
}

/* If the deadline passes before the wait begins, the late check does not happen: the next
   try has a later deadline. */
static int until_deadline_main(void *arg) {
    (void)arg;
    int events = -ETIMEDOUT;
    for (tuco_duration span = TUCO_MILLISECOND; events == -ETIMEDOUT; span *= 2) {
        looks = 0;
        events = tuco_fd_wait(fds[0], POLLIN, tuco_deadline(span));
        ASSERT(events == POLLIN || looks < late_look);
    }
    ASSERT_EQ(events, POLLIN);
    return 0;
}

static int for_ever_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, TUCO_NEVER), POLLIN);
    return 0;
}

static void expect_found(os_fault_fn *hook, int look, int (*main_fn)(void *)) {
    ASSERT_EQ(pipe(fds), 0);
    late_look = look;
    os_fault_hook = hook;
    RUN(main_fn);
    os_fault_hook = NULL;
    ASSERT_GE(looks, look);
}

TEST(at_the_deadline) {
    expect_found(write_before_look, 3, until_deadline_main);
}

TEST(before_the_wait) {
    expect_found(write_before_look, 2, for_ever_main);
}

TEST(before_it_is_watched) {
    expect_found(write_after_look, 1, for_ever_main);
}

TEST(while_it_is_watched) {
    expect_found(write_after_look, 2, for_ever_main);
}
