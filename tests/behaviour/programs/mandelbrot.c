/* SPDX-License-Identifier: MIT */
/* Proves: a picture whose rows a pool of workers computes is identical, byte for byte, to
   one computed in sequence (WP-14). */
#include "chans.h"

#include <stdio.h>
#include <string.h>

#define SIDE      200
#define ROW_BYTES (SIDE / 8)
#define STEPS     50
#define WORKERS   7

struct row {
    int y;
    unsigned char bits[ROW_BYTES];
};

TUCO_CHAN(row, struct row);

static tuco_chan *rows_to_do;
static row_chan *rows_done;

static bool stays(double cr, double ci) {
    double r = 0;
    double i = 0;
    for (int step = 0; step < STEPS; step++) {
        double next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
        if (r * r + i * i > 4) {
            return false;
        }
    }
    return true;
}

static void compute_row(struct row *row) {
    memset(row->bits, 0, sizeof(row->bits));
    for (int x = 0; x < SIDE; x++) {
        if (stays(2.0 * x / SIDE - 1.5, 2.0 * row->y / SIDE - 1.0)) {
            row->bits[x / 8] |= (unsigned char)(0x80 >> x % 8);
        }
    }
}

static void work(void *arg) {
    (void)arg;
    struct row row;
    while (tuco_chan_recv(rows_to_do, &row.y) == 0) {
        compute_row(&row);
        ASSERT_EQ(row_send(rows_done, row), 0);
    }
}

static void hand_out(void *arg) {
    (void)arg;
    for (int y = 0; y < SIDE; y++) {
        test_send(rows_to_do, y);
    }
    tuco_chan_close(rows_to_do);
}

struct picture {
    char bytes[6000];
    size_t size;
};

static void begin_picture(struct picture *p) {
    p->size = (size_t)snprintf(p->bytes, sizeof(p->bytes), "P4\n%d %d\n", SIDE, SIDE);
}

static void place_row(struct picture *p, size_t header, const struct row *row) {
    memcpy(p->bytes + header + (size_t)row->y * ROW_BYTES, row->bits, ROW_BYTES);
    p->size += ROW_BYTES;
}

static int run_main(void *arg) {
    (void)arg;
    static struct picture by_workers;
    static struct picture in_sequence;
    tuco_wg end = {0};
    struct row row;
    rows_to_do = CHAN(int, 0);
    rows_done = row_make(3);
    ASSERT_EQ(rows_done != NULL ? 0 : -ENOMEM, 0);
    begin_picture(&by_workers);
    begin_picture(&in_sequence);
    size_t header = in_sequence.size;
    for (int i = 0; i < WORKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, work, NULL), 0);
    }
    ASSERT_EQ(tuco_wg_go(&end, hand_out, NULL), 0);
    for (int y = 0; y < SIDE; y++) {
        ASSERT_EQ(row_recv(rows_done, &row), 0);
        place_row(&by_workers, header, &row);
        row.y = y;
        compute_row(&row);
        place_row(&in_sequence, header, &row);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(by_workers.size, 5011);
    ASSERT_EQ(memcmp(&by_workers, &in_sequence, sizeof(by_workers)), 0);
    tuco_chan_unref(rows_to_do);
    row_unref(rows_done);
    return 0;
}

TEST(mandelbrot) {
    RUN(run_main);
}
