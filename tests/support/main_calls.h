/* SPDX-License-Identifier: MIT */
/* main_calls.h: a main that counts its calls, for tests of settings that are refused. */
#ifndef TEST_MAIN_CALLS_H
#define TEST_MAIN_CALLS_H

#include "test.h"

static int main_calls;

static int main_calls_count(void *arg) {
    (void)arg;
    main_calls++;
    return 0;
}

#endif
