/* SPDX-License-Identifier: MIT */
/* Proves: schedtrace=10 prints Go's line every 10 ms, busy or idle, with consistent
   numbers. */
/* fixed procs */
/* serial */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE                                                       \
    "^SCHED [0-9]+ms: gomaxprocs=3 idleprocs=[0-3] threads=[0-9]+" \
    " spinningthreads=[0-9]+ needspinning=[01] idlethreads=[0-9]+" \
    " runqueue=[0-9]+ \\[ ([0-9]+ ){3}\\]"                         \
    " schedticks=\\[ ([0-9]+ ){3}\\]$"

#define PERIOD    (200 * TUCO_MILLISECOND)
#define LINES_MIN 10 /* of 20: the machine may be busy */
#define LINES_MAX 25

static int yield_main(void *arg) {
    (void)arg;
    for (tuco_time end = tuco_deadline(PERIOD); tuco_now() < end;) {
        tuco_yield();
    }
    return 0;
}

static void be_busy(void *arg) {
    ASSERT_EQ(tuco_run(yield_main, arg), 0);
}

static void be_idle(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_start(), 0);
    nanosleep(&(struct timespec){.tv_nsec = PERIOD}, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

static int value_of(const char *line, const char *name) {
    const char *text = strstr(line, name);
    ASSERT(text != NULL);
    return atoi(text + strlen(name));
}

/* A thread is idle unless it has a processor; sysmon is neither. */
static void expect_sums(const char *line) {
    int busy = value_of(line, "gomaxprocs=") - value_of(line, "idleprocs=");
    int idle = value_of(line, " threads=") - 1 - busy;
    ASSERT_EQ(value_of(line, "idlethreads="), idle > 0 ? idle : 0);
}

static void expect_lines(tuco_fn *fn) {
    static struct test_child child;
    test_setenv("TUCOPROCS", "3");
    test_setenv("TUCODEBUG", "schedtrace=10");
    test_child_run(&child, fn, NULL);
    EXPECT_STATUS(&child, 0);
    int lines = 0;
    for (char *line = strtok(child.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        ASSERT_MATCH(line, LINE);
        expect_sums(line);
        lines++;
    }
    ASSERT_GE(lines, LINES_MIN);
    ASSERT_LE(lines, LINES_MAX);
}

TEST(while_busy) {
    expect_lines(be_busy);
}

TEST(while_idle) {
    expect_lines(be_idle);
}
