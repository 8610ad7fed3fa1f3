/* SPDX-License-Identifier: MIT */
/* Proves: if a reader and a writer are the first to wait for a descriptor, both at the
   same time, both wait: for the second one epoll_ctl() reports that the descriptor is
   already registered. */
#include "chans.h"
#include "os/fault.h"
#include "timers.h"

#include <sys/socket.h>
#include <unistd.h>

#define WAYS 2

static tuco_fd *ends[2];
static atomic_int holding;
static atomic_int arrived;

/* The descriptor is registered only after both have found that it is not. */
static int hold_watchers(enum os_fault_kind kind) {
    if (kind == OS_FAULT_POLL_ADD && atomic_load(&holding) != 0) {
        atomic_fetch_add(&arrived, 1);
        test_spin(&arrived, WAYS);
    }
    return 0;
}

static void read_one(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_read(ends[0], &(char){0}, 1), 1);
}

static void write_one(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_write(ends[0], "x", 1), 1);
}

/* Returns how many bytes there was room for. Out of line because of errno. */
__attribute__((noinline)) static size_t fill(tuco_fd *f) {
    static const char block[4096];
    size_t filled = 0;
    ssize_t n;
    for (size_t size = sizeof block; size > 0; size /= 2) {
        while ((n = write(tuco_fd_raw(f), block, size)) > 0) {
            filled += (size_t)n;
        }
        ASSERT_EQ(errno, EAGAIN);
    }
    return filled;
}

static void take_all(tuco_fd *f, size_t size) {
    static char block[4096];
    while (size > 0) {
        ssize_t n = tuco_fd_read(f, block, size < sizeof block ? size : sizeof block);
        ASSERT_GT(n, 0);
        size -= (size_t)n;
    }
}

/* One of the two is a thread, so that one processor is enough. */
static int run_main(void *arg) {
    (void)arg;
    int numbers[2];
    struct test_thread reader;
    tuco_wg writer = {0};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, numbers), 0);
    ASSERT_EQ(tuco_fd_wrap(numbers[0], &ends[0]), 0);
    ASSERT_EQ(tuco_fd_wrap(numbers[1], &ends[1]), 0);
    size_t filled = fill(ends[0]);
    atomic_store(&holding, 1);
    test_thread_start(&reader, read_one, NULL);
    ASSERT_EQ(tuco_wg_go(&writer, write_one, NULL), 0);
    test_await(&arrived, WAYS);
    test_await_waiting(WAYS);
    atomic_store(&holding, 0);
    ASSERT_EQ(tuco_fd_write(ends[1], "x", 1), 1);
    test_thread_join(&reader);
    take_all(ends[1], filled + 1);
    tuco_wg_wait(&writer);
    ASSERT_EQ(tuco_fd_close(ends[0]), 0);
    ASSERT_EQ(tuco_fd_close(ends[1]), 0);
    return 0;
}

TEST(net_both_ways_are_watched) {
    os_fault_hook = hold_watchers;
    RUN(run_main);
    os_fault_hook = NULL;
}
