/* SPDX-License-Identifier: MIT */
/* Proves: a select with invalid cases returns -EINVAL and does no operation. */
#include "chans.h"

TEST(bad_cases) {
    tuco_chan *c = CHAN(int, 1);
    tuco_case cases[] = {TUCO_SEND(c, &(int){1}), TUCO_DEFAULT, TUCO_DEFAULT};
    ASSERT_EQ(tuco_select(cases, 3), -EINVAL); // two defaults
    cases[2] = (tuco_case){0};
    ASSERT_EQ(tuco_select(cases, 3), -EINVAL); // made by no macro
    ASSERT_EQ(tuco_chan_len(c), 0);
    ASSERT_EQ(tuco_select(cases, 2), 0);
    tuco_chan_unref(c);
}
