/* SPDX-License-Identifier: MIT */
/* Receives SIGINT and SIGTERM by a signalfd, without a handler and its restrictions. */
#include "common/stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

tuco_fd *stop_open(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    int fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    tuco_fd *handle;
    if (tuco_fd_wrap(fd, &handle) != 0) {
        close(fd);
        return NULL;
    }
    return handle;
}

int stop_wait(tuco_fd *signals) {
    struct signalfd_siginfo info;
    ssize_t n = tuco_fd_read(signals, &info, sizeof(info));
    if (n < 0) {
        return (int)n;
    }
    return n == (ssize_t)sizeof(info) ? (int)info.ssi_signo : -EIO;
}
