/* SPDX-License-Identifier: MIT */
/* Proves: handles of devices that epoll does not support are opened and closed beside
   others that reuse their numbers, and disturb none of them (NP-22). */
/* slow */
#include "net.h"

#define DEVICES TEST_SIZE(20000, 2000)
#define USERS   3

static tuco_wg wg;
static tuco_wg devices;
static atomic_int over;

static void come_and_go(void *arg) {
    (void)arg;
    for (int i = 0; i < DEVICES; i++) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        ASSERT_GE(fd, 0);
        ASSERT_EQ(tuco_fd_close(net_wrap(fd)), 0);
    }
}

static void answer(void *f) {
    net_hear(f, "are you there?");
}

static void use_fifos(void *arg) {
    tuco_wg answered = {0};
    (void)arg;
    while (atomic_load(&over) == 0) {
        struct net_pair p = net_open(net_fifo);
        ASSERT_EQ(tuco_wg_go(&answered, answer, p.in), 0);
        tuco_yield();
        net_say(p.out, "are you there?");
        tuco_wg_wait(&answered);
        net_close(&p);
    }
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&devices, come_and_go, NULL), 0);
    for (int i = 0; i < USERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, use_fifos, NULL), 0);
    }
    tuco_wg_wait(&devices);
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(devices_do_not_disturb) {
    RUN(run_main);
}
