/* SPDX-License-Identifier: MIT */
/* Heads, chunks, and the buffer that collects them. */
#include "http/response.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_BYTES 24 // room for a size in any base from 10 on

/* The buffer */

static void write_out(struct response *out, const struct iovec *pieces, int n) {
    if (out->error == 0) {
        tuco_fd_set_write_deadline(out->fd, tuco_deadline(out->write_time));
        ssize_t written = tuco_fd_writev(out->fd, pieces, n);
        out->error = written < 0 ? (int)written : 0;
    }
    out->length = 0;
}

/* Bytes that do not fit are sent together with the buffer, without a copy. */
static void put(struct response *out, const void *bytes, size_t n) {
    if (n <= sizeof(out->buffer) - out->length) {
        memcpy(out->buffer + out->length, bytes, n);
        out->length += n;
        return;
    }
    struct iovec pieces[] = {
        {.iov_base = out->buffer, .iov_len = out->length},
        {.iov_base = (void *)bytes, .iov_len = n},
    };
    write_out(out, pieces, 2);
}

static void put_text(struct response *out, const char *text) {
    put(out, text, strlen(text));
}

static void put_number(struct response *out, size_t number, unsigned base) {
    char digits[NUMBER_BYTES];
    char *first = digits + sizeof(digits);
    do {
        *--first = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    put(out, first, (size_t)(digits + sizeof(digits) - first));
}

int response_flush(struct response *out) {
    if (out->length > 0) {
        struct iovec all = {.iov_base = out->buffer, .iov_len = out->length};
        write_out(out, &all, 1);
    }
    return out->error;
}

/* The head */

/* Formats the text at most once a second. */
static void put_date(struct response *out) {
    time_t now = time(NULL);
    if (now != out->dated) {
        struct tm parts;
        gmtime_r(&now, &parts);
        strftime(out->date, sizeof(out->date), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        out->dated = now;
    }
    put_text(out, "Date: ");
    put_text(out, out->date);
    put_text(out, "\r\n");
}

static void put_length(struct response *out, size_t length) {
    if (length != RESPONSE_UNKNOWN) {
        put_text(out, "Content-Length: ");
        put_number(out, length, 10);
        put_text(out, "\r\n");
    } else if (out->is_old) {
        out->keep_alive = false; /* the end of the connection is the end of the body */
    } else {
        out->chunked = true;
        put_text(out, "Transfer-Encoding: chunked\r\n");
    }
}

static void put_connection(struct response *out) {
    if (!out->keep_alive) {
        put_text(out, "Connection: close\r\n");
    } else if (out->is_old) {
        put_text(out, "Connection: keep-alive\r\n");
    }
}

void response_init(struct response *out, tuco_fd *fd, tuco_time write_time,
                   const atomic_bool *stopping) {
    out->fd = fd;
    out->write_time = write_time;
    out->stopping = stopping;
    out->error = 0;
    out->dated = 0;
    out->length = 0;
}

/* After a request that was not read to its end no other can follow. */
void response_answer(struct response *out, const struct request *r) {
    out->keep_alive = r->keep_alive && r->stage == REQUEST_COMPLETE;
    out->is_old = r->is_old;
    out->head_only = r->is_head;
    out->chunked = false;
}

void response_begin(struct response *out, int status, const char *more, size_t length) {
    out->keep_alive = out->keep_alive && !atomic_load(out->stopping);
    put_text(out, "HTTP/1.1 ");
    put_number(out, (size_t)status, 10);
    put_text(out, " ");
    put_text(out, http_status_str((enum http_status)status));
    put_text(out, "\r\nContent-Type: text/plain\r\n");
    put_date(out);
    put_length(out, length);
    put_connection(out);
    if (more != NULL) {
        put_text(out, more);
    }
    put_text(out, "\r\n");
}

/* The body */

void response_write(struct response *out, const void *bytes, size_t n) {
    if (out->head_only || n == 0) { /* an empty chunk would be the last one */
        return;
    }
    if (out->chunked) {
        put_number(out, n, 16);
        put_text(out, "\r\n");
    }
    put(out, bytes, n);
    if (out->chunked) {
        put_text(out, "\r\n");
    }
}

void response_end(struct response *out) {
    if (out->chunked && !out->head_only) {
        put_text(out, "0\r\n\r\n");
    }
}

void response_status(struct response *out, int status, const char *more) {
    const char *name = http_status_str((enum http_status)status);
    response_begin(out, status, more, strlen(name) + 1);
    response_write(out, name, strlen(name));
    response_write(out, "\n", 1);
    response_end(out);
}

void response_continue(struct response *out) {
    put_text(out, "HTTP/1.1 100 Continue\r\n\r\n");
}
