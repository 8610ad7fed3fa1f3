/* SPDX-License-Identifier: MIT */
/* response.h: responses, collected in a buffer that is sent before the connection
   waits. */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include "http/request.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <tuco.h>

#define RESPONSE_BUFFER_BYTES 8192
#define RESPONSE_DATE_BYTES   32

/* The length of a body that is not known before it has been written. */
#define RESPONSE_UNKNOWN SIZE_MAX

struct response {
    tuco_fd *fd;
    tuco_time write_time;
    const atomic_bool *stopping; /* connections end after their response */
    int error;                   /* the first error; later writes are dropped */

    /* Of the present response. */
    bool keep_alive;
    bool is_old;    /* the client speaks HTTP/1.0 */
    bool head_only; /* for a HEAD request */
    bool chunked;

    time_t dated; /* time of the text in date */
    char date[RESPONSE_DATE_BYTES];
    size_t length; /* of the buffered responses, or parts of them */
    char buffer[RESPONSE_BUFFER_BYTES];
};

void response_init(struct response *out, tuco_fd *fd, tuco_time write_time,
                   const atomic_bool *stopping);

/* Begins the response to the request. */
void response_answer(struct response *out, const struct request *r);

/* Writes the head, which decides whether the connection stays open. more is NULL or
   further headers, each with its line end. A body of that length follows, piece by
   piece. */
void response_begin(struct response *out, int status, const char *more, size_t length);

/* Writes n bytes of the body. Blocks only if the buffer is full. */
void response_write(struct response *out, const void *bytes, size_t n);

/* Completes the body. */
void response_end(struct response *out);

/* Writes a whole response with a status and its name. */
void response_status(struct response *out, int status, const char *more);

/* The client may send the body that it has announced. */
void response_continue(struct response *out);

/* Sends the buffer. Called before every wait, so that one write carries all responses of
   a pipeline. Returns 0 or the first error. */
int response_flush(struct response *out);

#endif
