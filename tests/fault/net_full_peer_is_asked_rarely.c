/* SPDX-License-Identifier: MIT */
/* Proves: a message to a peer with a full queue is sent when there is room; until then
   the sender tries about once per millisecond, although the kernel reports the socket
   writable. */
#include "chans.h"
#include "fault.h"
#include "timers.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SPAN      (50 * TUCO_MILLISECOND)
#define INTERVAL  TUCO_MILLISECOND
#define EXTRA_MAX 10 /* the first few are tried at once */

static int peer;
static tuco_fd *sender;
static struct sockaddr_un address;
static socklen_t address_size = sizeof address;

/* Bound by the kernel to a name that is free. */
static void make_both(void) {
    struct sockaddr_un none = {.sun_family = AF_UNIX};
    peer = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ASSERT_GE(peer, 0);
    ASSERT_EQ(bind(peer, (struct sockaddr *)&none, sizeof none.sun_family), 0);
    ASSERT_EQ(getsockname(peer, (struct sockaddr *)&address, &address_size), 0);
    ASSERT_EQ(tuco_fd_wrap(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), &sender), 0);
}

/* Returns how many messages there was room for. */
static int fill(void) {
    int count = 0;
    while (sendto(tuco_fd_raw(sender), "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address,
                  address_size) == 1) {
        count++;
    }
    return count;
}

static void send_one(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_sendto(sender, "y", 1, (struct sockaddr *)&address, address_size),
              1);
}

/* The sleep is what is measured, not a way to synchronise. */
static int run_main(void *arg) {
    (void)arg;
    char byte;
    tuco_wg wg = {0};
    make_both();
    int filled = fill();
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_wg_go(&wg, send_one, NULL), 0);
    tuco_sleep(SPAN);
    int tries = test_fault_calls(OS_FAULT_FD_IO);
    ASSERT_GT(tries, 0);
    ASSERT_LE(tries, (tuco_now() - begin) / INTERVAL + EXTRA_MAX);
    for (int i = 0; i < filled; i++) {
        ASSERT_EQ(recv(peer, &byte, 1, 0), 1);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(recv(peer, &byte, 1, 0), 1);
    ASSERT_EQ(byte, 'y');
    ASSERT_EQ(tuco_fd_close(sender), 0);
    ASSERT_EQ(close(peer), 0);
    return 0;
}

TEST(net_full_peer_is_asked_rarely) {
    test_fault_plan(OS_FAULT_FD_IO, TEST_FAULT_ALWAYS, 1, ENOMEM); // only counts
    RUN(run_main);
}
