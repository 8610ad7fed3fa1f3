/* SPDX-License-Identifier: MIT */
/* Proves: foreign threads listen, accept and dial like goroutines. Without a runtime, a
   call that would have to wait returns -ESRCH, and all others work. */
#include "loopback.h"
#include "deaf.h"

#define THREADS 4

static tuco_fd *listener;
static char address[LO_TEXT];

static void dial_and_talk(void *arg) {
    (void)arg;
    char byte = 0;
    tuco_fd *f = lo_dial("tcp", address);
    ASSERT_EQ(tuco_fd_read(f, &byte, 1), 1);
    lo_close(f);
}

static void accept_and_talk(void *arg) {
    (void)arg;
    tuco_fd *f = lo_accept(listener);
    ASSERT_EQ(tuco_fd_write(f, "x", 1), 1);
    lo_close(f);
}

static void both(void *arg) {
    if (arg != NULL) {
        accept_and_talk(NULL);
    } else {
        dial_and_talk(NULL);
    }
}

TEST(with_a_runtime) {
    struct test_thread threads[2 * THREADS];
    ASSERT_EQ(tuco_start(), 0);
    listener = lo_listen("tcp", "127.0.0.1:0");
    lo_local(listener, address);
    for (int i = 0; i < 2 * THREADS; i++) {
        test_thread_start(&threads[i], both, i % 2 == 0 ? listener : NULL);
    }
    for (int i = 0; i < 2 * THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    lo_close(listener);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

TEST(without_a_runtime) {
    int fds = test_count_fds();
    tuco_fd *f = NULL;
    tuco_fd *l = lo_listen("unix", "@");
    ASSERT_EQ(tuco_accept(l, &f), -ESRCH);
    tuco_fd *dialed = lo_dial("unix", lo_local(l, address));
    lo_close(lo_accept(l));
    lo_close(dialed);
    ASSERT_EQ(listen(tuco_fd_raw(l), 0), 0);
    dialed = lo_dial("unix", address);
    ASSERT_EQ(tuco_dial("unix", address, TUCO_NEVER, &f), -ESRCH);
    lo_close(dialed);
    lo_close(l);
    struct deaf d = deaf_make(address);
    ASSERT_EQ(tuco_dial("tcp", address, TUCO_NEVER, &f), -ESRCH);
    deaf_end(&d);
    ASSERT(f == NULL);
    ASSERT_EQ(test_count_fds(), fds);
}
