/* SPDX-License-Identifier: MIT */
/* Proves: a case with a NULL channel is never chosen: the select chooses the default or
   another case, or blocks for ever (SE-02). */
#include "chans.h"

static int value = -1;

static int recv_main(void *arg) {
    (void)arg;
    tuco_case cases[] = {TUCO_RECV(NULL, &value)};
    return tuco_select(cases, 1);
}

static int send_main(void *arg) {
    (void)arg;
    tuco_case cases[] = {TUCO_SEND(NULL, &value)};
    return tuco_select(cases, 1);
}

static int both_main(void *arg) {
    (void)arg;
    tuco_case cases[] = {TUCO_SEND(NULL, &value), TUCO_RECV(NULL, &value)};
    return tuco_select(cases, 2);
}

TEST(null_alone_blocks) {
    RUN_DIES(recv_main, "goroutine 1 [select]");
    RUN_DIES(send_main, "goroutine 1 [select]");
    RUN_DIES(both_main, "goroutine 1 [select]");
}

static int others_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 1);
    tuco_case with_default[] = {TUCO_RECV(NULL, &value), TUCO_DEFAULT,
                                TUCO_SEND(NULL, &value)};
    tuco_case with_other[] = {TUCO_RECV(NULL, &value), TUCO_SEND(NULL, &value),
                              TUCO_SEND(c, &value)};
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(tuco_select(with_default, 3), 1);
        ASSERT_EQ(tuco_select_until(with_default, 1, 0), -ETIMEDOUT);
        with_other[2] = (tuco_case)TUCO_SEND(c, &i);
        ASSERT_EQ(tuco_select(with_other, 3), 2);
        ASSERT_EQ(test_recv(c), i);
    }
    ASSERT_EQ(value, -1);
    tuco_chan_unref(c);
    return 0;
}

TEST(null_beside_others) {
    RUN(others_main);
}
