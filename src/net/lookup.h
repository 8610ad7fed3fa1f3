/* SPDX-License-Identifier: MIT */
/* Looking up host and service names, on threads that callers can abandon. */
#ifndef RT_NET_LOOKUP_H
#define RT_NET_LOOKUP_H

#include "base/compiler.h"
#include "net/address.h"
#include "os/os.h"

/* Owner: the caller of rt_lookup(). */
struct rt_lookup {
    /* The request. */
    unsigned families; /* enum os_families */
    enum os_fd_kind kind;
    char host[RT_HOST_NAME_MAX + 1];       /* "": none */
    char service[RT_SERVICE_NAME_MAX + 1]; /* "": none */

    /* The answer. */
    int port;                /* of the service */
    int count;               /* of the host's addresses */
    struct os_address *list; /* the caller frees it with rt_free() */
};

/* Waits for the answer or the deadline. Returns 0, -ETIMEDOUT, or an error of
   os_host_find() or os_service_find(); on error *l is unchanged. On a foreign thread the
   deadline works only while the runtime runs. pc: the caller of the public function. Call
   it outside. */
int rt_lookup(struct rt_lookup *l, int64_t deadline_ns, const void *pc) RT_NODISCARD;

/* The runtime ends: waits until all lookup threads have ended, except those that are in a
   call of the C library. */
void rt_lookup_settle(void);

#endif
