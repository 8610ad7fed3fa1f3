/* SPDX-License-Identifier: MIT */
/* Runs one case of cases.def in this process, with the Ps of TUCOPROCS or of the case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tuco.h>

#include "cases.h"
#include "harness.h"
#include "machine.h"
#include "proc.h"

enum place { THREAD, GOROUTINE };

struct bench_case {
    const char *name;
    void (*run)(void);
    enum place place;
    int procs;
};

static const struct bench_case cases[] = {
#define BENCH_CASE(name, place, procs) {#name, bench_##name, place, procs},
#define BENCH_NET(name, kind, procs)
#include "cases.def"
#undef BENCH_NET
#undef BENCH_CASE
};

#define CASES (sizeof cases / sizeof cases[0])

static void usage(FILE *out) {
    fprintf(out,
            "usage: tuco_bench CASE | --machine | --touch-memory | --help\n"
            "Runs one case, prints a line of JSON per figure. TUCOPROCS sets the Ps.\n"
            "cases:");
    for (size_t i = 0; i < CASES; i++) {
        fprintf(out, " %s", cases[i].name);
    }
    fputc('\n', out);
}

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "tuco_bench: %s%s\n", what, value);
    usage(stderr);
    exit(2);
}

static const struct bench_case *find_case(const char *name) {
    for (size_t i = 0; i < CASES; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            return &cases[i];
        }
    }
    refuse("no such case: ", name);
}

/* The number of Ps that the library will use. The library itself reports a bad value. */
static int choose_procs(const struct bench_case *c) {
    if (c->procs == BENCH_PROCS_NONE) {
        return 0;
    }
    const char *setting = getenv("TUCOPROCS");
    if (!setting || !setting[0]) {
        tuco_config config = {.procs = c->procs};
        bench_check(tuco_configure(&config), "tuco_configure");
        return c->procs == BENCH_PROCS_ANY ? tuco_cpus() : c->procs;
    }
    int procs = atoi(setting);
    if (c->procs != BENCH_PROCS_ANY && c->procs != procs) {
        refuse("the case has a fixed number of Ps, and TUCOPROCS is another: ", setting);
    }
    return procs;
}

static int run_in_goroutine(void *arg) {
    const struct bench_case *c = arg;
    c->run();
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        refuse("exactly one argument is expected", "");
    }
    if (strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--machine") == 0) {
        bench_machine_json(stdout);
        putchar('\n');
        return 0;
    }
    if (strcmp(argv[1], "--touch-memory") == 0) {
        bench_proc_touch_memory();
        return 0;
    }
    const struct bench_case *c = find_case(argv[1]);
    bench_begin(c->name, choose_procs(c));
    if (c->place == THREAD) {
        c->run();
    } else {
        bench_check(tuco_run(run_in_goroutine, (void *)c), "tuco_run");
    }
    return 0;
}
