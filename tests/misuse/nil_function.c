/* SPDX-License-Identifier: MIT */
/* Proves: every way to spawn a NULL function ends the process with Go's message; so does
   running or deferring it, already at that call. */
#include "test.h"

#include <unistd.h>

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

static void run(void *arg) {
    (void)arg;
    (void)tuco_run(NULL, NULL);
}

static int run_again_main(void *arg) {
    (void)arg;
    return tuco_run(NULL, NULL);
}

TEST(nil_main) {
    EXPECT_DEATH(run, NULL, "fatal error: " MESSAGE);
    RUN_DIES(run_again_main, "fatal error: " MESSAGE);
}

static void defer(void *arg) {
    (void)arg;
    (void)tuco_defer(NULL, NULL);
}

/* Exits before the deferred call, so that only the check in tuco_defer() can report. */
static int defer_main(void *arg) {
    (void)arg;
    defer(NULL);
    _exit(0);
}

TEST(nil_deferred) {
    RUN_DIES(defer_main, "fatal error: defer of nil func value");
    RUN_DIES(defer_main, "goroutine 1 [running]:");
    EXPECT_DEATH(defer, NULL, "fatal error: defer of nil func value");
}
