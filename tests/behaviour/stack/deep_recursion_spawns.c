/* SPDX-License-Identifier: MIT */
/* Proves: 8000 levels of recursion, each spawning a goroutine with 160 bytes by value,
   add up. */
#include "test.h"

#define LEVELS TEST_SIZE(8000, 2000)
#define WORDS  20

struct values {
    long word[WORDS];
};

static tuco_wg wg;
static tuco_wg deep;
static atomic_long total;

static void add_up(void *arg) {
    struct values *v = arg;
    long sum = 0;
    for (int i = 0; i < WORDS; i++) {
        sum += v->word[i];
    }
    ASSERT_EQ(sum, WORDS);
    atomic_fetch_add(&total, sum);
    tuco_wg_done(&wg);
}

__attribute__((noinline)) static void recurse(int level, struct values v) {
    if (level == 0) {
        return;
    }
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_copy(add_up, &v, sizeof(v)), 0);
    recurse(level - 1, v);
    ASSERT_EQ(v.word[level % WORDS], 1);
}

static void body(void *arg) {
    (void)arg;
    recurse(LEVELS, (struct values){{[0 ... WORDS - 1] = 1}});
    tuco_wg_done(&deep);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_attr attr = {.name = "deep", .stack_size = (size_t)64 * 1024 * 1024};
    tuco_wg_add(&deep, 1);
    ASSERT_EQ(tuco_go_attr(&attr, body, NULL), 0);
    tuco_wg_wait(&deep);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&total), (long)LEVELS * WORDS);
    return 0;
}

TEST(deep_recursion_spawns) {
    RUN(run_main);
}
