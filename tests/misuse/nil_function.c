/* SPDX-License-Identifier: MIT */
/* Proves: spawning a NULL function ends the process with Go's message, by every way to
   spawn. */
#include "test.h"

#define MESSAGE "go of nil func value"

static int go_main(void *arg) {
    (void)arg;
    return tuco_go(NULL, NULL);
}

static int copy_main(void *arg) {
    (void)arg;
    return tuco_go_copy(NULL, "x", 1);
}

static int attr_main(void *arg) {
    (void)arg;
    return tuco_go_attr(NULL, NULL, NULL);
}

static int wg_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    return tuco_wg_go(&wg, NULL, NULL);
}

TEST(nil_function) {
    RUN_DIES(go_main, MESSAGE);
    RUN_DIES(copy_main, MESSAGE);
    RUN_DIES(attr_main, MESSAGE);
    RUN_DIES(wg_main, MESSAGE);
}
