/* SPDX-License-Identifier: MIT */
/* Proves: no operation on a handle changes errno, whatever it returns and whether or not
   it waits, in goroutines and in threads. */
#include "net.h"

static const char much[NET_TOO_MUCH];

/* Out of line: a compiler may keep the address of errno across a call that changes
   threads. */
__attribute__((noinline)) static int get_errno(void) {
    return errno;
}

__attribute__((noinline)) static void set_errno(int value) {
    errno = value;
}

static void fail_to_wait(tuco_fd *f, char *bytes) {
    ASSERT_EQ(tuco_fd_set_deadline(f, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_fd_read(f, bytes, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_deadline(f, TUCO_NEVER), 0);
    ASSERT_EQ(get_errno(), 77);
}

static void use_all(struct net_pair *p) {
    char bytes[16];
    struct iovec iov = {.iov_base = bytes, .iov_len = sizeof bytes};
    ASSERT_EQ(tuco_fd_write(p->out, "xyz", 3), 3);
    ASSERT_EQ(tuco_fd_read(p->in, bytes, 1), 1);
    ASSERT_EQ(tuco_fd_readv(p->in, &iov, 1), 2);
    ASSERT_EQ(tuco_fd_writev(p->out, &iov, 1), sizeof bytes);
    ASSERT_EQ(tuco_fd_recvfrom(p->in, bytes, 1, NULL, NULL), 1);
    ASSERT_EQ(tuco_fd_sendto(p->out, bytes, 1, NULL, 0), 1);
    ASSERT_EQ(tuco_fd_shutdown(p->out, 77), -EINVAL);
    ASSERT_EQ(tuco_fd_shutdown(p->out, SHUT_WR), 0);
    ASSERT_EQ(tuco_fd_write(p->out, bytes, 1), -EPIPE);
    ASSERT_EQ(tuco_fd_write_some(p->out, bytes, 1), -EPIPE);
    ASSERT_EQ(tuco_fd_writev_some(p->out, &iov, 1), -EPIPE);
    ASSERT_EQ(get_errno(), 77);
}

static void use_and_close(void *arg) {
    bool can_wait = arg != NULL;
    struct net_pair p = net_open(net_socketpair);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    set_errno(77);
    tuco_fd *device;
    ASSERT_EQ(tuco_fd_wrap(-1, &device), -EBADF);
    device = net_wrap(null);
    ASSERT_EQ(tuco_fd_write(device, "x", 1), -EBADF);
    ASSERT_EQ(tuco_fd_close(device), 0);
    ASSERT_EQ(get_errno(), 77);
    use_all(&p);
    tuco_fd_ref(p.out);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    ASSERT_EQ(tuco_fd_read(p.out, &(char){0}, 1), -EBADF);
    ASSERT_EQ(tuco_fd_close(p.out), -EBADF);
    tuco_fd_unref(p.in);
    ASSERT_EQ(get_errno(), 77);
    p = net_open(net_tcp);
    set_errno(77);
    if (can_wait) {
        fail_to_wait(p.in, &(char){0});
    }
    net_close(&p);
    ASSERT_EQ(get_errno(), 77);
}

static int run_main(void *arg) {
    use_and_close(&arg);
    return 0;
}

TEST(errno_is_kept) {
    RUN(run_main);
    use_and_close(NULL);
}

TEST(errno_is_kept_on_threads) {
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(2, use_and_close, &(int){1});
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
