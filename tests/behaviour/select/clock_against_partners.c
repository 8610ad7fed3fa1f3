/* SPDX-License-Identifier: MIT */
/* Proves: when the deadline of a select passes while partners arrive, one of them wins,
   and no value is lost or received twice. */
#include "chans.h"

#define VALUES  TEST_SIZE(3000, 500)
#define SENDERS 2

static tuco_wg end;
static tuco_chan *channels[2];
static tuco_chan *done;

static void send_all(void *arg) {
    int k = *(int *)arg;
    for (int i = 0; i < VALUES; i++) {
        int value = i;
        tuco_case cases[] = {TUCO_SEND(channels[k], &value), TUCO_RECV(done, NULL)};
        int chosen;
        do {
            tuco_time near = tuco_deadline((i % 13) * TUCO_MICROSECOND);
            chosen = tuco_select_until(cases, 2, near);
        } while (chosen == -ETIMEDOUT);
        ASSERT_EQ(chosen, 0);
        ASSERT_EQ(cases[0].result, 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    static int names[SENDERS] = {0, 1};
    int next[SENDERS] = {0};
    done = CHAN(int, 0);
    for (int k = 0; k < SENDERS; k++) {
        channels[k] = CHAN(int, (size_t)k);
        ASSERT_EQ(tuco_wg_go(&end, send_all, &names[k]), 0);
    }
    for (int left = SENDERS * VALUES; left > 0;) {
        int value = -1;
        tuco_case cases[] = {TUCO_RECV(channels[0], &value),
                             TUCO_RECV(channels[1], &value)};
        tuco_time near = tuco_deadline((left % 11) * TUCO_MICROSECOND);
        int chosen = tuco_select_until(cases, 2, near);
        if (chosen == -ETIMEDOUT) {
            ASSERT_EQ(value, -1);
        } else {
            ASSERT_EQ(value, next[chosen]++);
            left--;
        }
    }
    tuco_wg_wait(&end);
    for (int k = 0; k < SENDERS; k++) {
        tuco_chan_unref(channels[k]);
    }
    tuco_chan_unref(done);
    return 0;
}

TEST(clock_against_partners) {
    RUN(run_main);
}
