/* SPDX-License-Identifier: MIT */
/* reports.h: main goroutines that end their process with a report, one for each kind. */
#ifndef TEST_REPORTS_H
#define TEST_REPORTS_H

#include "test.h"

#define REPORT_FRAME_BYTES 512

/* Overflows the stack. volatile: the compiler must not see that the recursion never
   ends. */
__attribute__((noinline)) static int report_recurse(int depth) {
    static volatile bool deeper = true;
    volatile char frame[REPORT_FRAME_BYTES];
    frame[depth % REPORT_FRAME_BYTES] = (char)depth;
    return deeper ? report_recurse(depth + 1) + frame[depth % REPORT_FRAME_BYTES] : 0;
}

static inline int report_overflow_main(void *arg) {
    (void)arg;
    return report_recurse(0);
}

static inline int report_misuse_main(void *arg) {
    (void)arg;
    tuco_chan_close(NULL);
    return 0;
}

static inline int report_deadlock_main(void *arg) {
    (void)arg;
    tuco_wg never = {0};
    tuco_wg_add(&never, 1);
    tuco_wg_wait(&never);
    return 0;
}

#endif
