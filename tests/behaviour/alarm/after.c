/* SPDX-License-Identifier: MIT */
/* Proves: the channel of tuco_after gets one value, not before its time, and the value is
   the time at which it was sent, not that at which it is received. (TM-04, TM-15) */
#include "timers.h"

#define SPAN     (100 * TUCO_MILLISECOND)
#define SHORT    (10 * TUCO_MILLISECOND)
#define UNREAD   (500 * TUCO_MILLISECOND)
#define IN_A_ROW 10
#define MAX      (30 * TUCO_SECOND)

static int one_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_time value = 0;
    tuco_chan *c = MADE(tuco_after(SPAN));
    ASSERT_EQ(tuco_chan_recv(c, &value), 0);
    ASSERT_GE(tuco_now() - begin, SPAN);
    ASSERT_GE(value, begin + SPAN);
    ASSERT_LE(value, tuco_now());
    ASSERT_EQ(tuco_chan_try_recv(c, &value), -EAGAIN);
    tuco_chan_unref(c);
    return 0;
}

TEST(not_before_its_time) {
    RUN(one_main);
}

static int row_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    for (int i = 0; i < IN_A_ROW; i++) {
        tuco_chan *c = MADE(tuco_after(SHORT));
        ASSERT_EQ(tuco_chan_recv(c, NULL), 0);
        tuco_chan_unref(c);
    }
    ASSERT_GE(tuco_now() - begin, IN_A_ROW * SHORT);
    ASSERT_LT(tuco_now() - begin, MAX);
    return 0;
}

TEST(one_after_the_other) {
    RUN(row_main);
}

/* How late a timer fires depends on the load of the machine. So its time of firing is
   compared with that of another timer, whose value is received at once. */
static int unread_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_time read_late;
    tuco_time read_at_once;
    tuco_chan *late = MADE(tuco_after(SHORT));
    tuco_chan *at_once = MADE(tuco_after(SHORT));
    ASSERT_EQ(tuco_chan_recv(at_once, &read_at_once), 0);
    tuco_sleep_until(tuco_now() + UNREAD);
    ASSERT_EQ(tuco_chan_recv(late, &read_late), 0);
    ASSERT_GE(read_late, begin + SHORT);
    ASSERT_LT(read_late, read_at_once + UNREAD);
    tuco_chan_unref(late);
    tuco_chan_unref(at_once);
    return 0;
}

TEST(value_is_when_it_fired) {
    RUN(unread_main);
}
