/* SPDX-License-Identifier: MIT */
/* What does a short-lived connection cost a server: accepted, read once, closed? */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "loads.h"

#define IN_FLIGHT  64
#define WARM_UP_NS INT64_C(500000000)
#define WINDOW_NS  INT64_C(1000000000)
#define SILENCE_MS 10000

/* connect() does not wait here: on the loopback device the kernel answers for the server
   within the call while the server's queue has room, which it has for IN_FLIGHT. */
static void begin_one(int epoll_fd, const struct bench_server *s) {
    struct epoll_event event = {.events = EPOLLIN};
    event.data.fd = bench_server_connect(s);
    bench_server_send(event.data.fd, "1", 1);
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event.data.fd, &event) != 0) {
        bench_die("epoll_ctl: %m");
    }
}

/* The server has closed the connection. */
static void end_one(int fd) {
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);
    if (n != 0) {
        bench_die("recv: %s", n > 0 ? "the server said something" : strerror(errno));
    }
    bench_server_disconnect(fd);
}

struct outcome {
    int64_t end_ns;
    size_t connections;
};

static struct outcome connect_until(int epoll_fd, const struct bench_server *s,
                                    int64_t end_ns) {
    struct epoll_event events[IN_FLIGHT];
    struct outcome o = {0};
    do {
        int count = epoll_wait(epoll_fd, events, IN_FLIGHT, SILENCE_MS);
        if (count <= 0) {
            bench_die("no connection was closed within %d ms", SILENCE_MS);
        }
        for (int i = 0; i < count; i++) {
            end_one(events[i].data.fd);
            begin_one(epoll_fd, s);
        }
        o.connections += (size_t)count;
        o.end_ns = bench_now_ns();
    } while (o.end_ns < end_ns);
    return o;
}

void bench_load_connect(const struct bench_server *s) {
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0) {
        bench_die("epoll_create1: %m");
    }
    for (int i = 0; i < IN_FLIGHT; i++) {
        begin_one(epoll_fd, s);
    }
    struct outcome before = connect_until(epoll_fd, s, bench_now_ns() + WARM_UP_NS);
    int64_t cpu_ns = bench_server_cpu_ns(s);
    struct outcome o = connect_until(epoll_fd, s, before.end_ns + WINDOW_NS);
    cpu_ns = bench_server_cpu_ns(s) - cpu_ns;
    double took_ns = (double)(o.end_ns - before.end_ns);
    double count = (double)o.connections;
    bench_report_one(NULL, "ns/conn", o.connections, took_ns / count);
    bench_report_one("_cpu", "ns CPU/conn", o.connections, (double)cpu_ns / count);
    close(epoll_fd);
}
