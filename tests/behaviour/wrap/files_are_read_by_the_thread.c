/* SPDX-License-Identifier: MIT */
/* Proves: files whose readiness epoll does not report (regular files, directories and
   some devices) can be read and written; only deadlines are refused (NP-22). */
#include "net.h"

#include <sys/mman.h>

#define READERS 4
#define READS   TEST_SIZE(100, 20)

static tuco_wg wg;

static tuco_fd *open_file(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) {
        SKIP("A file that every Linux has is missing.");
    }
    return net_wrap(fd);
}

static void expect_no_deadlines(tuco_fd *f) {
    ASSERT_EQ(tuco_fd_set_deadline(f, tuco_deadline(TUCO_SECOND)), -EOPNOTSUPP);
    ASSERT_EQ(tuco_fd_set_read_deadline(f, 0), -EOPNOTSUPP);
    ASSERT_EQ(tuco_fd_set_write_deadline(f, TUCO_NEVER), -EOPNOTSUPP);
    ASSERT_EQ(fcntl(tuco_fd_raw(f), F_GETFL) & O_NONBLOCK, 0); // unchanged
}

static void regular_file(void) {
    char bytes[8];
    struct iovec iov[2] = {{"two", 3}, {"three", 5}};
    struct iovec last[2] = {{NULL, 0}, {"five", 4}};
    int fd = memfd_create("file", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    tuco_fd *f = net_wrap(fd);
    expect_no_deadlines(f);
    net_say(f, "one");
    ASSERT_EQ(tuco_fd_writev(f, iov, 2), 8);
    ASSERT_EQ(tuco_fd_write_some(f, "four", 4), 4);
    ASSERT_EQ(tuco_fd_writev_some(f, last, 2), 4);
    ASSERT_EQ(tuco_fd_read(f, bytes, sizeof bytes), 0); // the end
    ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
    net_hear(f, "onetwothreefourfive");
    iov[0] = (struct iovec){.iov_base = bytes, .iov_len = sizeof bytes};
    ASSERT_EQ(tuco_fd_readv(f, iov, 1), 0);
    ASSERT_EQ(tuco_fd_recvfrom(f, bytes, 1, NULL, NULL), -ENOTSOCK);
    ASSERT_EQ(tuco_fd_shutdown(f, SHUT_RD), -ENOTSOCK);
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT(!net_is_open(fd));
}

static void directory(void) {
    tuco_fd *f = open_file("/", O_RDONLY | O_DIRECTORY);
    expect_no_deadlines(f);
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -EISDIR);
    ASSERT_EQ(tuco_fd_write(f, "x", 1), -EBADF); // it is open for reading alone
    ASSERT_EQ(tuco_fd_close(f), 0);
}

static void devices(void) {
    char bytes[4] = "xxxx";
    tuco_fd *null = open_file("/dev/null", O_RDWR);
    tuco_fd *zero = open_file("/dev/zero", O_RDWR);
    tuco_fd *full = open_file("/dev/full", O_RDWR);
    expect_no_deadlines(null);
    expect_no_deadlines(zero);
    ASSERT_EQ(tuco_fd_read(null, bytes, 4), 0);
    ASSERT_EQ(tuco_fd_write(null, bytes, 4), 4);
    ASSERT_EQ(tuco_fd_read(zero, bytes, 4), 4);
    ASSERT_EQ(memcmp(bytes, "\0\0\0\0", 4), 0);
    ASSERT_EQ(tuco_fd_write(full, bytes, 4), -ENOSPC);
    ASSERT_EQ(tuco_fd_write_some(full, bytes, 4), -ENOSPC);
    ASSERT_EQ(tuco_fd_close(null), 0);
    ASSERT_EQ(tuco_fd_close(zero), 0);
    ASSERT_EQ(tuco_fd_close(full), 0);
}

static void read_often(void *path) {
    for (int i = 0; i < READS; i++) {
        char bytes[512];
        tuco_fd *f = open_file(path, O_RDONLY);
        ASSERT_GE(tuco_fd_read(f, bytes, sizeof bytes), 0);
        ASSERT_EQ(tuco_fd_close(f), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    static char *const paths[] = {"/dev/null", "/proc/stat",
                                  "/sys/devices/system/cpu/online"};
    regular_file();
    directory();
    devices();
    for (int i = 0; i < 3 * READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, read_often, paths[i % 3]), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(files_are_read_by_the_thread) {
    RUN(run_main);
}

TEST(files_without_runtime) {
    regular_file();
    directory();
    devices();
}
