/* SPDX-License-Identifier: MIT */
/* Proves: after a try returns true, all writes before the dones are visible, and the
   group may be freed at once, as after a wait. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT  3
#define ROUNDS TEST_SIZE(2000, 400)

struct shared {
    tuco_wg wg;
    int plain[COUNT]; /* not atomic: the try orders the writes before the reads */
};

static void write_and_count_down(void *arg) {
    int *plain = arg;
    *plain = 17;
}

/* Overwritten before it is freed, so that a late touch is seen without a sanitizer too. */
static void poll_and_free(void *arg) {
    struct shared *s = calloc(1, sizeof *s);
    (void)arg;
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&s->wg, write_and_count_down, &s->plain[i]), 0);
    }
    while (!tuco_wg_try_wait(&s->wg)) {
        tuco_yield();
    }
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(s->plain[i], 17);
    }
    memset(s, 0xff, sizeof *s);
    free(s);
}

static void poll_often(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        poll_and_free(arg);
    }
}

static int run_main(void *arg) {
    poll_often(arg);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_threads) {
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(2, poll_often, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
