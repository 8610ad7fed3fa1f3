/* SPDX-License-Identifier: MIT */
/* tuco/time.h: the clock that deadlines are points on. */
#ifndef TUCO_TIME_H
#define TUCO_TIME_H

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

/* Returns the time on the monotonic clock. It never goes backwards and is always
   positive. Never blocks. */
TUCO_API tuco_time tuco_now(void);

/* Returns the deadline that lies duration after now. A duration so long that the sum
   would overflow gives TUCO_NEVER; a negative one gives a point in the past. Never
   blocks. */
TUCO_API tuco_time tuco_deadline(tuco_time duration);

#ifdef __cplusplus
}
#endif

#endif
