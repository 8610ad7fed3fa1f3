/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine has its whole stack although the previous goroutine on its
   processor had a large copy there. */
/* fixed procs */
/*
 * Bug. tuco_go_copy() puts a large copy at the top of the new goroutine's stack, and its
 * first frame below. When such a goroutine ended, the next new one in the queue took over
 * its stack and started in that same frame: it lost as much as the copy had taken, up to
 * half of the stack.
 *
 * Fix. A goroutine that began below a copy does not hand its stack over.
 *
 * Fails without it: there is one processor, and the goroutine spawned last runs first, so
 * the one that needs the room runs right after the one with the copy. Both together need
 * more than a stack, and the second overflows it.
 */
#include "test.h"

#define STACK_BYTES ((size_t)256 * 1024)
#define COPY_BYTES  ((size_t)120 * 1024)
#define FRAME_BYTES ((size_t)160 * 1024)

_Static_assert(COPY_BYTES + FRAME_BYTES > STACK_BYTES, "else there is room for both");

static tuco_wg wg;
static char large[COPY_BYTES];

static void use_much_stack(void *arg) {
    volatile char frame[FRAME_BYTES];
    (void)arg;
    for (size_t i = FRAME_BYTES; i > 0; i -= 1024) { // downwards, as frames do
        frame[i - 1] = 1;
    }
    ASSERT_EQ(frame[FRAME_BYTES - 1], 1);
    tuco_wg_done(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go(use_much_stack, NULL), 0);
    ASSERT_EQ(tuco_go_copy(test_return_at_once, large, sizeof(large)), 0);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(stack_below_large_copy) {
    tuco_config config = {.stack_size = STACK_BYTES};
    test_setenv("TUCOPROCS", "1");
    test_setenv("TUCOSTACK", NULL);
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
