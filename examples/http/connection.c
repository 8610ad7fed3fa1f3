/* SPDX-License-Identifier: MIT */
/* One connection: its requests in order, its deadlines, and its end. */
#include "http/connection.h"
#include "http/request.h"
#include "http/response.h"
#include "http/routes.h"

#include <errno.h>
#include <sys/socket.h>

#define INPUT_BYTES 16384

/* On the stack of the connection's goroutine; its untouched pages take no memory. */
struct session {
    struct connection *c;
    const struct http_settings *settings;
    struct request request;
    struct response out;
    bool peer_ended; /* no more input, or no reader */
    size_t start;    /* of the input that is not parsed yet */
    size_t end;
    char input[INPUT_BYTES];
};

/* Reading. A result below is 0, the status of a response that refuses the request, or an
   error: then no client is left to answer. */

/* Waits for more input. Sends all buffered responses before. */
static int fill(struct session *s, tuco_time deadline) {
    int error = response_flush(&s->out);
    if (error == 0) {
        tuco_fd_set_read_deadline(s->c->fd, deadline);
        ssize_t n = tuco_fd_read(s->c->fd, s->input, sizeof(s->input));
        s->start = 0;
        s->end = n > 0 ? (size_t)n : 0;
        error = n > 0 ? 0 : n == 0 ? -EPIPE : (int)n;
    }
    s->peer_ended = error != 0 && error != -ETIMEDOUT;
    return error;
}

/* Reads until the stage is over. One deadline applies to the whole stage, however small
   its pieces are. */
static int read_stage(struct session *s, enum request_stage stage, tuco_time time) {
    struct request *r = &s->request;
    tuco_time deadline = 0;
    for (;;) {
        if (s->start < s->end) {
            s->start += request_parse(r, s->input + s->start, s->end - s->start);
        }
        if (r->status != 0 || r->stage != stage) {
            return r->status;
        }
        if (deadline == 0) {
            deadline = tuco_deadline(time);
        }
        int error = fill(s, deadline);
        if (error != 0) {
            return error == -ETIMEDOUT ? HTTP_STATUS_REQUEST_TIMEOUT : error;
        }
    }
}

/* Between two requests the client may be idle. */
static int read_head(struct session *s) {
    request_next(&s->request);
    if (s->start == s->end) {
        if (!connection_rest(s->c)) {
            return -ECANCELED;
        }
        int error = fill(s, tuco_deadline(s->settings->idle));
        connection_resume(s->c);
        if (error != 0) {
            return error;
        }
    }
    return read_stage(s, REQUEST_HEAD, s->settings->head);
}

static int read_body(struct session *s) {
    const struct request *r = &s->request;
    /* The last byte of the head is still there: the parser has stopped before it. */
    bool has_come = s->end - s->start > 1;
    if (r->expects_continue && r->has_body && !has_come) {
        response_continue(&s->out);
    }
    return read_stage(s, REQUEST_BODY, s->settings->body);
}

/* Answering */

/* A request that is refused for its target is read to its end if it has no body, so that
   others can follow. The server does not request a body that it will not use. */
static int read_rest(struct session *s, const struct choice *choice) {
    return choice->route != NULL || !s->request.has_body ? read_body(s) : 0;
}

static void answer(struct session *s, int status, const struct choice *choice) {
    struct exchange e = {
        .request = &s->request,
        .query = choice->query,
        .out = &s->out,
        .life = s->c->server->life,
    };
    response_answer(&s->out, &s->request);
    if (status != 0) {
        response_status(&s->out, status, NULL);
    } else if (choice->route == NULL) {
        response_status(&s->out, choice->status, choice->more);
    } else {
        choice->route->answer(&e);
    }
}

/* Returns whether there may be another request. */
static bool serve_one(struct session *s) {
    struct choice choice = {.route = NULL};
    int status = read_head(s);
    if (status == 0) {
        choice = route_choose(&s->request);
        status = read_rest(s, &choice);
    }
    if (status < 0) {
        return false;
    }
    answer(s, status, &choice);
    return s->out.keep_alive && s->out.error == 0;
}

/* Closing a socket with unread input resets the connection, and the client may lose the
   last response. So the server reads and discards input for a while. */
static void linger(struct session *s) {
    tuco_fd *fd = s->c->fd;
    tuco_fd_shutdown(fd, SHUT_WR);
    tuco_fd_set_read_deadline(fd, tuco_deadline(s->settings->linger));
    while (tuco_fd_read(fd, s->input, sizeof(s->input)) > 0) {
    }
}

void http_serve(struct connection *c) {
    struct session s;
    s.c = c;
    s.settings = c->server->settings;
    s.peer_ended = false;
    s.start = s.end = 0;
    request_init(&s.request, s.settings->body_max);
    response_init(&s.out, c->fd, s.settings->write, &c->server->stopping);
    while (serve_one(&s)) {
    }
    if (response_flush(&s.out) == 0 && !s.peer_ended) {
        linger(&s);
    }
    request_release(&s.request);
}
