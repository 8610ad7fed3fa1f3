/* SPDX-License-Identifier: MIT */
/* server.h: what the servers of the examples share: a goroutine for each connection, and
   an orderly end. */
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
    tuco_time grace; /* how long connections may go on after SIGINT or SIGTERM */
    /* The goroutine of a connection. It need not close anything. */
    void (*serve)(struct connection *c);
    const void *settings; /* for serve */
    /* NULL, or what the main goroutine does around its call of server_run(). */
    int (*around)(struct server *s);

    /* Set by server_main(). */
    tuco_fd *listener;
    tuco_fd *signals;
    tuco_ctx *life; /* done when the grace is over: for who waits for something else than
                       its connection */
    atomic_bool stopping;
    tuco_wg goroutines; /* one for each connection */
    tuco_mutex lock;
    struct connection *connections; /* lock: a list, in no order */
    bool is_over;                   /* lock: the grace is, and so is every connection */
};

/* Lies on the stack of its goroutine. */
struct connection {
    struct server *server;
    tuco_fd *fd;
    atomic_bool rests;           /* see connection_rest() */
    struct connection *next;     /* the server's lock */
    struct connection *previous; /* the server's lock */
};

/* The whole program, from main(): starts the runtime, listens, prints the address, and
   serves connections until SIGINT or SIGTERM. Then it accepts no more, and waits for
   those that are left until their grace is over or a second signal comes: then their
   descriptors are closed under them. Returns the exit status. */
int server_main(struct server *s);

/* The part of it that the main goroutine does, for s->around. Returns 0 or an error. */
int server_run(struct server *s);

/* Prints "program: text: what error means" on standard error. */
void server_complain(const struct server *s, const char *text, int error);

/* The connection waits for its client to begin something new. If the server is asked to
   stop meanwhile, it reads the end of the file. Returns false if that has been asked
   already: then the connection ends. A client that begins in the moment in which the
   server stops is heard if all that it has to say has arrived. */
bool connection_rest(struct connection *c);

/* Something new has begun: it may be brought to its end, within the grace. */
void connection_resume(struct connection *c);

#endif
