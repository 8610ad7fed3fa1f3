/* SPDX-License-Identifier: MIT */
/* Proves: the library reports the version of the headers that it was built with. */
/* fixed procs */
#include "test.h"

#include <stdio.h>

TEST(version) {
    char text[32];
    snprintf(text, sizeof(text), "%d.%d.%d", TUCO_VERSION_MAJOR, TUCO_VERSION_MINOR,
             TUCO_VERSION_PATCH);
    ASSERT_STR(TUCO_VERSION_STRING, text);
    ASSERT_STR(tuco_version(), text);
}
