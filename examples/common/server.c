/* SPDX-License-Identifier: MIT */
/* Accepts connections, with a goroutine for each, and waits for them at the end. */
#include "common/server.h"
#include "common/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPT_PAUSE    (20 * TUCO_MILLISECOND)
#define COMPLAINT_PAUSE TUCO_SECOND
#define ADDRESS_BYTES   128
#define MEANING_BYTES   64

void server_complain(const struct server *s, const char *text, int error) {
    char meaning[MEANING_BYTES] = "";
    strerror_r(-error, meaning, sizeof(meaning));
    fprintf(stderr, "%s: %s: %s\n", s->program, text, meaning);
}

/* Connections */

static void add(struct connection *c) {
    struct server *s = c->server;
    tuco_mutex_lock(&s->lock);
    c->next = s->connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    s->connections = c;
    if (s->is_over) {
        tuco_fd_close(tuco_fd_ref(c->fd)); /* it was accepted in the last moment */
    }
    tuco_mutex_unlock(&s->lock);
}

static void drop(struct connection *c) {
    struct server *s = c->server;
    tuco_mutex_lock(&s->lock);
    *(c->previous != NULL ? &c->previous->next : &s->connections) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    tuco_mutex_unlock(&s->lock);
}

/* A goroutine: its argument is its own copy. */
static void run_connection(void *arg) {
    struct connection *c = arg;
    struct server *s = c->server;
    add(c);
    s->serve(c);
    drop(c); /* before the handle can go */
    tuco_fd_close(c->fd);
    tuco_wg_done(&s->goroutines);
}

static int start(struct server *s, tuco_fd *fd) {
    struct connection c = {.server = s, .fd = fd};
    tuco_wg_add(&s->goroutines, 1);
    int error = tuco_go_copy(run_connection, &c, sizeof(c));
    if (error != 0) {
        tuco_wg_done(&s->goroutines);
        tuco_fd_close(fd);
    }
    return error;
}

bool connection_rest(struct connection *c) {
    /* Sets rests, then reads stopping; tell_the_resting() sets stopping, then reads
       rests: at least one of the two sees the other's store. */
    atomic_store(&c->rests, true);
    return !atomic_load(&c->server->stopping);
}

void connection_resume(struct connection *c) {
    atomic_store(&c->rests, false);
}

/* Accepting */

static int accept_one(struct server *s) {
    tuco_fd *fd;
    int error = tuco_accept(s->listener, &fd);
    return error == 0 ? start(s, fd) : error;
}

/* A goroutine, with its own reference to the listener, which another goroutine closes. If
   descriptors or memory are lacking, it waits until connections may have ended, and tries
   again. Clients wait in the kernel's queue meanwhile. */
static void accept_all(void *arg) {
    struct server *s = arg;
    tuco_time silent_until = 0;
    for (;;) {
        int error = accept_one(s);
        if (error == -ECANCELED || error == -EBADF) {
            break; /* the listener is closed */
        }
        if (error == 0) {
            continue;
        }
        if (tuco_now() >= silent_until) {
            server_complain(s, "cannot accept for the moment", error);
            silent_until = tuco_deadline(COMPLAINT_PAUSE);
        }
        tuco_sleep(ACCEPT_PAUSE);
    }
    tuco_fd_unref(s->listener);
}

/* Stopping */

static void tell_the_resting(struct server *s) {
    atomic_store(&s->stopping, true);
    tuco_mutex_lock(&s->lock);
    for (struct connection *c = s->connections; c != NULL; c = c->next) {
        if (atomic_load(&c->rests)) {
            tuco_fd_shutdown(c->fd, SHUT_RD);
        }
    }
    tuco_mutex_unlock(&s->lock);
}

/* Wakes all goroutines that wait for their connection or for the context. */
static int cut_off(struct server *s) {
    int count = 0;
    tuco_ctx_cancel(s->life);
    tuco_mutex_lock(&s->lock);
    s->is_over = true;
    for (struct connection *c = s->connections; c != NULL; c = c->next) {
        count += tuco_fd_close(tuco_fd_ref(c->fd)) == 0;
    }
    tuco_mutex_unlock(&s->lock);
    return count;
}

/* A goroutine: waits for the second signal, for the end of the grace, or until the last
   connection has ended and the handle is closed. */
static void end_grace(void *arg) {
    struct server *s = arg;
    int signal = stop_wait(s->signals);
    if (signal != -ECANCELED && signal != -EBADF) {
        printf("%s: connections cut off: %d\n", s->program, cut_off(s));
    }
}

/* Returns when the last connection has ended. */
static void drain(struct server *s) {
    tuco_wg grace = {0};
    tell_the_resting(s);
    tuco_fd_set_read_deadline(s->signals, tuco_deadline(s->grace));
    if (tuco_wg_go(&grace, end_grace, s) != 0) {
        cut_off(s); /* no memory: then without grace */
    }
    tuco_wg_wait(&s->goroutines);
    tuco_fd_close(tuco_fd_ref(s->signals)); /* no connection is left */
    tuco_wg_wait(&grace);
}

/* The file of a Unix socket, which stays if a process ends without closing it. */

static bool has_file(const struct server *s) {
    return strcmp(s->network, "unix") == 0 && s->address[0] != '@';
}

/* If connections are refused, no process uses the file any more. */
static void remove_stale_file(const struct server *s) {
    tuco_fd *other;
    int error = tuco_dial(s->network, s->address, tuco_deadline(TUCO_SECOND), &other);
    if (error == 0) {
        tuco_fd_close(other);
    } else if (error == -ECONNREFUSED) {
        unlink(s->address);
    }
}

/* Starting */

/* Each connection needs a descriptor, and the default limit is often low. */
static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int serve_until_signal(struct server *s) {
    char address[ADDRESS_BYTES] = "?";
    tuco_wg accepting = {0};
    tuco_fd_ref(s->listener);
    int error = tuco_wg_go(&accepting, accept_all, s);
    if (error != 0) {
        tuco_fd_unref(s->listener);
    } else {
        tuco_local_address(s->listener, address, sizeof(address));
        printf("%s: listening on %s\n", s->program, address);
        fflush(stdout); /* another process may wait for this line */
        stop_wait(s->signals);
    }
    tuco_fd_close(s->listener);
    tuco_wg_wait(&accepting);
    return error;
}

int server_run(struct server *s) {
    s->life = tuco_ctx_with_cancel(tuco_ctx_background());
    int error = s->life == NULL ? -ENOMEM : 0;
    if (error == 0 && has_file(s)) {
        remove_stale_file(s);
    }
    if (error == 0) {
        error = tuco_listen(s->network, s->address, &s->listener);
    }
    if (error == 0) {
        error = serve_until_signal(s);
        drain(s);
    }
    tuco_ctx_unref(s->life);
    return error;
}

static int main_goroutine(void *arg) {
    struct server *s = arg;
    return s->around != NULL ? s->around(s) : server_run(s);
}

int server_main(struct server *s) {
    raise_descriptor_limit();
    s->signals = stop_open(); /* before other threads exist */
    int error = s->signals == NULL ? -ENOMEM : tuco_run(main_goroutine, s);
    tuco_fd_unref(s->signals);
    if (error != 0) {
        server_complain(s, s->address, error);
        return 1;
    }
    return 0;
}
