/* SPDX-License-Identifier: MIT */
/* Proves: a select accepts TUCO_SELECT_MAX cases, ready or waiting, and refuses one more
   (SE-21). */
#include "chans.h"

#include <stdlib.h>

_Static_assert(TUCO_SELECT_MAX == 65536, "the documented limit");

static tuco_wg end;

static tuco_case *cases_on(tuco_chan *c, size_t count) {
    tuco_case *cases = calloc(count, sizeof(*cases));
    ASSERT(cases != NULL);
    for (size_t i = 0; i < count; i++) {
        cases[i] = (tuco_case)TUCO_RECV(c, NULL);
    }
    return cases;
}

static void select_most(void *c) {
    tuco_case *cases = cases_on(c, TUCO_SELECT_MAX);
    int chosen = tuco_select(cases, TUCO_SELECT_MAX);
    ASSERT_GE(chosen, 0);
    ASSERT_LT(chosen, TUCO_SELECT_MAX);
    ASSERT_EQ(cases[chosen].result, -EPIPE);
    free(cases);
}

static int most_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, select_most, c), 0);
    while (test_waiting() < 1 && tuco_count() > 1) {
        tuco_yield();
    }
    tuco_chan_close(c);
    tuco_wg_wait(&end);
    select_most(c);
    tuco_case *cases = cases_on(c, TUCO_SELECT_MAX + 1);
    ASSERT_EQ(tuco_select(cases, TUCO_SELECT_MAX + 1), -EINVAL);
    ASSERT_EQ(tuco_select_until(cases, TUCO_SELECT_MAX + 1, 0), -EINVAL);
    ASSERT_EQ(tuco_select(cases, SIZE_MAX), -EINVAL);
    free(cases);
    tuco_chan_unref(c);
    return 0;
}

TEST(most_cases) {
    RUN(most_main);
}
