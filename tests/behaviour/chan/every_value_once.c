/* SPDX-License-Identifier: MIT */
/* Proves: many senders and many receivers lose no value and see none twice (CH-06). */
#include "chans.h"

#include <string.h>

#define CAPACITIES TEST_SIZE(200, 20)
#define SIDES      4
#define VALUES     1000

#define ALL (SIDES * VALUES)

static tuco_wg end;
static int seen[SIDES][ALL]; /* each receiver has its own row */

struct side {
    tuco_chan *c;
    int number;
};

/* No two senders send the same value. */
static void produce(void *arg) {
    const struct side *s = arg;
    for (int i = 0; i < VALUES; i++) {
        test_send(s->c, s->number * VALUES + i);
    }
}

static void consume(void *arg) {
    const struct side *s = arg;
    for (int i = 0; i < VALUES; i++) {
        int value = test_recv(s->c);
        ASSERT_GE(value, 0);
        ASSERT_LT(value, ALL);
        seen[s->number][value]++;
    }
}

static void try_capacity(size_t capacity) {
    tuco_chan *c = CHAN(int, capacity);
    struct side sides[SIDES];
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < SIDES; i++) {
        sides[i] = (struct side){c, i};
        ASSERT_EQ(tuco_wg_go(&end, produce, &sides[i]), 0);
        ASSERT_EQ(tuco_wg_go(&end, consume, &sides[i]), 0);
    }
    tuco_wg_wait(&end);
    for (int value = 0; value < ALL; value++) {
        int count = seen[0][value] + seen[1][value] + seen[2][value] + seen[3][value];
        ASSERT_EQ(count, 1);
    }
    ASSERT_EQ(tuco_chan_len(c), 0);
    tuco_chan_unref(c);
}

TEST(every_value_once) {
    test_each_capacity(CAPACITIES, try_capacity);
}
