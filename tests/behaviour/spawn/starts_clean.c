/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine begins with errno 0, also one that takes over the stack
   of a goroutine that has just ended. */
/* fixed procs */
#include "test.h"

#include <errno.h>

#define ROUNDS 50

static tuco_wg end;

/* Out of line: a compiler may keep the address of errno across a call. */
__attribute__((noinline)) static int get_errno(void) {
    return errno;
}

__attribute__((noinline)) static void set_errno(int value) {
    errno = value;
}

static void begin_and_leave_traces(void *arg) {
    (void)arg;
    ASSERT_EQ(get_errno(), 0);
    set_errno(EDOM);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, begin_and_leave_traces, NULL), 0);
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(starts_clean) {
    test_setenv("TUCOPROCS", "1");
    set_errno(ERANGE);
    RUN(run_main);
}
