/* SPDX-License-Identifier: MIT */
/* How many requests does a web server answer, how soon, and for how much CPU time? */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "loads.h"

#define THREADS         1
#define CONNECTIONS     100
#define WARM_UP_SECONDS 1
#define WINDOW_SECONDS  2

/* The same for all servers. */
static const char body[] = "Hello, World!\n";

static void check_answer(const struct bench_server *s) {
    static const char request[] = "GET / HTTP/1.1\r\n"
                                  "Host: localhost\r\n"
                                  "Connection: close\r\n\r\n";
    static const char good[] = "HTTP/1.1 200 ";
    char answer[4096];
    size_t got = 0;
    int fd = bench_server_connect(s);
    bench_server_send(fd, request, sizeof request - 1);
    for (ssize_t n = 1; n > 0; got += (size_t)n) {
        n = recv(fd, answer + got, sizeof answer - got, 0);
        if (n < 0) {
            bench_die("recv: %m");
        }
    }
    close(fd);
    if (got < sizeof good + sizeof body || memcmp(answer, good, sizeof good - 1) != 0 ||
        memcmp(answer + got - (sizeof body - 1), body, sizeof body - 1) != 0) {
        bench_die("the server does not say hello: '%.*s'", (int)got, answer);
    }
}

/* The output of report.lua. */
struct outcome {
    unsigned long requests;
    unsigned long took_us;
    unsigned long errors;
    unsigned long p50_us;
    unsigned long p99_us;
};

static struct outcome run_wrk(const struct bench_server *s, int seconds) {
    char address[INET_ADDRSTRLEN];
    char command[1024];
    char line[256];
    struct outcome o;
    inet_ntop(AF_INET, &s->address.sin_addr, address, sizeof address);
    snprintf(command, sizeof command, "wrk -t%d -c%d -d%ds -s '%s' http://%s:%d/",
             THREADS, CONNECTIONS, seconds, BENCH_WRK_REPORT, address,
             ntohs(s->address.sin_port));
    FILE *wrk = popen(command, "re");
    bool reported = false;
    while (wrk && fgets(line, sizeof line, wrk)) {
        reported |= sscanf(line, "report %lu %lu %lu %lu %lu", &o.requests, &o.took_us,
                           &o.errors, &o.p50_us, &o.p99_us) == 5;
    }
    if (!wrk || pclose(wrk) != 0 || !reported) {
        bench_die("wrk failed: %s", command);
    }
    if (o.errors > 0 || o.requests == 0) {
        bench_die("%lu of %lu requests failed", o.errors, o.requests + o.errors);
    }
    return o;
}

void bench_load_http(const struct bench_server *s) {
    check_answer(s);
    run_wrk(s, WARM_UP_SECONDS);
    int64_t cpu_ns = bench_server_cpu_ns(s);
    struct outcome o = run_wrk(s, WINDOW_SECONDS);
    cpu_ns = bench_server_cpu_ns(s) - cpu_ns;
    double count = (double)o.requests;
    bench_report_one(NULL, "ns/req", o.requests, (double)o.took_us * 1e3 / count);
    bench_report_one("_cpu", "ns CPU/req", o.requests, (double)cpu_ns / count);
    bench_report_one("_p50", "us", o.requests, (double)o.p50_us);
    bench_report_one("_p99", "us", o.requests, (double)o.p99_us);
}
