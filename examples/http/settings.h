/* SPDX-License-Identifier: MIT */
/* settings.h: how long a client may take, and how much it may send. */
#ifndef HTTP_SETTINGS_H
#define HTTP_SETTINGS_H

#include <stddef.h>
#include <tuco.h>

struct http_settings {
    tuco_time idle; /* between two requests: then the connection is closed */
    tuco_time head; /* for all of a request's head, from its first bytes on: else 408 */
    tuco_time body; /* for all of its body: else 408 */
    /* for taking what is sent at a time: else the connection is closed */
    tuco_time write;
    tuco_time linger; /* for a client that goes on sending after its last response */
    size_t body_max;  /* bytes: more are 413 */
};

#define HTTP_HEAD_MAX   8192 /* bytes of a request's line and headers: more are 431 */
#define HTTP_TARGET_MAX 2048 /* bytes of the request's target: more are 414 */

#endif
