/* SPDX-License-Identifier: MIT */
/* How many questions does a server answer, how soon, and for how much CPU time? */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "latency.h"
#include "loads.h"

#define MESSAGE_BYTES 64
#define WARM_UP_NS    INT64_C(500000000)
#define WINDOW_NS     INT64_C(1000000000)
#define SILENCE_MS    10000
#define EVENTS        256

/* More than one thread can receive in the window: a question takes more than 250 ns. */
#define MAX_ANSWERS 4000000

union message {
    uint64_t number; /* different for each question */
    char bytes[MESSAGE_BYTES];
};

struct connection {
    int fd;
    size_t got; /* bytes of the answer so far */
    int64_t asked_ns;
    union message question;
    union message answer;
};

struct crowd {
    int epoll_fd;
    int count;
    struct connection *connections;
    bool counting;
    struct bench_latencies latencies;
};

static void ask(struct connection *c, int64_t now_ns) {
    c->question.number++;
    c->got = 0;
    c->asked_ns = now_ns;
    bench_server_send(c->fd, &c->question, sizeof c->question);
}

static void open_connections(struct crowd *crowd, const struct bench_server *s) {
    crowd->connections = calloc((size_t)crowd->count, sizeof crowd->connections[0]);
    bench_check_made(crowd->connections, "connections");
    for (int i = 0; i < crowd->count; i++) {
        struct connection *c = &crowd->connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        c->fd = bench_server_connect(s);
        memset(&c->question, 'a' + i % 26, sizeof c->question);
        c->question.number = (uint64_t)i << 32;
        if (epoll_ctl(crowd->epoll_fd, EPOLL_CTL_ADD, c->fd, &event) != 0) {
            bench_die("epoll_ctl: %m");
        }
    }
}

/* Reads the available part of an answer. If the answer is complete, sends the next
   question. */
static void take_answer(struct crowd *crowd, struct connection *c) {
    ssize_t n =
        recv(c->fd, c->answer.bytes + c->got, sizeof c->answer - c->got, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
        return;
    }
    if (n <= 0) {
        bench_die("an answer did not come: %s", n ? strerror(errno) : "closed");
    }
    c->got += (size_t)n;
    if (c->got < sizeof c->answer) {
        return;
    }
    if (memcmp(c->answer.bytes, c->question.bytes, MESSAGE_BYTES) != 0) {
        bench_die("an answer is not what was asked");
    }
    int64_t now_ns = bench_now_ns();
    if (crowd->counting) {
        bench_latencies_add(&crowd->latencies, now_ns - c->asked_ns);
    }
    ask(c, now_ns);
}

/* Returns the actual end time. */
static int64_t converse_until(struct crowd *crowd, int64_t end_ns) {
    struct epoll_event events[EVENTS];
    int64_t now_ns;
    do {
        int count = epoll_wait(crowd->epoll_fd, events, EVENTS, SILENCE_MS);
        if (count < 0) {
            bench_die("epoll_wait: %m");
        }
        if (count == 0) {
            bench_die("no answer within %d ms", SILENCE_MS);
        }
        for (int i = 0; i < count; i++) {
            take_answer(crowd, events[i].data.ptr);
        }
        now_ns = bench_now_ns();
    } while (now_ns < end_ns);
    return now_ns;
}

static void measure(struct crowd *crowd, const struct bench_server *s) {
    int64_t start_ns = bench_now_ns();
    for (int i = 0; i < crowd->count; i++) {
        ask(&crowd->connections[i], start_ns);
    }
    start_ns = converse_until(crowd, start_ns + WARM_UP_NS);
    int64_t cpu_ns = bench_server_cpu_ns(s);
    crowd->counting = true;
    int64_t end_ns = converse_until(crowd, start_ns + WINDOW_NS);
    cpu_ns = bench_server_cpu_ns(s) - cpu_ns;
    size_t answers = crowd->latencies.count;
    if (answers == 0) {
        bench_die("no answer in the window");
    }
    bench_report_one(NULL, "ns/req", answers,
                     (double)(end_ns - start_ns) / (double)answers);
    bench_report_one("_cpu", "ns CPU/req", answers, (double)cpu_ns / (double)answers);
    bench_latencies_report(&crowd->latencies, "us");
}

/* Each connection has one question in flight at any time. */
static void converse(const struct bench_server *s, int count) {
    struct crowd crowd = {
        .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
        .count = count,
    };
    if (crowd.epoll_fd < 0) {
        bench_die("epoll_create1: %m");
    }
    bench_latencies_make(&crowd.latencies, MAX_ANSWERS);
    open_connections(&crowd, s);
    measure(&crowd, s);
    for (int i = 0; i < count; i++) {
        bench_server_disconnect(crowd.connections[i].fd);
    }
    free(crowd.connections);
    bench_latencies_free(&crowd.latencies);
    close(crowd.epoll_fd);
}

void bench_load_echo_1(const struct bench_server *s) {
    converse(s, 1);
}

void bench_load_echo_100(const struct bench_server *s) {
    converse(s, 100);
}

void bench_load_echo_1000(const struct bench_server *s) {
    converse(s, 1000);
}
