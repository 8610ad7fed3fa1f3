/* SPDX-License-Identifier: MIT */
/* waiting.h: for tests that need other goroutines to be parked before they continue. */
#ifndef TEST_WAITING_H
#define TEST_WAITING_H

#include "test.h"

#include <stdio.h>

/* Called on a goroutine: yields until count goroutines wait for that reason, a text of
   src/sched/wait_reasons.def. */
static inline void test_await_waiting(const char *reason, int count) {
    char text[64];
    snprintf(text, sizeof text, "[%s", reason);
    while (test_occurrences(test_dump(), text) < count) {
        tuco_yield();
    }
}

#endif
