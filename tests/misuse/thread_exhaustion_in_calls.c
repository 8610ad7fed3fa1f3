/* SPDX-License-Identifier: MIT */
/* Proves: at the limit of threads, a call that blocks while goroutines wait for its
   processor ends the program with Go's report, announced or not; if none waits, it does
   not. */
#include "test.h"

#include <time.h>
#include <unistd.h>

#define REPORT "runtime: program exceeds 1-thread limit\nfatal error: thread exhaustion\n"

static int ends[2];

static void configure(void) {
    tuco_config config = {.max_threads = 1};
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_configure(&config), 0);
}

static void write_byte(void *arg) {
    (void)arg;
    ASSERT_EQ(write(ends[1], "x", 1), 1);
}

static intptr_t read_byte(void *arg) {
    return read(ends[0], arg, 1);
}

/* Only the other goroutine could end the call. */
static int announced_main(void *arg) {
    (void)arg;
    char byte;
    ASSERT_EQ(tuco_go(write_byte, NULL), 0);
    return (int)tuco_blocking(read_byte, &byte);
}

static int unannounced_main(void *arg) {
    (void)arg;
    char byte;
    ASSERT_EQ(tuco_go(write_byte, NULL), 0);
    return (int)read_byte(&byte);
}

TEST(announced) {
    ASSERT_EQ(pipe(ends), 0);
    configure();
    RUN_DIES(announced_main, REPORT);
}

TEST(unannounced) {
    ASSERT_EQ(pipe(ends), 0);
    configure();
    RUN_DIES(unannounced_main, REPORT);
}

/* Longer than the runtime takes to notice. */
static int alone_main(void *arg) {
    struct timespec span = {.tv_nsec = 50 * TUCO_MILLISECOND};
    (void)arg;
    tuco_blocking_enter();
    nanosleep(&span, NULL);
    tuco_blocking_exit();
    nanosleep(&span, NULL);
    return 0;
}

TEST(nothing_waits) {
    configure();
    RUN(alone_main);
}
