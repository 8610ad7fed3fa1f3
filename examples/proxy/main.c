/* SPDX-License-Identifier: MIT */
/* A TCP proxy: connects each client to the target and copies both ways.

       build/release/examples/proxy 127.0.0.1:8000 127.0.0.1:7000 &
       nc 127.0.0.1 8000

   The end of one direction is passed on alone: a client that has sent its last byte can
   still receive. A slow reader slows down the writer, because a copy reads on only after
   it has written. A client is disconnected if the connection to the target takes longer
   than the time of -d. */
#include "common/arguments.h"
#include "common/server.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES 16384
#define USAGE        "[-d DIAL_MS] [-g GRACE_MS] ADDRESS TARGET"

struct settings {
    const char *target;
    tuco_time dial;
};

struct direction {
    tuco_fd *from;
    tuco_fd *to;
};

/* A goroutine. The orderly end of one direction does not affect the other; an error ends
   both. */
static void copy(void *arg) {
    const struct direction *way = arg;
    char buffer[BUFFER_BYTES];
    ssize_t n;
    do {
        n = tuco_fd_read(way->from, buffer, sizeof(buffer));
        if (n > 0) {
            n = tuco_fd_write(way->to, buffer, (size_t)n);
        }
    } while (n > 0);
    if (n == 0) {
        tuco_fd_shutdown(way->to, SHUT_WR);
    } else {
        tuco_fd_shutdown(way->to, SHUT_RDWR);
        tuco_fd_shutdown(way->from, SHUT_RDWR);
    }
}

static int copy_both(tuco_fd *client, tuco_fd *target) {
    struct direction there = {.from = client, .to = target};
    struct direction back = {.from = target, .to = client};
    tuco_wg other = {0};
    int error = tuco_wg_go(&other, copy, &back);
    if (error == 0) {
        copy(&there);
        tuco_wg_wait(&other);
    }
    return error;
}

/* A goroutine, started when the server's grace is over: the server has closed the
   client. */
static void close_target(void *arg) {
    tuco_fd_close(arg); /* also drops the reference in arg */
}

static int join(struct connection *c, tuco_fd *target) {
    tuco_ctx_after *end =
        tuco_ctx_after_make(c->server->life, close_target, tuco_fd_ref(target));
    int error = end != NULL ? copy_both(c->fd, target) : -ENOMEM;
    if (end == NULL || tuco_ctx_after_stop(end)) {
        tuco_fd_unref(target); /* the reference for a call that is not made */
    }
    tuco_ctx_after_free(end);
    return error;
}

static void serve(struct connection *c) {
    const struct settings *settings = c->server->settings;
    tuco_fd *target;
    int error =
        tuco_dial("tcp", settings->target, tuco_deadline(settings->dial), &target);
    if (error == 0) {
        error = join(c, target);
        tuco_fd_close(target);
    }
    if (error != 0) {
        server_complain(c->server, settings->target, error);
    }
}

int main(int argc, char **argv) {
    struct settings settings = {.dial = 5 * TUCO_SECOND};
    struct server server = {
        .program = "proxy",
        .network = "tcp",
        .grace = 5 * TUCO_SECOND,
        .serve = serve,
        .settings = &settings,
    };
    for (int option; (option = getopt(argc, argv, "d:g:")) != -1;) {
        switch (option) {
        case 'd': settings.dial = arguments_ms(optarg, "proxy", USAGE); break;
        case 'g': server.grace = arguments_ms(optarg, "proxy", USAGE); break;
        default: arguments_usage("proxy", USAGE);
        }
    }
    if (optind + 2 != argc) {
        arguments_usage("proxy", USAGE);
    }
    server.address = argv[optind];
    settings.target = argv[optind + 1];
    return server_main(&server);
}
