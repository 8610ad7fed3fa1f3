/* SPDX-License-Identifier: MIT */
/* tuco/chan.h: channels, through which goroutines and threads pass values. */
#ifndef TUCO_CHAN_H
#define TUCO_CHAN_H

#include <stddef.h>
#include <tuco/time.h>
#include <tuco/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A channel carries values of one size from senders to receivers, each to one receiver,
 * in the order in which they were sent. With a capacity of 0 a send and a receive meet;
 * with a larger one, so many values wait in between. Those who have to wait are served in
 * the order in which they came.
 *
 * A NULL channel is allowed: sending to it and receiving from it block for ever, and a
 * select never chooses it.
 *
 * Channels are reference counted. Whoever is in a call holds a reference for as long as
 * the call lasts. What was done before a value was sent, or before the channel was
 * closed, is seen by who received it.
 */
typedef struct tuco_chan tuco_chan;

/* Makes a channel for values of elem_size bytes, of which capacity wait in it at most,
   and gives the caller its only reference. elem_size may be 0: then there is nothing but
   the event. Returns NULL if there is no memory, or if a size or all of it is too large:
   above 4294967295, or above what an address can reach.
   Never blocks. */
TUCO_API tuco_chan *tuco_chan_make(size_t elem_size, size_t capacity);

/* Takes another reference and returns c. NULL is allowed. */
TUCO_API tuco_chan *tuco_chan_ref(tuco_chan *c);

/* Gives a reference back; the last one frees the channel and the values in it. NULL is
   allowed. Never blocks. */
TUCO_API void tuco_chan_unref(tuco_chan *c);

/* Sends a copy of *value. Blocks until a receiver has it or there is room for it. Returns
   0, or -EPIPE if the channel is closed or gets closed meanwhile: then the value was not
   sent. */
TUCO_API int tuco_chan_send(tuco_chan *c, const void *value);

/* Receives into *value, or receives and discards if value is NULL. Blocks until there is
   a value. Returns 0, or -EPIPE if the channel is closed and all its values have been
   received: then *value is zeroed. */
TUCO_API int tuco_chan_recv(tuco_chan *c, void *value);

/* Sends if that is possible without blocking. Returns as tuco_chan_send() does, and
   -EAGAIN if it would block. */
TUCO_API int tuco_chan_try_send(tuco_chan *c, const void *value);

/* Receives if that is possible without blocking. Returns as tuco_chan_recv() does, and
   -EAGAIN if it would block: then *value is as it was. */
TUCO_API int tuco_chan_try_recv(tuco_chan *c, void *value);

/* As tuco_chan_send(), but gives up at the deadline with -ETIMEDOUT. What can be done
   without blocking is done, even if the deadline has passed. */
TUCO_API int tuco_chan_send_until(tuco_chan *c, const void *value, tuco_time deadline);

/* As tuco_chan_recv(), but gives up at the deadline with -ETIMEDOUT: then *value is as it
   was. What can be done without blocking is done, even if the deadline has passed. */
TUCO_API int tuco_chan_recv_until(tuco_chan *c, void *value, tuco_time deadline);

/* Closes the channel: nothing can be sent any more, and everybody who waits is woken.
   Values in the channel can still be received. Closing a closed or NULL channel is
   misuse. Never blocks. */
TUCO_API void tuco_chan_close(tuco_chan *c);

/* Returns how many values wait in the channel. Others may have changed that by the time
   the caller looks at it. 0 for NULL. */
TUCO_API size_t tuco_chan_len(const tuco_chan *c);

/* Returns the capacity that the channel was made with. 0 for NULL. */
TUCO_API size_t tuco_chan_cap(const tuco_chan *c);

/*
 * TUCO_CHAN(name, type) declares the type name_chan, a channel of values of that type,
 * and functions that the compiler checks: name_make(capacity), name_ref(c),
 * name_unref(c), name_send(c, value), name_recv(c, &value), name_try_send, name_try_recv,
 * name_send_until, name_recv_until, name_close, name_len, name_cap; and name_raw(c), the
 * untyped channel, for what takes one. TUCO_SEND and TUCO_RECV take either.
 */
#define TUCO_CHAN(name, type)                                         \
    typedef struct name##_chan name##_chan;                           \
    static inline tuco_chan *name##_raw(const name##_chan *c) {       \
        return (tuco_chan *)c;                                        \
    }                                                                 \
    static inline name##_chan *name##_make(size_t capacity) {         \
        return (name##_chan *)tuco_chan_make(sizeof(type), capacity); \
    }                                                                 \
    static inline name##_chan *name##_ref(name##_chan *c) {           \
        return (name##_chan *)tuco_chan_ref(name##_raw(c));           \
    }                                                                 \
    static inline void name##_unref(name##_chan *c) {                 \
        tuco_chan_unref(name##_raw(c));                               \
    }                                                                 \
    static inline int name##_send(name##_chan *c, type value) {       \
        return tuco_chan_send(name##_raw(c), &value);                 \
    }                                                                 \
    static inline int name##_recv(name##_chan *c, type *value) {      \
        return tuco_chan_recv(name##_raw(c), value);                  \
    }                                                                 \
    static inline int name##_try_send(name##_chan *c, type value) {   \
        return tuco_chan_try_send(name##_raw(c), &value);             \
    }                                                                 \
    static inline int name##_try_recv(name##_chan *c, type *value) {  \
        return tuco_chan_try_recv(name##_raw(c), value);              \
    }                                                                 \
    static inline int name##_send_until(name##_chan *c, type value,   \
                                        tuco_time deadline) {         \
        return tuco_chan_send_until(name##_raw(c), &value, deadline); \
    }                                                                 \
    static inline int name##_recv_until(name##_chan *c, type *value,  \
                                        tuco_time deadline) {         \
        return tuco_chan_recv_until(name##_raw(c), value, deadline);  \
    }                                                                 \
    static inline void name##_close(name##_chan *c) {                 \
        tuco_chan_close(name##_raw(c));                               \
    }                                                                 \
    static inline size_t name##_len(const name##_chan *c) {           \
        return tuco_chan_len(name##_raw(c));                          \
    }                                                                 \
    static inline size_t name##_cap(const name##_chan *c) {           \
        return tuco_chan_cap(name##_raw(c));                          \
    }                                                                 \
    struct name##_chan /* the user's semicolon ends this */

#ifdef __cplusplus
}
#endif

#endif
