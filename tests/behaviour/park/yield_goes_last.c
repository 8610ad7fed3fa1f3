/* SPDX-License-Identifier: MIT */
/* Proves: tuco_yield puts the caller behind all goroutines that wait at its processor. */
/* fixed procs */
/* not under race */
#include "test.h"

#define ROUNDS 3

static tuco_wg wg;
static char text[3 * ROUNDS + 2];
static int length;

static void append(char letter) {
    text[length++] = letter;
}

static void letter_rounds(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        append(*(char *)arg);
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    static char letters[] = "abc";
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, letter_rounds, &letters[i]), 0);
    }
    tuco_yield(); // behind the three; the last spawned runs first
    append('M');
    tuco_wg_wait(&wg);
    ASSERT_STR(text, "cabMcabcab");
    return 0;
}

/* A yield returns at once if no other goroutine waits, every time. */
static int alone_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 100000; i++) {
        tuco_yield();
    }
    return 0;
}

TEST(yield_goes_last) {
    test_setenv("TUCOPROCS", "1");
    test_setenv("TUCODEBUG", NULL);
    tuco_config config = {.slice = 60 * TUCO_SECOND}; // its end would change the order
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}

TEST(yield_alone) {
    test_setenv("TUCOPROCS", "1");
    RUN(alone_main);
}
