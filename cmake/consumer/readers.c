/* SPDX-License-Identifier: MIT */
/* A user program, in C or C++, that only reads objects: it has pointers to const. */
#include <stddef.h>
#include <tuco.h>

TUCO_CHAN(numbers, int);

size_t look_at_channels(const tuco_chan *c, const numbers_chan *n);
tuco_time look_at_context(const tuco_ctx *ctx, const void *key);
int look_at_timers(const tuco_timer *timer, const tuco_ticker *ticker);

size_t look_at_channels(const tuco_chan *c, const numbers_chan *n) {
    return tuco_chan_len(c) + tuco_chan_cap(c) + numbers_len(n) + numbers_cap(n);
}

tuco_time look_at_context(const tuco_ctx *ctx, const void *key) {
    return tuco_ctx_value(ctx, key) != NULL ? tuco_ctx_deadline(ctx) : TUCO_NEVER;
}

int look_at_timers(const tuco_timer *timer, const tuco_ticker *ticker) {
    return tuco_timer_chan(timer) == tuco_ticker_chan(ticker);
}
