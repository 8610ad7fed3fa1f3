/* SPDX-License-Identifier: MIT */
/* A server without a runtime, for comparison: one thread, one loop, no stacks. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

#define BUFFER_BYTES 512
#define EVENTS       256

/* bytes[begin] to bytes[end - 1] are read and not written yet. */
struct connection {
    int fd;
    bool full; /* polled for room to write, not for data to read */
    size_t begin;
    size_t end;
    char bytes[BUFFER_BYTES];
};

static int epoll_fd;
static bool once; /* close after one read; otherwise echo */

static void watch(int operation, int fd, uint32_t events, void *data) {
    struct epoll_event event = {.events = events, .data.ptr = data};
    if (epoll_ctl(epoll_fd, operation, fd, &event) != 0) {
        bench_die("epoll_ctl: %m");
    }
}

static void end_connection(struct connection *c) {
    close(c->fd);
    free(c);
}

/* Returns false if the connection must be closed. */
static bool write_rest(struct connection *c) {
    ssize_t n = send(c->fd, c->bytes + c->begin, c->end - c->begin, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN) {
        return false;
    }
    c->begin += n > 0 ? (size_t)n : 0;
    bool full = c->begin < c->end;
    if (full != c->full) {
        watch(EPOLL_CTL_MOD, c->fd, full ? EPOLLOUT : EPOLLIN, c);
        c->full = full;
    }
    return true;
}

/* Returns false if the connection must be closed. */
static bool read_and_write(struct connection *c) {
    ssize_t n = recv(c->fd, c->bytes, sizeof c->bytes, 0);
    if (n < 0 && errno == EAGAIN) {
        return true;
    }
    if (n <= 0 || once) {
        return false;
    }
    c->begin = 0;
    c->end = (size_t)n;
    return write_rest(c);
}

static void accept_all(int listener) {
    for (;;) {
        int on = 1;
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EAGAIN) {
                return;
            }
            bench_die("accept4: %m");
        }
        struct connection *c = calloc(1, sizeof *c);
        bench_check_made(c, "connection");
        c->fd = fd;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(EPOLL_CTL_ADD, fd, EPOLLIN, c);
    }
}

static void answer_standard_input(void) {
    char byte;
    if (read(STDIN_FILENO, &byte, 1) != 1 || write(STDOUT_FILENO, &byte, 1) != 1) {
        exit(0);
    }
}

static void dispatch(const struct epoll_event *event, const int *listener) {
    struct connection *c = event->data.ptr;
    if (event->data.ptr == listener) {
        accept_all(*listener);
    } else if (!c) {
        answer_standard_input();
    } else if (!(c->full ? write_rest(c) : read_and_write(c))) {
        end_connection(c);
    }
}

static int listen_anywhere(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0 ||
        listen(fd, SOMAXCONN) != 0) {
        bench_die("no listener: %m");
    }
    printf("127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv) {
    once = argc == 2 && strcmp(argv[1], "once") == 0;
    if (argc != 2 || (!once && strcmp(argv[1], "echo") != 0)) {
        fprintf(stderr, "usage: net_epoll echo | once\n");
        return 2;
    }
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0) {
        bench_die("epoll_create1: %m");
    }
    int listener = listen_anywhere();
    watch(EPOLL_CTL_ADD, listener, EPOLLIN, &listener);
    watch(EPOLL_CTL_ADD, STDIN_FILENO, EPOLLIN, NULL);
    for (;;) {
        struct epoll_event events[EVENTS];
        int count = epoll_wait(epoll_fd, events, EVENTS, -1);
        if (count < 0) {
            bench_die("epoll_wait: %m");
        }
        for (int i = 0; i < count; i++) {
            dispatch(&events[i], &listener);
        }
    }
}
