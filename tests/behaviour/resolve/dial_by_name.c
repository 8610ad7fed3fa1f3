/* SPDX-License-Identifier: MIT */
/* Proves: names of hosts and services are resolved, for goroutines with any stack size
   and for threads, with and without a deadline, with and without a runtime. */
#include "loopback.h"

#include <netdb.h>

static const tuco_attr small_stack = {.stack_size = (size_t)16 * 1024};

static char service_address[LO_TEXT];
static char address[LO_TEXT];

/* Dials "localhost" with a port that has a listener. */
static void dial(void *deadline) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("tcp4", address, *(tuco_time *)deadline, &f), 0);
    lo_close(f);
}

static void dial_on_small_stack(void *wg) {
    tuco_time deadline = TUCO_NEVER;
    dial(&deadline);
    tuco_wg_done(wg);
}

static int host_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_time never = TUCO_NEVER;
    tuco_time soon = tuco_deadline(10 * TUCO_SECOND);
    tuco_fd *l = lo_listen("tcp4", "localhost:0");
    lo_at("localhost", l, address);
    dial(&never);
    dial(&soon);
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_attr(&small_stack, dial_on_small_stack, &wg), 0);
    tuco_wg_wait(&wg);
    test_threads_run(2, dial, &never);
    test_threads_run(2, dial, &soon);
    lo_close(l);
    return 0;
}

TEST(hosts) {
    RUN(host_main);
}

/* A datagram socket needs no peer. */
static int service_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_fd *f = lo_dial("udp4", "127.0.0.1:domain");
    ASSERT_STR(lo_remote(f, text), service_address);
    lo_close(f);
    f = lo_dial("udp4", "localhost:domain");
    ASSERT_STR(lo_remote(f, text), service_address);
    lo_close(f);
    ASSERT_EQ(tuco_dial("udp", "127.0.0.1:no-such-service", TUCO_NEVER, &f),
              -EADDRNOTAVAIL);
    return 0;
}

TEST(services) {
    const struct servent *s = getservbyname("domain", "udp");
    if (s == NULL) {
        SKIP("This machine has no list of services.");
    }
    snprintf(service_address, sizeof service_address, "127.0.0.1:%d",
             ntohs((uint16_t)s->s_port));
    RUN(service_main);
}

TEST(without_a_runtime) {
    char text[LO_TEXT];
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("udp4", "localhost:9", tuco_deadline(TUCO_SECOND), &f), 0);
    ASSERT_STR(lo_remote(f, text), "127.0.0.1:9");
    lo_close(f);
    lo_close(lo_listen("tcp4", "localhost:0"));
}
