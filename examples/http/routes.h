/* SPDX-License-Identifier: MIT */
/* routes.h: the paths of this server, and their handlers. */
#ifndef HTTP_ROUTES_H
#define HTTP_ROUTES_H

#include "http/request.h"
#include "http/response.h"

/* The arguments of a route. */
struct exchange {
    const struct request *request;
    struct request_text query;
    struct response *out;
    tuco_ctx *life; /* done when the server no longer waits */
};

struct route {
    const char *path;
    uint64_t methods;  /* a bit for each, by its number */
    const char *allow; /* the same as a header */
    /* Writes one whole response. The body of the request has been read. */
    void (*answer)(struct exchange *e);
};

/* The route that answers a request. */
struct choice {
    const struct route *route; /* NULL: none, for the reason that follows */
    int status;
    const char *more; /* NULL, or a header that belongs to the status */
    struct request_text query;
};

struct choice route_choose(const struct request *r);

#endif
