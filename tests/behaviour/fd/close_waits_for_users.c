/* SPDX-License-Identifier: MIT */
/* Proves: a call that is in the kernel when its handle is closed completes undisturbed,
   and does not wait afterwards. The descriptor stays open until the call has left, so
   that the kernel reuses its number for no other file (NP-14). The close waits for the
   call, but not for a read of a file, which may take any time: that call closes the
   descriptor itself. */
/* fixed procs */
#include "net.h"
#include "os/fault.h"

#define WAITING 4

static tuco_wg wg;
static atomic_int inside; /* calls that are about to enter the kernel */
static atomic_int let_go;
static atomic_int woken;

static os_fault_fn *others;

/* Called just before the system call: holds the call there while the test acts. */
static int stay(enum os_fault_kind kind) {
    if (kind == OS_FAULT_FD_IO) {
        atomic_fetch_add(&inside, 1);
        test_spin(&let_go, 1);
    }
    return others != NULL ? others(kind) : 0;
}

static void read_slowly(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), 1);
    tuco_fd_unref(f);
}

static void wait_for_turn(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static void close_it(void *f) {
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT_EQ(atomic_load(&let_go), 1);
}

static void close_beside_user(int fd, bool waits) {
    tuco_fd *f = tuco_fd_ref(net_wrap(fd));
    atomic_store(&let_go, 0);
    atomic_store(&woken, 0);
    atomic_store(&inside, 0);
    ASSERT_EQ(tuco_wg_go(&wg, read_slowly, tuco_fd_ref(f)), 0);
    test_await(&inside, 1);
    for (int i = 0; i < WAITING; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_for_turn, tuco_fd_ref(f)), 0);
    }
    test_await_waiting(WAITING);
    if (waits) {
        ASSERT_EQ(tuco_wg_go(&wg, close_it, f), 0);
    } else {
        ASSERT_EQ(tuco_fd_close(f), 0);
    }
    test_await(&woken, WAITING); // the call in the kernel need not leave for that
    ASSERT_EQ(tuco_fd_raw(f), -EBADF);
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -EBADF);
    ASSERT_EQ(tuco_fd_close(f), -EBADF);
    ASSERT(net_is_open(fd));
    atomic_store(&let_go, 1);
    tuco_wg_wait(&wg);
    ASSERT(!net_is_open(fd));
}

static int run_main(void *arg) {
    int fd[2];
    (void)arg;
    net_socketpair(fd);
    ASSERT_EQ(write(fd[1], "x", 1), 1);
    close_beside_user(fd[0], true);
    ASSERT_EQ(close(fd[1]), 0);
    close_beside_user(open("/proc/self/stat", O_RDONLY | O_CLOEXEC), false);
    return 0;
}

/* Has nothing to read: it comes back from the kernel to wait. */
static void read_in_vain(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECANCELED);
    tuco_fd_unref(f);
}

static void read_too_late(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
    tuco_fd_unref(f);
}

static void act_beside_user(tuco_fd *f, tuco_fn *user, bool closes) {
    atomic_store(&let_go, 0);
    atomic_store(&inside, 0);
    ASSERT_EQ(tuco_wg_go(&wg, user, tuco_fd_ref(f)), 0);
    test_await(&inside, 1);
    if (closes) {
        ASSERT_EQ(tuco_wg_go(&wg, close_it, f), 0);
        test_await_waiting(1);
    } else {
        ASSERT_EQ(tuco_fd_set_deadline(f, 0), 0);
    }
    atomic_store(&let_go, 1);
    tuco_wg_wait(&wg);
}

static int in_vain_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_socketpair);
    act_beside_user(p.in, read_too_late, false /* the deadline comes */);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, TUCO_NEVER), 0);
    act_beside_user(p.in, read_in_vain, true /* closes it */);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    return 0;
}

static void run_staying(int (*main_fn)(void *)) {
    test_setenv("TUCOPROCS", "4");
    others = os_fault_hook;
    os_fault_hook = stay;
    RUN(main_fn);
    os_fault_hook = others;
}

TEST(close_waits_for_users) {
    run_staying(run_main);
}

TEST(closed_before_the_wait) {
    run_staying(in_vain_main);
}
