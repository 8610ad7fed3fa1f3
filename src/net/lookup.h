/* SPDX-License-Identifier: MIT */
/* Asking the system for names, by threads that nobody has to wait for. */
#ifndef RT_NET_LOOKUP_H
#define RT_NET_LOOKUP_H

#include "base/compiler.h"
#include "net/address.h"
#include "os/os.h"

struct rt_lookup {
    /* What is asked for. */
    unsigned families; /* enum os_families */
    enum os_fd_kind kind;
    char host[RT_HOST_NAME_MAX + 1];       /* "": nothing */
    char service[RT_SERVICE_NAME_MAX + 1]; /* likewise */

    /* What has been found: of the service, and of the host. */
    int port;
    int count;
    struct os_address *list; /* for rt_free() */
};

/* Waits for the answer, or for the deadline: -ETIMEDOUT. Returns 0, or what keeps the
   names from being looked up, as os_host_find() has it; then *l is as it was. A thread
   that the runtime did not start has a deadline only while the runtime runs. pc: where
   the program called in. Outside. */
int rt_lookup(struct rt_lookup *l, int64_t deadline_ns, const void *pc) RT_NODISCARD;

/* The runtime ends: waits until all threads have ended but those that are in the C library's
   call. */
void rt_lookup_settle(void);

#endif
