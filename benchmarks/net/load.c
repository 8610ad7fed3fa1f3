/* SPDX-License-Identifier: MIT */
/* Starts a server, puts the load of one case on it, and reports the figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>

#include "harness.h"
#include "loads.h"

#define MAX_PROCS 1024

struct load {
    const char *name;
    const char *kind; /* of server */
    void (*run)(const struct bench_server *s);
};

static const struct load loads[] = {
#define BENCH_CASE(name, place, procs)
#define BENCH_NET(name, kind, procs) {#name, #kind, bench_load_##name},
#include "cases.def"
#undef BENCH_NET
#undef BENCH_CASE
};

#define LOADS (sizeof loads / sizeof loads[0])

static void usage(FILE *out) {
    fprintf(out,
            "usage: net_load CASE PEER PS SERVER [ARGUMENT...]\n"
            "       net_load --free-port | --help\n"
            "Starts the server and loads it, prints a line of JSON per figure under\n"
            "the name of the peer. Setting the Ps of the server is the caller's part.\n"
            "cases, and the kind of server they need:");
    for (size_t i = 0; i < LOADS; i++) {
        fprintf(out, " %s (%s)", loads[i].name, loads[i].kind);
    }
    fputc('\n', out);
}

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "net_load: %s%s\n", what, value);
    usage(stderr);
    exit(2);
}

static const struct load *find_load(const char *name) {
    for (size_t i = 0; i < LOADS; i++) {
        if (strcmp(loads[i].name, name) == 0) {
            return &loads[i];
        }
    }
    refuse("no such case: ", name);
}

static int parse_procs(const char *text) {
    char *end;
    long procs = strtol(text, &end, 10);
    if (*end != '\0' || procs < 1 || procs > MAX_PROCS) {
        refuse("no number of Ps: ", text);
    }
    return (int)procs;
}

/* For a server that cannot choose a port itself. Another process may take the port first:
   then that server does not start. */
static void print_free_port(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        bench_die("no port: %m");
    }
    close(fd);
    printf("%d\n", ntohs(address.sin_port));
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--free-port") == 0) {
        print_free_port();
        return 0;
    }
    if (argc < 5) {
        refuse("too few arguments", "");
    }
    const struct load *l = find_load(argv[1]);
    struct bench_server s;
    bench_begin_peer(argv[2], l->name, parse_procs(argv[3]));
    bench_raise_descriptor_limit(); /* the server inherits it */
    bench_server_start(&s, argv + 4);
    l->run(&s);
    bench_server_end(&s);
    return 0;
}
