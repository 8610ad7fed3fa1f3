/* SPDX-License-Identifier: MIT */
/* network.c: a network of the test's own, where no other process takes a port. */
#include "test.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n == (ssize_t)strlen(text);
}

/* A user without privileges may make a network in a user namespace. The user keeps its
   number there, and its files. */
static bool leave_as_user(void) {
    char uid[64];
    char gid[64];
    snprintf(uid, sizeof uid, "%d %d 1", (int)getuid(), (int)getuid());
    snprintf(gid, sizeof gid, "%d %d 1", (int)getgid(), (int)getgid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
           write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/uid_map", uid) && write_file("/proc/self/gid_map", gid);
}

static bool start_loopback(void) {
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool started = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return started;
}

void test_own_network(void) {
    if (unshare(CLONE_NEWNET) == 0 || (geteuid() != 0 && leave_as_user())) {
        ASSERT(start_loopback());
    }
}
