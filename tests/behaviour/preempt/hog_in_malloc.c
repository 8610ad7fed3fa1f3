/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are interrupted anywhere in malloc() and free(), with or
   without a lock held, harm neither the heap nor other goroutines that allocate. */
/* fixed procs */
/* slow */
#include "hogs.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define HOGS  6
#define SLOTS 64
#define LARGE 100000
#define TICKS 10

static tuco_wg wg;
static tuco_time end;

struct slot {
    unsigned char *block;
    size_t size;
    unsigned char fill;
};

static void check_and_free(struct slot *s) {
    for (size_t i = 0; i < s->size; i += 97) {
        ASSERT_EQ(s->block[i], s->fill);
    }
    free(s->block);
}

static void allocate(struct slot *s, uint32_t seed) {
    s->size = 1 + seed % (seed % 16 == 0 ? LARGE : 600);
    s->fill = (unsigned char)seed;
    s->block = malloc(s->size);
    ASSERT(s->block != NULL);
    memset(s->block, s->fill, s->size);
}

static void churn(void *arg) {
    struct slot slots[SLOTS] = {{0}};
    uint32_t seed = (uint32_t)(intptr_t)arg;
    for (; hog_clock() < end; seed = seed * 1664525 + 1013904223) {
        struct slot *s = &slots[seed >> 16 & (SLOTS - 1)];
        check_and_free(s);
        allocate(s, seed >> 8);
    }
    for (int i = 0; i < SLOTS; i++) {
        check_and_free(&slots[i]);
    }
}

static int run_main(void *arg) {
    (void)arg;
    end = hog_clock() + hog_span();
    for (intptr_t i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, churn, (void *)i), 0);
    }
    int ticks = 0;
    for (; hog_clock() < end; ticks++) {
        struct slot mine;
        allocate(&mine, (uint32_t)ticks);
        tuco_sleep(TUCO_MILLISECOND);
        check_and_free(&mine);
    }
    tuco_wg_wait(&wg);
    malloc_trim(0); // visits all free blocks
    ASSERT_GE(ticks, TICKS);
    return 0;
}

TEST(at_1) {
    hogs_use(1);
    RUN(run_main);
}

TEST(at_2) {
    hogs_use(2);
    RUN(run_main);
}
