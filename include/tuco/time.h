/* SPDX-License-Identifier: MIT */
/* tuco/time.h: the clock, sleeping, timers and tickers. */
#ifndef TUCO_TIME_H
#define TUCO_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <tuco/errno.h>
#include <tuco/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point on the monotonic clock, and a span of time, both in nanoseconds. */
typedef int64_t tuco_time;
typedef int64_t tuco_duration;

/* No deadline. */
#define TUCO_NEVER INT64_MAX

#define TUCO_MICROSECOND ((tuco_duration)1000)
#define TUCO_MILLISECOND ((tuco_duration)1000000)
#define TUCO_SECOND      ((tuco_duration)1000000000)
#define TUCO_MINUTE      (60 * TUCO_SECOND)
#define TUCO_HOUR        (60 * TUCO_MINUTE)

/* From tuco/go.h and tuco/chan.h. */
typedef void tuco_fn(void *arg);
typedef struct tuco_chan tuco_chan;

/* Returns the time on the monotonic clock. It is positive and never goes backwards. Never
   blocks. */
TUCO_API tuco_time tuco_now(void);

/* Returns tuco_now() + duration, or TUCO_NEVER if the sum overflows. A negative duration
   gives a point in the past. Never blocks. */
TUCO_API tuco_time tuco_deadline(tuco_duration duration);

/* Blocks the caller for at least duration. Returns at once if duration is zero or
   negative. */
TUCO_API void tuco_sleep(tuco_duration duration);

/* Blocks the caller until deadline, forever if that is TUCO_NEVER. Returns at once if the
   deadline has passed. */
TUCO_API void tuco_sleep_until(tuco_time deadline);

/*
 * Timers and tickers.
 *
 * A timer fires once, a ticker every period; neither fires early. Firing sends the
 * current tuco_time to the channel of the timer, or runs a function in a new goroutine.
 * The channel buffers one value, though tuco_chan_len() and tuco_chan_cap() return 0. A
 * ticker drops a tick if the last value was not received; the next ones still come at
 * whole periods from its start.
 *
 * Stop and reset follow Go 1.23: after they return, no value that was sent before can be
 * received.
 *
 * Goroutines and foreign threads may use timers while the runtime runs. An armed timer
 * does not fire after the runtime has ended, but can still be stopped and freed. An armed
 * timer suppresses the deadlock report.
 *
 * Free a timer only when no other call uses it or will use it. A caller with a reference
 * to its channel may go on using the channel.
 */
typedef struct tuco_timer tuco_timer;
typedef struct tuco_ticker tuco_ticker;

/* Makes a channel that receives one value, the time, after duration. The caller owns the
   only reference and may drop it with tuco_chan_unref() at any time. Returns NULL if out
   of memory or if the runtime is not running. Never blocks. */
TUCO_API TUCO_MAKES tuco_chan *tuco_after(tuco_duration duration);

/* Makes a timer that fires after duration and has a channel. Returns NULL if out of
   memory or if the runtime is not running. Never blocks. */
TUCO_API TUCO_MAKES tuco_timer *tuco_timer_make(tuco_duration duration);

/* Makes a timer that runs fn(arg) in a new goroutine after duration and has no channel.
   Returns NULL if out of memory or if the runtime is not running. Never blocks. A NULL fn
   is misuse. */
TUCO_API TUCO_MAKES tuco_timer *tuco_timer_func(tuco_duration duration, tuco_fn *fn,
                                                void *arg);

/* Returns the channel of the timer, or NULL if it has none. The channel is valid as long
   as the timer; take a reference to keep it longer. */
TUCO_API tuco_chan *tuco_timer_chan(const tuco_timer *t);

/* Disarms the timer. Returns true if it was armed and had not fired, or if its value had
   not been received. Returns false if its value was received, its function was started,
   or it was not armed. Does not wait for the function. Never blocks. NULL is misuse. */
TUCO_API bool tuco_timer_stop(tuco_timer *t);

/* Stops the timer and arms it to fire after duration. Returns as tuco_timer_stop() does.
   Never blocks. NULL is misuse. */
TUCO_API bool tuco_timer_reset(tuco_timer *t, tuco_duration duration);

/* Stops and frees the timer. NULL is allowed. Never blocks. */
TUCO_API void tuco_timer_free(tuco_timer *t);

/* Makes a ticker that fires every period, first after one period. Returns NULL if period
   is not positive, if out of memory or if the runtime is not running. Never blocks. */
TUCO_API TUCO_MAKES tuco_ticker *tuco_ticker_make(tuco_duration period);

/* Returns the channel of the ticker. The channel is valid as long as the ticker; take a
   reference to keep it longer. */
TUCO_API tuco_chan *tuco_ticker_chan(const tuco_ticker *t);

/* Stops the ticker. Returns true if it was ticking. NULL is allowed. Never blocks. */
TUCO_API bool tuco_ticker_stop(tuco_ticker *t);

/* Stops the ticker and restarts it with period. Returns true if it was ticking. Never
   blocks. NULL, or a period that is not positive, is misuse. */
TUCO_API bool tuco_ticker_reset(tuco_ticker *t, tuco_duration period);

/* Stops and frees the ticker. NULL is allowed. Never blocks. */
TUCO_API void tuco_ticker_free(tuco_ticker *t);

#ifdef __cplusplus
}
#endif

#endif
