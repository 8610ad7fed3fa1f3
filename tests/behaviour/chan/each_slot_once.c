/* SPDX-License-Identifier: MIT */
/* Proves: a value sent to many receivers, each in a select of one case, reaches exactly
   one receiver (CH-19). */
#include "chans.h"

#define SLOTS     1000
#define RECEIVERS 10

static tuco_wg end;
static tuco_chan *slots;
static atomic_int uses[SLOTS];

static void use_slots(void *arg) {
    (void)arg;
    int slot;
    for (;;) {
        tuco_case one[] = {TUCO_RECV(slots, &slot)};
        ASSERT_EQ(tuco_select(one, 1), 0);
        if (one[0].result == -EPIPE) {
            return;
        }
        atomic_fetch_add(&uses[slot], 1);
    }
}

static int slots_main(void *arg) {
    (void)arg;
    slots = CHAN(int, 2);
    for (int i = 0; i < RECEIVERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, use_slots, NULL), 0);
    }
    for (int i = 0; i < SLOTS; i++) {
        test_send(slots, i);
    }
    tuco_chan_close(slots);
    tuco_wg_wait(&end);
    for (int i = 0; i < SLOTS; i++) {
        ASSERT_EQ(atomic_load(&uses[i]), 1);
    }
    tuco_chan_unref(slots);
    return 0;
}

TEST(each_slot_once) {
    RUN(slots_main);
}
