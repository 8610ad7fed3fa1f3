/* SPDX-License-Identifier: MIT */
/* Proves: in a program without handlers of its own, the runtime's signals do not
   interrupt calls: transfers beside hogs get no EINTR. */
/* fixed procs */
#include "hogs.h"

#include <fcntl.h>
#include <unistd.h>

#define TOTAL (2 * 1024 * 1024)
#define BLOCK 4096
#define HOGS  2

static tuco_wg wg;
static tuco_wg hogs;
static int ends[2];
static atomic_int stop;

static void hog(void *arg) {
    (void)arg;
    compute_until(&stop, 1);
}

static void write_all(void *arg) {
    (void)arg;
    static char block[BLOCK];
    for (int sent = 0; sent < TOTAL; sent += BLOCK) {
        ASSERT_EQ(write(ends[1], block, BLOCK), BLOCK);
    }
    ASSERT_EQ(close(ends[1]), 0);
}

static void read_all(void *arg) {
    (void)arg;
    static char block[BLOCK];
    ssize_t n = 1;
    int got = 0;
    for (; n > 0; got += (int)n) {
        n = read(ends[0], block, BLOCK);
        ASSERT_GE(n, 0);
    }
    ASSERT_EQ(got, TOTAL);
    ASSERT_EQ(close(ends[0]), 0);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&hogs, hog, NULL), 0);
    }
    ASSERT_EQ(tuco_wg_go(&wg, read_all, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, write_all, NULL), 0);
    tuco_wg_wait(&wg);
    atomic_store(&stop, 1);
    tuco_wg_wait(&hogs);
    return 0;
}

TEST(at_1) {
    hogs_use(1);
    RUN(run_main);
}

TEST(at_2) {
    hogs_use(2);
    RUN(run_main);
}
