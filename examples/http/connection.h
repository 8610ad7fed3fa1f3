/* SPDX-License-Identifier: MIT */
/* connection.h: serving one connection. */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "common/server.h"

/* Answers the requests of the connection, one after the other, until either side ends it.
   The settings of the server are a struct http_settings. */
void http_serve(struct connection *c);

#endif
