/* SPDX-License-Identifier: MIT */
/* Proves: a dial tries all addresses of the host until an address answers. If none does,
   it returns the error of the first and leaves nothing behind. */
#include "loopback.h"
#include "deaf.h"

/* ":port" has two addresses: 127.0.0.1 and ::1. */
static int second_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *l = lo_listen("tcp6", "[::1]:0");
    tuco_fd *f = lo_dial("tcp", lo_at("", l, text));
    tuco_fd *accepted = lo_accept(l);
    lo_expect_talk(f, accepted);
    ASSERT_EQ(strncmp(lo_remote(f, text), "[::1]:", 6), 0);
    lo_close(f);
    lo_close(accepted);
    lo_close(l);
    return 0;
}

TEST(the_second) {
    lo_skip_without_ipv6();
    RUN(second_main);
}

static int refused_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *f = NULL;
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    lo_at("", l, text);
    lo_close(l);
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(tuco_dial("tcp", text, TUCO_NEVER, &f), -ECONNREFUSED);
        ASSERT_EQ(tuco_dial("tcp4", text, TUCO_NEVER, &f), -ECONNREFUSED);
    }
    ASSERT_EQ(tuco_dial("unix", "@tuco-test-absent", TUCO_NEVER, &f), -ECONNREFUSED);
    ASSERT_EQ(tuco_dial("unix", "/tmp/tuco-test-absent", TUCO_NEVER, &f), -ENOENT);
    ASSERT_EQ(tuco_dial("unix", "@", TUCO_NEVER, &f), -EINVAL);
    ASSERT(f == NULL);
    return 0;
}

TEST(none) {
    int fds = test_count_fds();
    RUN(refused_main);
    ASSERT_EQ(test_count_fds(), fds);
}

/* The first address does not answer and the second fails: the error is that of the
   first. */
static int slow_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *f;
    struct deaf d = deaf_make(text);
    tuco_time deadline = tuco_deadline(10 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_dial("tcp", strrchr(text, ':'), deadline, &f), -ETIMEDOUT);
    deaf_end(&d);
    return 0;
}

TEST(no_time_for_the_second) {
    RUN(slow_main);
}
