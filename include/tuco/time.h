/* SPDX-License-Identifier: MIT */
/* tuco/time.h: the clock, sleeping, timers and tickers. */
#ifndef TUCO_TIME_H
#define TUCO_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <tuco/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds: a span of time, or a point on the monotonic clock. */
typedef int64_t tuco_time;

/* The deadline that never comes. Adding a span to a point cannot pass it: see
   tuco_deadline(). */
#define TUCO_NEVER INT64_MAX

#define TUCO_MICROSECOND ((tuco_time)1000)
#define TUCO_MILLISECOND ((tuco_time)1000000)
#define TUCO_SECOND      ((tuco_time)1000000000)

/* As in tuco/go.h and tuco/chan.h. */
typedef void tuco_fn(void *arg);
typedef struct tuco_chan tuco_chan;

/* Returns the time on the monotonic clock. It never goes backwards and is always
   positive. Never blocks. */
TUCO_API tuco_time tuco_now(void);

/* Returns the deadline that lies duration after now. A duration so long that the sum
   would overflow gives TUCO_NEVER; a negative one gives a point in the past. Never
   blocks. */
TUCO_API tuco_time tuco_deadline(tuco_time duration);

/* Blocks the calling goroutine, or the calling thread, for at least duration. Returns at
   once if that is zero or negative. A duration that reaches TUCO_NEVER is a wait for ever,
   and counts as one for the report of a deadlock. */
TUCO_API void tuco_sleep(tuco_time duration);

/* Blocks the calling goroutine, or the calling thread, until the clock has reached
   deadline. Returns at once if it has; TUCO_NEVER is a wait for ever, as above. */
TUCO_API void tuco_sleep_until(tuco_time deadline);

/*
 * Timers.
 *
 * A timer fires once, duration after it was made or reset; a ticker fires every period.
 * None fires early. Firing sends the time at which it fired, a tuco_time, to the channel of
 * the timer, or runs a function in a new goroutine. The channel holds one value at most,
 * though its length and capacity show as 0: a ticker drops the ticks for which it is full,
 * and keeps its phase.
 *
 * Stop and reset leave no trace of what was before: once they have returned, no value that
 * the timer sent earlier can be received. They return true if the timer had been set and the
 * program has not noticed its firing: it had not fired, or its value had not been received.
 * A timer with a function has fired when its goroutine was made.
 *
 * Any goroutine and any thread may use a timer, while the runtime runs. A timer that is set
 * when the runtime ends does not fire; it can still be stopped and freed, and be reset once
 * the runtime runs again. One that is set keeps the report of a deadlock silent.
 *
 * The one who made a timer frees it. Nobody may be in a call with it then, or come to it
 * later; its channel stays for as long as somebody has a reference to that.
 */
typedef struct tuco_timer tuco_timer;
typedef struct tuco_ticker tuco_ticker;

/* Makes a channel that receives one value, the time, after duration; at once if that is
   zero or negative. The caller has its only reference, to be given back by
   tuco_chan_unref(), which may be before the time has come: nothing is left behind then.
   Returns NULL if there is no memory or the runtime does not run. Never blocks. */
TUCO_API tuco_chan *tuco_after(tuco_time duration);

/* Makes a timer with a channel, which fires after duration; at once if that is zero or
   negative. Returns NULL if there is no memory or the runtime does not run. Never
   blocks. */
TUCO_API tuco_timer *tuco_timer_make(tuco_time duration);

/* Makes a timer without a channel, which runs fn(arg) in a goroutine of its own after
   duration; at once if that is zero or negative. If there is no memory for the goroutine
   then, it is tried again until there is. Returns NULL if there is no memory for the timer
   or the runtime does not run. Never blocks. */
TUCO_API tuco_timer *tuco_timer_func(tuco_time duration, tuco_fn *fn, void *arg);

/* Returns the channel of the timer, without a reference: it stays as long as the timer, or
   longer if the caller takes one. NULL if the timer has a function. */
TUCO_API tuco_chan *tuco_timer_chan(tuco_timer *t);

/* Stops the timer: it does not fire until it is reset. Returns as said above: false means
   that its value was received, its function started, or that it was not set. Does not wait
   for the function. Never blocks. */
TUCO_API bool tuco_timer_stop(tuco_timer *t);

/* Stops the timer, and sets it to fire after duration. Returns what tuco_timer_stop() would
   have. Never blocks. */
TUCO_API bool tuco_timer_reset(tuco_timer *t, tuco_time duration);

/* Stops and frees the timer. NULL is allowed. Never blocks. */
TUCO_API void tuco_timer_free(tuco_timer *t);

/* Makes a ticker, which fires every period, first after one. Returns NULL if period is not
   positive, if there is no memory or if the runtime does not run. Never blocks. */
TUCO_API tuco_ticker *tuco_ticker_make(tuco_time period);

/* Returns the channel of the ticker, without a reference, as tuco_timer_chan() does. */
TUCO_API tuco_chan *tuco_ticker_chan(tuco_ticker *t);

/* Stops the ticker: it does not fire until it is reset. Returns true if it had been
   ticking. NULL is allowed. Never blocks. */
TUCO_API bool tuco_ticker_stop(tuco_ticker *t);

/* Stops the ticker, and lets it fire every period, first after one. A period that is not
   positive is misuse. Returns what tuco_ticker_stop() would have. Never blocks. */
TUCO_API bool tuco_ticker_reset(tuco_ticker *t, tuco_time period);

/* Stops and frees the ticker. NULL is allowed. Never blocks. */
TUCO_API void tuco_ticker_free(tuco_ticker *t);

#ifdef __cplusplus
}
#endif

#endif
