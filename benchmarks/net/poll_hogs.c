/* SPDX-License-Identifier: MIT */
/* How soon does a server notice a ready socket while all Ps compute? */
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "latency.h"
#include "loads.h"

#define PROBES        300
#define PROBES_BEFORE 10

/* Two time slices: the time of a probe must not depend on when the previous one was
   answered, because a goroutine's slice begins there. */
#define MAX_PAUSE_NS 20000000

/* The same sequence of pauses for every peer. */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void pause_at_random(uint64_t *state) {
    struct timespec span = {.tv_nsec = (long)(next_random(state) % MAX_PAUSE_NS)};
    nanosleep(&span, NULL);
}

/* The server answers with its clock, which is the same, at the time it has the question.
   So the way back, on which this process must get a CPU from a hog, does not count. */
static int64_t probe_late_ns(int fd) {
    int64_t sent_ns = bench_now_ns();
    int64_t seen_ns;
    bench_server_send(fd, &sent_ns, sizeof sent_ns);
    bench_server_receive(fd, &seen_ns, sizeof seen_ns);
    return seen_ns - sent_ns;
}

/* The first probes are not counted: the threads that they need do not exist yet. */
static void probe(const struct bench_server *s) {
    uint64_t random = UINT64_C(88172645463325252);
    struct bench_latencies latencies;
    bench_latencies_make(&latencies, PROBES);
    int fd = bench_server_connect(s);
    for (int i = 0; i < PROBES_BEFORE; i++) {
        probe_late_ns(fd);
    }
    for (int i = 0; i < PROBES; i++) {
        pause_at_random(&random);
        bench_latencies_add(&latencies, probe_late_ns(fd));
    }
    close(fd);
    bench_latencies_report(&latencies, "us late");
    bench_latencies_free(&latencies);
}

void bench_load_poll_yielders(const struct bench_server *s) {
    probe(s);
}

void bench_load_poll_hogs(const struct bench_server *s) {
    probe(s);
}
