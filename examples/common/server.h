/* SPDX-License-Identifier: MIT */
/* server.h: common code of the example servers: a goroutine for each connection, and an
   orderly end. */
#ifndef EXAMPLE_SERVER_H
#define EXAMPLE_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tuco.h>

struct connection;

struct server {
    /* Set by the program. */
    const char *program; /* its name in messages */
    const char *network;
    const char *address;
    tuco_time grace; /* how long connections may continue after SIGINT or SIGTERM */
    /* The goroutine of a connection. It need not close the connection. */
    void (*serve)(struct connection *c);
    const void *settings; /* for serve */
    /* NULL, or a function that the main goroutine calls and that calls server_run(). */
    int (*around)(struct server *s);

    /* Set by server_main(). */
    tuco_fd *listener;
    tuco_fd *signals;
    tuco_ctx *life; /* done when the grace is over: for goroutines that wait for
                       something other than their connection */
    atomic_bool stopping;
    tuco_wg goroutines; /* one for each connection */
    tuco_mutex lock;
    struct connection *connections; /* lock: a list, in no order */
    bool is_over;                   /* lock: the grace and all connections have ended */
};

/* On the stack of its goroutine. */
struct connection {
    struct server *server;
    tuco_fd *fd;
    atomic_bool rests;           /* see connection_rest() */
    struct connection *next;     /* the server's lock */
    struct connection *previous; /* the server's lock */
};

/* The whole program, from main(): starts the runtime, listens, prints the address, and
   serves connections until SIGINT or SIGTERM. Then it accepts no more, and waits for the
   remaining connections until the grace is over or a second signal arrives; then it
   closes their descriptors. Returns the exit status. */
int server_main(struct server *s);

/* The part of it that the main goroutine does, for s->around. Returns 0 or an error. */
int server_run(struct server *s);

/* Prints "program: text: meaning of error" on standard error. */
void server_complain(const struct server *s, const char *text, int error);

/* The connection waits for its client to begin a new request. If the server stops
   meanwhile, the connection reads the end of the file. Returns false if the server is
   already stopping: then the connection ends. A request that begins just as the server
   stops is served if all of it has arrived. */
bool connection_rest(struct connection *c);

/* A new request has begun: it may be completed, within the grace. */
void connection_resume(struct connection *c);

#endif
