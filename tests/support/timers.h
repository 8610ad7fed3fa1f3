/* SPDX-License-Identifier: MIT */
/* timers.h: for tests that make timers and channels by the dozen. */
#ifndef TEST_TIMERS_H
#define TEST_TIMERS_H

#include "test.h"

#include <errno.h>

/* The pointer that the expression gives; NULL fails the test as -ENOMEM from a function
   would, which the sweep of faults takes for an answer. */
#define MADE(expression)                           \
    ({                                             \
        __auto_type made_ = (expression);          \
        ASSERT_EQ(made_ != NULL ? 0 : -ENOMEM, 0); \
        made_;                                     \
    })

#endif
