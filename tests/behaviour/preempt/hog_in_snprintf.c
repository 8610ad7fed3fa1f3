/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are interrupted anywhere in snprintf() and strtod() print and
   read correctly, and a sleeper beside them keeps waking. */
/* fixed procs */
/* slow */
#include "hogs.h"

#include <stdlib.h>
#include <string.h>

#define HOGS 4

static void print_on(void *arg) {
    int mine = (int)(intptr_t)arg;
    char text[128];
    char wanted[128];
    for (int i = 0; hog_clock() < hogs_end; i++) {
        double number = i * 0.125 + mine;
        snprintf(text, sizeof(text), "%d:%.3f:%s:%a", i, number, "word", number);
        char *rest;
        ASSERT_EQ(strtol(text, &rest, 10), i);
        ASSERT_EQ(*rest, ':');
        ASSERT(strtod(rest + 1, &rest) == number);
        ASSERT_EQ(strncmp(rest, ":word:", 6), 0);
        ASSERT(strtod(rest + 6, &rest) == number);
        ASSERT_EQ(*rest, '\0');
        snprintf(wanted, sizeof(wanted), "%d:%.3f:%s:%a", i, number, "word", number);
        ASSERT_STR(text, wanted);
    }
}

static int run_main(void *arg) {
    (void)arg;
    hogs_run_beside_sleeper(print_on, HOGS);
    return 0;
}

TEST(hog_in_snprintf) {
    hogs_use(1);
    RUN(run_main);
}
