/* SPDX-License-Identifier: MIT */
/* Proves: a dial with a past deadline returns -ETIMEDOUT at once and connects to no
   listener. A dial to an address that does not answer ends at its deadline and not
   before. The longest deadlines do not overflow. After the dial its deadline has no
   effect (NP-23). */
#include "loopback.h"
#include "deaf.h"

static const tuco_time past[] = {0, 1, -1, -5 * TUCO_SECOND, INT64_MIN, INT64_MIN + 1};

static tuco_fd *const untouched = (tuco_fd *)&past;

static int past_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *f = untouched;
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    tuco_fd *u = lo_listen("unix", "@");
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        ASSERT_EQ(tuco_dial("tcp", lo_local(l, text), past[i], &f), -ETIMEDOUT);
        ASSERT_EQ(tuco_dial("unix", lo_local(u, text), past[i], &f), -ETIMEDOUT);
        ASSERT_EQ(tuco_dial("tcp", "localhost:1", past[i], &f), -ETIMEDOUT);
    }
    ASSERT(f == untouched);
    ASSERT_EQ(tuco_fd_set_deadline(l, tuco_deadline(5 * TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_accept(l, &f), -ETIMEDOUT);
    lo_close(l);
    lo_close(u);
    return 0;
}

TEST(in_the_past) {
    RUN(past_main);
}

static int deaf_main(void *arg) {
    (void)arg;
    char address[LO_TEXT];
    tuco_fd *f = untouched;
    struct deaf d = deaf_make(address);
    for (tuco_time ms = 0; ms <= 20; ms += 5) {
        tuco_time deadline = tuco_deadline(ms * TUCO_MILLISECOND + 1);
        ASSERT_EQ(tuco_dial("tcp", address, deadline, &f), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
    ASSERT(f == untouched);
    deaf_end(&d);
    return 0;
}

TEST(no_answer) {
    int fds = test_count_fds();
    RUN(deaf_main);
    ASSERT_EQ(test_count_fds(), fds);
}

static int far_main(void *arg) {
    (void)arg;
    static const tuco_time far[] = {TUCO_NEVER, TUCO_NEVER - 1, TUCO_NEVER / 2};
    char text[LO_TEXT];
    tuco_fd *f = NULL;
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        ASSERT_EQ(tuco_dial("tcp", lo_local(l, text), far[i], &f), 0);
        lo_close(f);
        lo_close(lo_accept(l));
    }
    lo_close(l);
    return 0;
}

TEST(far_away) {
    RUN(far_main);
}

static int after_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *f = NULL;
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    tuco_time deadline = tuco_deadline(200 * TUCO_MILLISECOND);
    int rc = tuco_dial("tcp", lo_local(l, text), deadline, &f);
    if (rc == -ETIMEDOUT) {
        SKIP("The machine is too busy to connect within the deadline.");
    }
    ASSERT_EQ(rc, 0);
    tuco_fd *accepted = lo_accept(l);
    tuco_sleep_until(deadline); // a past deadline must have no effect
    lo_expect_talk(f, accepted);
    lo_expect_talk(accepted, f);
    lo_close(f);
    lo_close(accepted);
    lo_close(l);
    return 0;
}

TEST(afterwards) {
    RUN(after_main);
}
