/* SPDX-License-Identifier: MIT */
/* Proves: the release of the last reference, by any holder, closes an open handle and
   frees it. A close releases a reference, even if it fails. */
#include "net.h"
#include "fault.h"

#define ROUNDS TEST_SIZE(300, 50)

static tuco_wg wg;

static int frees(void) {
    return test_fault_calls(OS_FAULT_FREE);
}

/* Makes a first handle, so that the state that all handles share exists. The descriptor
   is non-blocking, so that the handle has no flag to restore. */
static tuco_fd *make_counted(int fd[2]) {
    net_socketpair(fd);
    ASSERT_EQ(fcntl(fd[0], F_SETFL, O_RDWR | O_NONBLOCK), 0);
    tuco_fd_unref(net_wrap(dup(fd[0])));
    test_fault_plan(OS_FAULT_FREE, 1, 0, ENOMEM);
    return net_wrap(fd[0]);
}

TEST(last_reference_closes) {
    int fd[2];
    tuco_fd *f = make_counted(fd);
    int before = frees();
    ASSERT(tuco_fd_ref(f) == f);
    tuco_fd_unref(f);
    ASSERT_EQ(tuco_fd_raw(f), fd[0]);
    ASSERT(net_is_open(fd[0]));
    ASSERT_EQ(frees(), before);
    tuco_fd_unref(f);
    ASSERT(!net_is_open(fd[0]));
    ASSERT_EQ(frees(), before + 1);
    ASSERT(tuco_fd_ref(NULL) == NULL);
    tuco_fd_unref(NULL);
    ASSERT_EQ(frees(), before + 1);
    ASSERT_EQ(close(fd[1]), 0);
}

TEST(close_gives_reference_back) {
    int fd[2];
    tuco_fd *f = tuco_fd_ref(tuco_fd_ref(make_counted(fd)));
    int before = frees();
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT(!net_is_open(fd[0])); // though there are references
    ASSERT_EQ(tuco_fd_close(f), -EBADF);
    ASSERT_EQ(frees(), before);
    ASSERT_EQ(tuco_fd_close(f), -EBADF);
    ASSERT_EQ(frees(), before + 1);
    ASSERT_EQ(close(fd[1]), 0);
}

/* Holds a single reference, which is often the last. */
static void hear_and_leave(void *f) {
    ssize_t n = tuco_fd_read(f, &(char){0}, 1);
    ASSERT_AMONG(n, 1, 0, -ECANCELED, -EBADF);
    tuco_fd_unref(f);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct net_pair p = net_open(net_socketpair);
        for (int k = 0; k < 4; k++) {
            ASSERT_EQ(tuco_wg_go(&wg, hear_and_leave, tuco_fd_ref(p.in)), 0);
        }
        net_say(p.out, "xx");
        net_close(&p);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(holders_leave_at_once) {
    int fds = test_count_fds();
    RUN(run_main);
    ASSERT_EQ(test_count_fds(), fds);
}
