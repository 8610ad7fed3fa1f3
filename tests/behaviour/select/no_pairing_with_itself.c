/* SPDX-License-Identifier: MIT */
/* Proves: a select that sends to a channel and receives from it is never its own partner,
   but pairs with another such select (SE-05). */
#include "chans.h"

static int alone_main(void *arg) {
    (void)arg;
    int value = 1;
    tuco_chan *c = CHAN(int, 0);
    tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(c, &value),
                         TUCO_SEND(c, &value)};
    return tuco_select(cases, 3);
}

static int alone_default_main(void *arg) {
    (void)arg;
    int value = 1;
    tuco_chan *c = CHAN(int, 0);
    tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(c, &value), TUCO_DEFAULT};
    for (int i = 0; i < 1000; i++) {
        ASSERT_EQ(tuco_select(cases, 3), 2);
    }
    tuco_chan_unref(c);
    return 0;
}

TEST(alone) {
    RUN_DIES(alone_main, "goroutine 1 [select]");
    RUN(alone_default_main);
}

#define ROUNDS TEST_SIZE(5000, 500)

static tuco_wg end;
static tuco_chan *c;
static atomic_int sends;
static atomic_int receives;

static void meet(void *arg) {
    int mine = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int value = mine;
        int got = -1;
        tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(c, &got)};
        if (tuco_select(cases, 2) == 0) {
            ASSERT_EQ(got, -1);
            atomic_fetch_add(&sends, 1);
        } else {
            ASSERT_EQ(got, 1 - mine);
            atomic_fetch_add(&receives, 1);
        }
    }
}

static int two_main(void *arg) {
    (void)arg;
    static int names[] = {0, 1};
    c = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, meet, &names[0]), 0);
    ASSERT_EQ(tuco_wg_go(&end, meet, &names[1]), 0);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&sends), ROUNDS);
    ASSERT_EQ(atomic_load(&receives), ROUNDS);
    tuco_chan_unref(c);
    return 0;
}

TEST(two_of_a_kind) {
    RUN(two_main);
}
