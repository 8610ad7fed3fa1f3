/* SPDX-License-Identifier: MIT */
/* Proves: copies of goroutines that live at the same time do not share memory. */
#include "test.h"

#include <string.h>

#define COUNT 1000

/* Alternately small enough for a descriptor and large enough to need the stack. */
struct small {
    long id;
};

struct large {
    long id;
    char fill[500];
};

static tuco_wg wg;
static atomic_long sum;

static void small_body(void *arg) {
    struct small *mine = arg;
    long id = mine->id;
    tuco_yield();
    ASSERT_EQ(mine->id, id);
    atomic_fetch_add(&sum, mine->id);
    tuco_wg_done(&wg);
}

static void large_body(void *arg) {
    struct large *mine = arg;
    memset(mine->fill, (int)mine->id, sizeof(mine->fill));
    tuco_yield();
    for (size_t i = 0; i < sizeof(mine->fill); i++) {
        ASSERT_EQ((unsigned char)mine->fill[i], (unsigned char)mine->id);
    }
    atomic_fetch_add(&sum, mine->id);
    tuco_wg_done(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&wg, 2 * COUNT);
    struct large value = {0};
    for (long i = 0; i < COUNT; i++) {
        value.id = i;
        ASSERT_EQ(tuco_go_copy(small_body, &(struct small){i}, sizeof(struct small)), 0);
        ASSERT_EQ(tuco_go_copy(large_body, &value, sizeof(value)), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&sum), (long)COUNT * (COUNT - 1));
    return 0;
}

TEST(go_copy_many) {
    RUN(run_main);
}
