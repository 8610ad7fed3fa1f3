/* SPDX-License-Identifier: MIT */
/* How much memory does a server need for a connection that is no longer used? */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness.h"
#include "loads.h"
#include "proc.h"

#define CONNECTIONS   10000
#define MESSAGE_BYTES 64

/* Other open descriptors of the load and the server, with some margin. */
#define OTHER_DESCRIPTORS 100

/* Uses each connection once: a server may need less memory for one that was never used. */
static int open_and_use(const struct bench_server *s) {
    char question[MESSAGE_BYTES];
    char answer[MESSAGE_BYTES];
    memset(question, 'q', sizeof question);
    int fd = bench_server_connect(s);
    bench_server_send(fd, question, sizeof question);
    bench_server_receive(fd, answer, sizeof answer);
    if (memcmp(question, answer, sizeof answer) != 0) {
        bench_die("an answer is not what was asked");
    }
    return fd;
}

static void check_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_die("getrlimit: %m");
    }
    if (limit.rlim_cur < CONNECTIONS + OTHER_DESCRIPTORS) {
        bench_die("%d connections are wanted, and %llu descriptors are allowed",
                  CONNECTIONS, (unsigned long long)limit.rlim_cur);
    }
}

void bench_load_idle_conns(const struct bench_server *s) {
    check_descriptor_limit();
    int *fds = calloc(CONNECTIONS, sizeof fds[0]);
    bench_check_made(fds, "connections");
    bench_server_disconnect(open_and_use(s));
    bench_server_settle(s);
    double before = bench_proc_resident_bytes_of(s->pid);
    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = open_and_use(s);
    }
    bench_server_settle(s);
    double grown = bench_proc_resident_bytes_of(s->pid) - before;
    bench_report_one(NULL, "B/conn", CONNECTIONS, grown / CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++) {
        bench_server_disconnect(fds[i]);
    }
    free(fds);
}
