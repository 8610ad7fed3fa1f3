/* SPDX-License-Identifier: MIT */
/* Proves: calls that the function defers run at the end of the goroutine, before the
   calls that the goroutine deferred earlier; the once is done before they run. */
#include "test.h"

static tuco_once once;
static tuco_wg end;
static int order[3];
static int made;

static void note(void *arg) {
    order[made++] = (int)(intptr_t)arg;
}

static void call(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(note, (void *)2), 0);
    ASSERT_EQ(tuco_defer(note, (void *)3), 0);
}

static void use(void *arg) {
    ASSERT_EQ(tuco_defer(note, (void *)1), 0);
    tuco_once_do(&once, call, arg);
    tuco_once_do(&once, call, arg); // done although its deferred calls have not run yet
    ASSERT_EQ(made, 0);
}

static int run_main(void *arg) {
    ASSERT_EQ(tuco_wg_go(&end, use, arg), 0);
    tuco_wg_wait(&end);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(order[i], 3 - i);
    }
    return 0;
}

TEST(defers_of_the_function) {
    RUN(run_main);
}
