/* SPDX-License-Identifier: MIT */
/* tuco/sync.h: objects that goroutines and threads wait on. Each is valid when zeroed. */
#ifndef TUCO_SYNC_H
#define TUCO_SYNC_H

#include <stdint.h>
#include <tuco/go.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A wait group: a counter, and those who wait for it to become zero. It may live on a
   stack that is left as soon as the wait on it has returned. Copying one that is in use
   is misuse. */
typedef struct tuco_wg {
    uint64_t tuco_private;
} tuco_wg;

/* Adds n, which may be negative, to the counter. When it becomes zero everybody who waits
   is woken. Adding to a zero counter must happen before the wait that is to see it. Never
   blocks. A counter below zero or above 2147483647 is misuse. */
TUCO_API void tuco_wg_add(tuco_wg *wg, int n);

/* Takes one from the counter, as tuco_wg_add(wg, -1) does. */
TUCO_API void tuco_wg_done(tuco_wg *wg);

/* Blocks until the counter is zero; returns at once if it is. */
TUCO_API void tuco_wg_wait(tuco_wg *wg);

/* Adds one to the counter and starts a goroutine that runs fn(arg) and then takes one
   from it, also when fn ends by tuco_exit(). Returns as tuco_go() does; on failure the
   counter is as before. */
TUCO_API int tuco_wg_go(tuco_wg *wg, tuco_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
