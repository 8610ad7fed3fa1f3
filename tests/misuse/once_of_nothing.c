/* SPDX-License-Identifier: MIT */
/* Proves: tuco_once_do() with a NULL function ends the process with a message. */
#include "test.h"

static void do_nothing(void *arg) {
    tuco_once o = {0};
    tuco_once_do(&o, NULL, arg);
}

TEST(once_of_nothing) {
    EXPECT_DEATH(do_nothing, NULL, "fatal error: once of nil func value");
}
