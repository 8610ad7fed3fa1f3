/* SPDX-License-Identifier: MIT */
/* Proves: tuco_foreign_exit without tuco_foreign_enter ends the process with a
   message. */
#include "test.h"

static void leave_only(void *arg) {
    (void)arg;
    tuco_foreign_exit();
}

static void leave_twice(void *arg) {
    (void)arg;
    tuco_foreign_enter();
    tuco_foreign_exit();
    tuco_foreign_exit();
}

TEST(unbalanced_foreign_exit) {
    EXPECT_DEATH(leave_only, NULL, "tuco_foreign_exit without tuco_foreign_enter");
    EXPECT_DEATH(leave_twice, NULL, "tuco_foreign_exit without tuco_foreign_enter");
}
