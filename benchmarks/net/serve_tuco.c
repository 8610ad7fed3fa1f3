/* SPDX-License-Identifier: MIT */
/* tuco's servers: one goroutine per connection, one kind of server per run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tuco.h>

#include "harness.h"

#define BUFFER_BYTES  512
#define ADDRESS_BYTES 64
#define YIELD_NS      100000

struct kind {
    const char *name;
    tuco_fn *serve; /* serves a connection and closes it */
    tuco_fn *hog;
    int hogs_per_p;
};

/* Immutable after the first goroutine is started. */
static const struct kind *kind;
static tuco_fd *listener;

/* Connections */

static void echo(void *connection) {
    char buffer[BUFFER_BYTES];
    ssize_t n;
    while ((n = tuco_fd_read(connection, buffer, sizeof buffer)) > 0) {
        if (tuco_fd_write(connection, buffer, (size_t)n) != n) {
            break;
        }
    }
    tuco_fd_close(connection);
}

static void once(void *connection) {
    char byte;
    tuco_fd_read(connection, &byte, 1);
    tuco_fd_close(connection);
}

static void tell_time(void *connection) {
    int64_t asked_ns;
    while (tuco_fd_read(connection, &asked_ns, sizeof asked_ns) == sizeof asked_ns) {
        int64_t now_ns = bench_now_ns();
        if (tuco_fd_write(connection, &now_ns, sizeof now_ns) != sizeof now_ns) {
            break;
        }
    }
    tuco_fd_close(connection);
}

/* Hogs */

/* Reads the clock without the library. */
static void yield_now_and_then(void *arg) {
    (void)arg;
    for (;;) {
        int64_t end_ns = bench_now_ns() + YIELD_NS;
        while (bench_now_ns() < end_ns) {
        }
        tuco_yield();
    }
}

static void never_yield(void *arg) {
    (void)arg;
    for (volatile uint64_t i = 0;; i++) {
    }
}

static const struct kind kinds[] = {
    {.name = "echo", .serve = echo},
    {.name = "once", .serve = once},
    {.name = "yielders", .serve = tell_time, .hog = yield_now_and_then, .hogs_per_p = 1},
    {.name = "hogs", .serve = tell_time, .hog = never_yield, .hogs_per_p = 2},
};

#define KINDS (sizeof kinds / sizeof kinds[0])

/* The server */

static const struct kind *find_kind(const char *name) {
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    fprintf(stderr, "net_tuco: no such kind of server: %s\n", name);
    exit(2);
}

static void accept_all(void *arg) {
    (void)arg;
    for (;;) {
        tuco_fd *connection;
        bench_check(tuco_accept(listener, &connection), "tuco_accept");
        bench_check(tuco_go(kind->serve, connection), "tuco_go");
    }
}

static void start_hogs(void) {
    int count = kind->hogs_per_p * tuco_procs(0);
    for (int i = 0; i < count; i++) {
        bench_check(tuco_go(kind->hog, NULL), "tuco_go");
    }
}

/* The main thread stays outside the library and sleeps in the kernel. A byte on standard
   input requests a garbage collection; there is none, so the server just answers. */
int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: net_tuco KIND\n");
        return 2;
    }
    kind = find_kind(argv[1]);
    char address[ADDRESS_BYTES];
    bench_check(tuco_start(), "tuco_start");
    bench_check(tuco_listen("tcp", "127.0.0.1:0", &listener), "tuco_listen");
    bench_check(tuco_local_address(listener, address, sizeof address), "address");
    bench_check(tuco_go(accept_all, NULL), "tuco_go");
    start_hogs();
    printf("%s\n", address);
    fflush(stdout);
    for (char byte; read(STDIN_FILENO, &byte, 1) == 1;) {
        if (write(STDOUT_FILENO, &byte, 1) != 1) {
            break;
        }
    }
    return 0;
}
