/* SPDX-License-Identifier: MIT */
/* runner.c: main() of every test program: selects tests, runs each in a child, reports. */
#include "fault.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_LIMIT_SECONDS  60.0
#define DEFAULT_STRESS_SECONDS 5

const char *test_current_name = "(none)";
double test_limit_seconds = DEFAULT_LIMIT_SECONDS;

static struct test *tests;
static struct test **tests_tail = &tests;
static uint64_t seed;
static int seconds = DEFAULT_STRESS_SECONDS;

/* The command line. */
struct options {
    bool list;
    bool here; /* no child and no watchdog, for a debugger */
    char **names;
    int name_count; /* 0: all */
};

struct tally {
    int passed;
    int failed;
    int skipped;
};

void test_register(struct test *t) {
    *tests_tail = t;
    tests_tail = &t->next;
}

uint64_t test_seed(void) {
    return seed;
}

int test_seconds(void) {
    return seconds;
}

_Noreturn static void usage(const char *program, const char *problem) {
    fprintf(stderr,
            "%s: %s\n"
            "usage: %s [--list] [--here] [--seed N] [--seconds N] [test ...]\n",
            program, problem, program);
    exit(TEST_EXIT_USAGE);
}

static uint64_t parse_number(const char *program, const char *text) {
    char *end;
    errno = 0;
    uint64_t n = text != NULL ? strtoull(text, &end, 0) : 0;
    if (text == NULL || *text == '\0' || *end != '\0' || errno != 0) {
        usage(program, "a number is missing or malformed");
    }
    return n;
}

static struct test *find(const char *name) {
    for (struct test *t = tests; t != NULL; t = t->next) {
        if (strcmp(t->name, name) == 0) {
            return t;
        }
    }
    return NULL;
}

static struct options parse_options(int argc, char **argv) {
    struct options o = {.list = false};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            o.list = true;
        } else if (strcmp(argv[i], "--here") == 0) {
            o.here = true;
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = parse_number(argv[0], argv[++i]);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            seconds = (int)parse_number(argv[0], argv[++i]);
        } else {
            usage(argv[0], "unknown option");
        }
    }
    o.names = argv + i;
    o.name_count = argc - i;
    for (int k = 0; k < o.name_count; k++) {
        if (find(o.names[k]) == NULL) {
            usage(argv[0], "no such test; --list shows them");
        }
    }
    return o;
}

/* Adds the running time of a stress test to the limit. */
static void set_limit(const char *program) {
    const char *text = getenv("TUCO_TEST_TIMEOUT");
    double factor = 1.0;
    if (text != NULL) {
        char *end;
        factor = strtod(text, &end);
        if (end == text || *end != '\0' || !(factor > 0)) {
            usage(program, "TUCO_TEST_TIMEOUT is not a positive factor");
        }
    }
    test_limit_seconds = DEFAULT_LIMIT_SECONDS * factor + seconds;
}

static bool chosen(const struct options *o, const struct test *t) {
    for (int i = 0; i < o->name_count; i++) {
        if (strcmp(o->names[i], t->name) == 0) {
            return true;
        }
    }
    return o->name_count == 0;
}

/* exit() and not _exit(): it runs AddressSanitizer's leak check. */
_Noreturn static void run_in_child(struct test *t) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    test_current_name = t->name;
    test_watchdog_start(test_limit_seconds);
    t->fn();
    test_fault_finish();
    test_watchdog_pause(); // ThreadSanitizer waits a second for remaining threads
    exit(TEST_EXIT_OK);
}

static int run_in_fork(struct test *t) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        run_in_child(t);
    }
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void report(struct tally *tally, struct test *t, int status, tuco_time spent) {
    long ms = (long)(spent / TUCO_MILLISECOND);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_EXIT_SKIP) {
        tally->skipped++; // the child has printed the reason
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_EXIT_OK) {
        tally->passed++;
        printf("ok   %s (%ld ms)\n", t->name, ms);
    } else if (WIFEXITED(status)) {
        tally->failed++;
        printf("FAIL %s (%ld ms): exit status %d\n", t->name, ms, WEXITSTATUS(status));
    } else {
        tally->failed++;
        printf("FAIL %s (%ld ms): signal %d\n", t->name, ms, WTERMSIG(status));
    }
    fflush(stdout);
}

static int exit_status(const struct tally *tally) {
    if (tally->failed > 0) {
        return TEST_EXIT_FAIL;
    }
    return tally->passed == 0 && tally->skipped > 0 ? TEST_EXIT_SKIP : TEST_EXIT_OK;
}

static int run_all(const struct options *o) {
    struct tally tally = {0};
    for (struct test *t = tests; t != NULL; t = t->next) {
        if (!chosen(o, t)) {
            continue;
        }
        if (o->here) {
            test_current_name = t->name;
            t->fn();
            continue;
        }
        tuco_time start = tuco_now();
        int status = run_in_fork(t);
        report(&tally, t, status, tuco_now() - start);
    }
    return exit_status(&tally);
}

int main(int argc, char **argv) {
    if (getrandom(&seed, sizeof(seed), 0) < 0) {
        seed = (uint64_t)tuco_now();
    }
    seed >>= 32; // short enough to type
    struct options o = parse_options(argc, argv);
    set_limit(argv[0]);
    if (o.list) {
        for (struct test *t = tests; t != NULL; t = t->next) {
            puts(t->name);
        }
        return TEST_EXIT_OK;
    }
    if (!test_fault_from_environment()) {
        return TEST_EXIT_USAGE;
    }
    printf("seed %llu\n", (unsigned long long)seed);
    int status = run_all(&o);
    test_fault_print();
    return status;
}
