/* SPDX-License-Identifier: MIT */
/* The monotonic clock of all deadlines. */
#include "os/os.h"

#include <tuco/time.h>

_Static_assert(OS_NEVER == TUCO_NEVER, "a deadline passes through os.h unchanged");

tuco_time tuco_now(void) {
    return os_now();
}

tuco_time tuco_deadline(tuco_duration duration) {
    tuco_time sum;
    return __builtin_add_overflow(os_now(), duration, &sum) ? TUCO_NEVER : sum;
}
