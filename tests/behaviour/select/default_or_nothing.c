/* SPDX-License-Identifier: MIT */
/* Proves: a select with only a default chooses it; a select without cases blocks for ever
   (SE-01). */
#include "chans.h"

static int default_main(void *arg) {
    (void)arg;
    tuco_case cases[] = {TUCO_DEFAULT};
    cases[0].result = 1;
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(tuco_select(cases, 1), 0);
        ASSERT_EQ(cases[0].result, 0);
        ASSERT_EQ(tuco_select_until(cases, 1, TUCO_NEVER), 0);
        ASSERT_EQ(tuco_select_until(cases, 1, 0), 0);
    }
    return 0;
}

TEST(default_alone) {
    RUN(default_main);
    default_main(NULL); // a plain thread, without a runtime
}

static int nothing_main(void *arg) {
    (void)arg;
    return tuco_select(NULL, 0);
}

static int nothing_until_never_main(void *arg) {
    (void)arg;
    return tuco_select_until(NULL, 0, TUCO_NEVER);
}

TEST(no_cases) {
    RUN_DIES(nothing_main, "goroutine 1 [select (no cases)]");
    RUN_DIES(nothing_until_never_main, "all goroutines are asleep - deadlock!");
}
