/* SPDX-License-Identifier: MIT */
/* The paths of this server. */
#include "http/routes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SLEEP_MAX_MS      60000
#define STREAM_LINES      10
#define STREAM_MAX_LINES  1000
#define STREAM_PAUSE_MS   10
#define STREAM_LINE_BYTES 32

#define METHOD(name) (UINT64_C(1) << HTTP_##name)

/* Finds the value of "name=value" between the '&' of the query. */
static bool value_in(struct request_text query, const char *name,
                     struct request_text *value) {
    size_t length = strlen(name);
    const char *end = query.start + query.length;
    for (const char *at = query.start; at < end;) {
        const char *ampersand = memchr(at, '&', (size_t)(end - at));
        const char *stop = ampersand != NULL ? ampersand : end;
        if ((size_t)(stop - at) > length && memcmp(at, name, length) == 0 &&
            at[length] == '=') {
            value->start = at + length + 1;
            value->length = (size_t)(stop - value->start);
            return true;
        }
        at = ampersand != NULL ? ampersand + 1 : end;
    }
    return false;
}

/* Returns the number of that name in the query; otherwise, if the name is missing; -1 if
   its value is not a number from 0 to max. */
static long number_in(struct request_text query, const char *name, long max,
                      long otherwise) {
    struct request_text value;
    if (!value_in(query, name, &value)) {
        return otherwise;
    }
    long number = value.length > 0 ? 0 : -1;
    for (size_t i = 0; i < value.length && number >= 0; i++) {
        char digit = value.start[i];
        number = digit >= '0' && digit <= '9' ? number * 10 + (digit - '0') : -1;
        number = number <= max ? number : -1;
    }
    return number;
}

/* Sends earlier responses first. Returns early if the server ends. */
static void pause_ms(struct exchange *e, long ms) {
    response_flush(e->out);
    tuco_chan_recv_until(tuco_ctx_done(e->life), NULL,
                         tuco_deadline(ms * TUCO_MILLISECOND));
}

/* GET / */
static void hello(struct exchange *e) {
    static const char text[] = "Hello, World!\n";
    response_begin(e->out, HTTP_STATUS_OK, NULL, sizeof(text) - 1);
    response_write(e->out, text, sizeof(text) - 1);
    response_end(e->out);
}

/* POST /echo */
static void echo(struct exchange *e) {
    response_begin(e->out, HTTP_STATUS_OK, NULL, e->request->body_length);
    response_write(e->out, e->request->body, e->request->body_length);
    response_end(e->out);
}

/* GET /sleep?ms=N */
static void sleep_for(struct exchange *e) {
    long ms = number_in(e->query, "ms", SLEEP_MAX_MS, -1);
    if (ms < 0) {
        response_status(e->out, HTTP_STATUS_BAD_REQUEST, NULL);
        return;
    }
    pause_ms(e, ms);
    response_status(e->out, HTTP_STATUS_OK, NULL);
}

/* GET /stream?lines=N&ms=N: each line is sent when it is made. */
static void stream(struct exchange *e) {
    long lines = number_in(e->query, "lines", STREAM_MAX_LINES, STREAM_LINES);
    long ms = number_in(e->query, "ms", SLEEP_MAX_MS, STREAM_PAUSE_MS);
    if (lines < 0 || ms < 0) {
        response_status(e->out, HTTP_STATUS_BAD_REQUEST, NULL);
        return;
    }
    response_begin(e->out, HTTP_STATUS_OK, NULL, RESPONSE_UNKNOWN);
    for (long i = 1; i <= lines && !e->out->head_only && e->out->error == 0; i++) {
        char line[STREAM_LINE_BYTES];
        int length = snprintf(line, sizeof(line), "line %ld\n", i);
        response_write(e->out, line, (size_t)length);
        pause_ms(e, ms);
    }
    response_end(e->out);
}

static const struct route routes[] = {
    {"/", METHOD(GET) | METHOD(HEAD), "Allow: GET, HEAD\r\n", hello},
    {"/echo", METHOD(POST), "Allow: POST\r\n", echo},
    {"/sleep", METHOD(GET) | METHOD(HEAD), "Allow: GET, HEAD\r\n", sleep_for},
    {"/stream", METHOD(GET) | METHOD(HEAD), "Allow: GET, HEAD\r\n", stream},
};

static const struct route *route_at(struct request_text path) {
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (path.length == strlen(routes[i].path) &&
            memcmp(path.start, routes[i].path, path.length) == 0) {
            return &routes[i];
        }
    }
    return NULL;
}

struct choice route_choose(const struct request *r) {
    struct choice choice = {.status = HTTP_STATUS_NOT_FOUND};
    struct request_text path;
    if (!request_target(r, &path, &choice.query)) {
        choice.status = HTTP_STATUS_BAD_REQUEST;
        return choice;
    }
    const struct route *route = route_at(path);
    if (route != NULL && (route->methods & UINT64_C(1) << r->parser.method) == 0) {
        choice.status = HTTP_STATUS_METHOD_NOT_ALLOWED;
        choice.more = route->allow;
    } else {
        choice.route = route;
    }
    return choice;
}
