/* SPDX-License-Identifier: MIT */
/* routes.h: which paths there are, and what they answer. */
#ifndef HTTP_ROUTES_H
#define HTTP_ROUTES_H

#include "http/request.h"
#include "http/response.h"

/* What a route is given. */
struct exchange {
    const struct request *request;
    struct request_text query;
    struct response *out;
    tuco_ctx *life; /* done when the server can wait no longer */
};

struct route {
    const char *path;
    uint64_t methods;  /* a bit for each, by its number */
    const char *allow; /* the same as a header */
    /* Writes one whole response. The body of the request is there. */
    void (*answer)(struct exchange *e);
};

/* Who answers a request. */
struct choice {
    const struct route *route; /* NULL: nobody, and what follows tells why */
    int status;
    const char *more; /* NULL, or a header that belongs to the status */
    struct request_text query;
};

struct choice route_choose(const struct request *r);

#endif
