/* SPDX-License-Identifier: MIT */
/* request.h: a request as it is parsed, piece by piece. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/settings.h"

#include <http_parser.h>
#include <stdbool.h>

/* Longer than any header name or value that matters here. */
#define REQUEST_WORD_MAX 31

/* The beginning of a header's name or value. */
struct request_word {
    size_t length; /* above REQUEST_WORD_MAX: the rest was not kept */
    char text[REQUEST_WORD_MAX + 1];
};

enum request_stage { REQUEST_HEAD, REQUEST_BODY, REQUEST_COMPLETE };

struct request {
    http_parser parser;
    size_t body_max;

    /* Of the present request. */
    enum request_stage stage; /* the part that is being read */
    int status;               /* 0, or the status of the response that refuses it */
    bool is_head;             /* valid from here on after the head was read */
    bool is_old;              /* HTTP/1.0 */
    bool keep_alive;          /* the client may send further requests */
    bool has_body;
    bool expects_continue;
    int hosts;   /* Host headers */
    int codings; /* Transfer-Encoding headers */
    bool in_value;
    struct request_word name;
    struct request_word value;
    size_t target_length;
    char target[HTTP_TARGET_MAX];

    /* The memory stays for the next request. */
    char *body;
    size_t body_length;
    size_t body_room;
};

/* A part of the target, in the target. */
struct request_text {
    const char *start;
    size_t length;
};

void request_init(struct request *r, size_t body_max);
void request_release(struct request *r);

/* Parses up to the end of the stage, and then sets the next stage. Returns how many of
   the n bytes were parsed. If it sets r->status, the stage is not over. */
size_t request_parse(struct request *r, const char *bytes, size_t n);

/* Resets a complete request for the next one. */
void request_next(struct request *r);

/* Returns false if the target of the request is malformed. */
bool request_target(const struct request *r, struct request_text *path,
                    struct request_text *query);

#endif
