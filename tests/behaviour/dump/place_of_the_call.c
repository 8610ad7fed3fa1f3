/* SPDX-License-Identifier: MIT */
/* Proves: the dump names the function that waits and the place in it, even if the call is
   its last instruction. */
#include "chans.h"

/* Not static: the dump finds only global names. */
void wait_in_last_call(void *arg);

/* Waits for ever: the return address of the call belongs to the next function. */
void wait_in_last_call(void *arg) {
    (void)arg;
    tuco_chan_recv(NULL, NULL);
    __builtin_unreachable();
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(wait_in_last_call, NULL), 0);
    test_await_waiting(1);
    ASSERT_MATCH(test_dump(), "^wait_in_last_call\\(\\.\\.\\.\\)\n"
                              "\twait_in_last_call\\+0x[0-9a-f]+$");
    return 0;
}

TEST(place_of_the_call) {
    RUN(run_main);
}
