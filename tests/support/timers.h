/* SPDX-License-Identifier: MIT */
/* timers.h: for tests that create many timers and channels. */
#ifndef TEST_TIMERS_H
#define TEST_TIMERS_H

#include "test.h"

#include <errno.h>

/* The value of expression, a pointer. NULL fails the test as -ENOMEM from a function
   would, which the fault sweep accepts. */
#define MADE(expression)                           \
    ({                                             \
        __auto_type made_ = (expression);          \
        ASSERT_EQ(made_ != NULL ? 0 : -ENOMEM, 0); \
        made_;                                     \
    })

#endif
