/* SPDX-License-Identifier: MIT */
/* A TCP server that sends back what it reads: one goroutine for each connection, written
   as if there were no others.

       build/release/examples/echo -i 60000 127.0.0.1:7000 &
       nc 127.0.0.1 7000

   A connection that is idle for the time of -i is closed. After SIGTERM or ^C the server
   accepts no new connections, and the others have the time of -g to end. Without an
   address the kernel chooses the port, and the first line of the output shows it. */
#include "common/arguments.h"
#include "common/server.h"

#include <unistd.h>

#define BUFFER_BYTES 4096
#define USAGE        "[-i IDLE_MS] [-g GRACE_MS] [ADDRESS]"

struct settings {
    tuco_time idle;
};

static void serve(struct connection *c) {
    const struct settings *settings = c->server->settings;
    char buffer[BUFFER_BYTES];
    ssize_t n;
    do {
        tuco_fd_set_deadline(c->fd, tuco_deadline(settings->idle));
        n = tuco_fd_read(c->fd, buffer, sizeof(buffer));
    } while (n > 0 && tuco_fd_write(c->fd, buffer, (size_t)n) == n);
}

int main(int argc, char **argv) {
    struct settings settings = {.idle = 60 * TUCO_SECOND};
    struct server server = {
        .program = "echo",
        .network = "tcp",
        .address = "127.0.0.1:0",
        .grace = 5 * TUCO_SECOND,
        .serve = serve,
        .settings = &settings,
    };
    for (int option; (option = getopt(argc, argv, "i:g:")) != -1;) {
        switch (option) {
        case 'i': settings.idle = arguments_ms(optarg, "echo", USAGE); break;
        case 'g': server.grace = arguments_ms(optarg, "echo", USAGE); break;
        default: arguments_usage("echo", USAGE);
        }
    }
    if (optind + 1 < argc) {
        arguments_usage("echo", USAGE);
    }
    if (optind < argc) {
        server.address = argv[optind];
    }
    return server_main(&server);
}
