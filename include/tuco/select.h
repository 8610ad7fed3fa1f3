/* SPDX-License-Identifier: MIT */
/* tuco/select.h: waiting for the first of several channel operations. */
#ifndef TUCO_SELECT_H
#define TUCO_SELECT_H

#include <stddef.h>
#include <tuco/chan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of the operations that a select chooses from: made by one of the three macros
   below. The array may be used again. */
typedef struct tuco_case {
    int tuco_private_kind;
    tuco_chan *tuco_private_chan;
    void *tuco_private_value;
    int result; /* of the chosen case: 0, or -EPIPE as from the operation alone */
} tuco_case;

/* Sends *ptr to the channel. */
#define TUCO_SEND(chan, ptr) \
    { 1, (tuco_chan *)(chan), (void *)(ptr), 0 }

/* Receives into *ptr from the channel; NULL discards the value. */
#define TUCO_RECV(chan, ptr) \
    { 2, (tuco_chan *)(chan), (void *)(ptr), 0 }

/* Is chosen if no other case can go on at once, so that the select does not block. */
#define TUCO_DEFAULT \
    { 3, 0, 0, 0 }

/* The largest number of cases. */
#define TUCO_SELECT_MAX 65536

/* Does exactly one of the operations, and returns its index. If several can go on, any of
   them is chosen, each with the same chance; if none can, the default; if there is none,
   the call blocks until one can. A case whose channel is NULL is never chosen. n = 0
   blocks for ever. Returns -EINVAL, and does nothing, for more than TUCO_SELECT_MAX cases,
   for more than one default, and for a case that no macro made; -ENOMEM if there are more
   than 16 cases and no memory for them. */
TUCO_API int tuco_select(tuco_case *cases, size_t n);

/* The same, but gives up at the deadline with -ETIMEDOUT. What can be done without
   blocking is done, even if the deadline has passed. */
TUCO_API int tuco_select_until(tuco_case *cases, size_t n, tuco_time deadline);

#ifdef __cplusplus
}
#endif

#endif
