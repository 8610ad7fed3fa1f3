/* SPDX-License-Identifier: MIT */
/* Proves: a lookup may use as much stack as on a plain thread: modules of the name
   service rely on it. */
#include "net.h"
#include <netdb.h>

#define MODULE_BYTES ((size_t)1 << 20)

/* Replaces the C library's function by a module with a large frame. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **out) {
    volatile char frame[MODULE_BYTES];
    (void)host;
    (void)service;
    (void)hints;
    *out = NULL;
    for (size_t i = 0; i < sizeof frame; i += 4096) {
        frame[i] = 1;
    }
    return frame[0] == 1 ? EAI_NONAME : EAI_FAIL;
}

static int dial_main(void *arg) {
    (void)arg;
    tuco_fd *f = NULL;
    ASSERT_LT(tuco_dial("tcp", "name.invalid:80", TUCO_NEVER, &f), 0);
    return 0;
}

TEST(lookup_takes_stack) {
    RUN(dial_main);
}
