/* SPDX-License-Identifier: MIT */
/* Proves: a dial to a port of this machine without a listener is refused, even if the
   kernel chooses that port for the dialling end and connects the socket to itself. */
#include "loopback.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#define PORT "40000"

/* Makes a network namespace with a single local port. */
static bool have_network(void) {
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    static const char range[] = PORT " " PORT;
    if (unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    bool up = ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
    close(fd);
    fd = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY | O_CLOEXEC);
    bool limited = fd >= 0 && write(fd, range, sizeof range - 1) == sizeof range - 1;
    close(fd);
    return up && limited;
}

static bool kernel_connects_to_itself(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(PORT))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
    return connected;
}

static void expect_refused(const char *address) {
    tuco_fd *f = NULL;
    int rc = tuco_dial("tcp", address, TUCO_NEVER, &f);
    if (rc != -EADDRNOTAVAIL) { // a later try, while the port is still held
        ASSERT_EQ(rc, -ECONNREFUSED);
    }
    ASSERT(f == NULL);
}

static int run_main(void *arg) {
    (void)arg;
    expect_refused("127.0.0.1:" PORT);
    expect_refused("0.0.0.0:" PORT);
    return 0;
}

TEST(not_to_itself) {
    if (!have_network()) {
        SKIP("Only a privileged process can have a network of its own.");
    }
    if (!kernel_connects_to_itself()) {
        SKIP("This kernel does not connect a socket to itself.");
    }
    RUN(run_main);
}
