/* SPDX-License-Identifier: MIT */
/* Proves: TUCO_CHAN gives every operation on a channel the type of its values. */
#include "chans.h"

struct point {
    double x;
    double y;
};

TUCO_CHAN(point, struct point);
TUCO_CHAN(text, const char *);

static tuco_wg end;

static void mirror(void *arg) {
    point_chan *c = arg;
    struct point p;
    ASSERT_EQ(point_recv(c, &p), 0);
    ASSERT_EQ(point_send(c, (struct point){-p.x, -p.y}), 0);
}

static int points_main(void *arg) {
    (void)arg;
    point_chan *c = point_make(0);
    ASSERT_EQ(c != NULL ? 0 : -ENOMEM, 0);
    struct point p = {0, 0};
    ASSERT_EQ(point_try_send(c, p), -EAGAIN);
    ASSERT_EQ(point_try_recv(c, &p), -EAGAIN);
    ASSERT_EQ(tuco_wg_go(&end, mirror, c), 0);
    ASSERT_EQ(point_send_until(c, (struct point){1.5, 2.5}, TUCO_NEVER), 0);
    ASSERT_EQ(point_recv_until(c, &p, TUCO_NEVER), 0);
    ASSERT(p.x == -1.5 && p.y == -2.5);
    tuco_wg_wait(&end);
    point_close(c);
    ASSERT_EQ(point_recv(c, &p), -EPIPE);
    ASSERT(p.x == 0 && p.y == 0);
    ASSERT_EQ(point_send(c, p), -EPIPE);
    point_unref(c);
    return 0;
}

TEST(typed_points) {
    RUN(points_main);
}

TEST(typed_texts) {
    text_chan *c = text_make(2);
    ASSERT_EQ(c != NULL ? 0 : -ENOMEM, 0);
    ASSERT(text_ref(c) == c);
    text_unref(c);
    const char *got = NULL;
    ASSERT_EQ(text_send(c, "one"), 0);
    const char *two = "two";
    tuco_case cases[] = {TUCO_SEND(c, &two), TUCO_DEFAULT};
    ASSERT_EQ(tuco_select(cases, 2), 0);
    ASSERT_EQ(text_len(c), 2);
    ASSERT_EQ(text_cap(c), 2);
    ASSERT_EQ(tuco_chan_len(text_raw(c)), 2);
    ASSERT_EQ(text_try_send(c, "three"), -EAGAIN);
    ASSERT_EQ(text_try_recv(c, &got), 0);
    ASSERT_STR(got, "one");
    cases[0] = (tuco_case)TUCO_RECV(c, &got);
    ASSERT_EQ(tuco_select(cases, 2), 0);
    ASSERT_STR(got, "two");
    text_unref(c);
}
