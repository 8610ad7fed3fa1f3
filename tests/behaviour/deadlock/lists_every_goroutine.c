/* SPDX-License-Identifier: MIT */
/* Proves: the deadlock report lists every goroutine with its name, wait reason and
   creator. */
#include "test.h"

#define COUNT 20

static tuco_wg never;

static void block(void *arg) {
    (void)arg;
    tuco_wg_wait(&never);
}

/* Its children are created by it and not by main. */
static void block_after_spawn(void *arg) {
    ASSERT_EQ(tuco_go(block, NULL), 0);
    block(arg);
}

static int run_main(void *arg) {
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = "the parent"}, block_after_spawn, NULL),
              0);
    for (int i = 2; i < COUNT - 1; i++) {
        ASSERT_EQ(tuco_go(block, NULL), 0);
    }
    block(arg);
    return 0;
}

static void run_it(void *arg) {
    (void)arg;
    tuco_run(run_main, NULL);
}

TEST(lists_every_goroutine) {
    static struct test_child child;
    test_child_run(&child, run_it, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "fatal error: all goroutines are asleep - deadlock!");
    ASSERT_EQ(test_dump_entries(child.text), COUNT);
    ASSERT_EQ(test_occurrences(child.text, "[sync.WaitGroup.Wait"), COUNT);
    ASSERT_EQ(test_occurrences(child.text, "\ncreated by "), COUNT - 1);
    ASSERT_EQ(test_occurrences(child.text, " in goroutine 1\n"), COUNT - 2);
    ASSERT_HAS(child.text, "the parent");
}
