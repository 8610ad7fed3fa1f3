/* SPDX-License-Identifier: MIT */
/* Proves: the reader that got a byte of a handle sees all writes made by the reader of the
   byte before, ahead of that read. */
#include "net.h"

#define READERS 3
#define BYTES   60

static tuco_fd *in;
static int notes[READERS][BYTES + 1]; /* plain: written before each read */

/* The note of the read that got the byte. Relaxed: it must not create the ordering. */
static _Atomic(int *) note_of[BYTES];

static int *await_note(int byte) {
    int *note;
    while ((note = atomic_load_explicit(&note_of[byte], memory_order_relaxed)) == NULL) {
        tuco_yield();
    }
    return note;
}

static void read_some(void *arg) {
    for (int *note = notes[(intptr_t)arg];; note++) {
        unsigned char byte;
        *note = 1;
        if (tuco_fd_read(in, &byte, 1) == 0) {
            return;
        }
        atomic_store_explicit(&note_of[byte], note, memory_order_relaxed);
        if (byte > 0) {
            ASSERT_EQ(*await_note(byte - 1), 1);
        }
    }
}

static int run_main(void *arg) {
    tuco_wg end = {0};
    struct net_pair p = net_open(net_socketpair);
    (void)arg;
    in = p.in;
    for (intptr_t i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, read_some, (void *)i), 0);
    }
    for (int i = 0; i < BYTES; i++) {
        ASSERT_EQ(tuco_fd_write(p.out, &(unsigned char){(unsigned char)i}, 1), 1);
    }
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_wg_wait(&end);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    return 0;
}

TEST(turns_order_their_callers) {
    RUN(run_main);
}
