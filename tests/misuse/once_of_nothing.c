/* SPDX-License-Identifier: MIT */
/* Proves: doing nothing once, by a NULL function, ends the process. */
#include "test.h"

static void do_nothing(void *arg) {
    tuco_once o = {0};
    tuco_once_do(&o, NULL, arg);
}

TEST(once_of_nothing) {
    EXPECT_DEATH(do_nothing, NULL, "fatal error: once of nil func value");
}
