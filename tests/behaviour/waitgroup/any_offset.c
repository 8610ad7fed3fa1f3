/* SPDX-License-Identifier: MIT */
/* Proves: a wait group works at any offset in a struct, and in a zeroed allocation. */
#include "test.h"

#include <stdlib.h>

struct after_byte {
    char before;
    tuco_wg wg;
    char after;
};

static void use(struct after_byte *s) {
    s->before = 'b';
    s->after = 'a';
    ASSERT_EQ(tuco_wg_go(&s->wg, test_return_at_once, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&s->wg, test_return_at_once, NULL), 0);
    tuco_wg_wait(&s->wg);
    ASSERT_EQ(s->before, 'b');
    ASSERT_EQ(s->after, 'a');
}

static int run_main(void *arg) {
    (void)arg;
    struct after_byte on_stack = {0};
    use(&on_stack);
    struct after_byte *many = calloc(7, sizeof(*many));
    for (int i = 0; i < 7; i++) {
        use(&many[i]);
    }
    free(many);
    return 0;
}

TEST(any_offset) {
    RUN(run_main);
}
