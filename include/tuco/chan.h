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
 * A channel carries values of one size from senders to receivers, in FIFO order, each
 * value to one receiver. Waiting senders and waiting receivers are served in FIFO order.
 *
 * A send, and a close, happens before the receive that returns because of it.
 *
 * NULL is a valid channel: a send or receive on it blocks forever, and a select never
 * chooses it.
 *
 * Channels are reference counted. The caller of a function must hold a reference until
 * the function returns.
 */
typedef struct tuco_chan tuco_chan;

/* Makes a channel with a buffer of capacity values of elem_size bytes each. Both may be
   0. The caller owns the only reference. Returns NULL if out of memory or if a size is
   above 4294967295 or the whole does not fit into the address space. Never blocks. */
TUCO_API TUCO_MAKES tuco_chan *tuco_chan_make(size_t elem_size, size_t capacity);

/* Takes another reference and returns c. NULL is allowed. */
TUCO_API tuco_chan *tuco_chan_ref(tuco_chan *c);

/* Drops a reference; the last one frees the channel and the values in it. Does not close
   the channel. NULL is allowed. Never blocks. */
TUCO_API void tuco_chan_unref(tuco_chan *c);

/* Sends a copy of *value. Blocks until a receiver takes it or the buffer has room.
   Returns 0, or -EPIPE if the channel is closed before the value is sent. */
TUCO_API int tuco_chan_send(tuco_chan *c, const void *value);

/* Receives into *value; a NULL value discards what is received. Blocks until there is a
   value. Returns 0, or -EPIPE if the channel is closed and empty: *value is then
   zeroed. */
TUCO_API int tuco_chan_recv(tuco_chan *c, void *value);

/* Same as tuco_chan_send(), but returns -EAGAIN instead of blocking. */
TUCO_API int tuco_chan_try_send(tuco_chan *c, const void *value);

/* Same as tuco_chan_recv(), but returns -EAGAIN instead of blocking and then leaves
   *value unchanged. */
TUCO_API int tuco_chan_try_recv(tuco_chan *c, void *value);

/* Same as tuco_chan_send(), but returns -ETIMEDOUT if it would still have to wait at the
   deadline. */
TUCO_API int tuco_chan_send_until(tuco_chan *c, const void *value, tuco_time deadline);

/* Same as tuco_chan_recv(), but returns -ETIMEDOUT if it would still have to wait at the
   deadline, and then leaves *value unchanged. */
TUCO_API int tuco_chan_recv_until(tuco_chan *c, void *value, tuco_time deadline);

/* Closes the channel and wakes all waiters. Later sends fail; values in the buffer can
   still be received. Closing a closed or NULL channel is misuse. Never blocks. */
TUCO_API void tuco_chan_close(tuco_chan *c);

/* Returns the number of values in the buffer, 0 for NULL. It may be out of date when it
   is returned. */
TUCO_API size_t tuco_chan_len(const tuco_chan *c);

/* Returns the capacity of the buffer, 0 for NULL. */
TUCO_API size_t tuco_chan_cap(const tuco_chan *c);

/*
 * TUCO_CHAN(name, type) declares the type name_chan, a channel of values of that type,
 * and a type-checked function for each one above: name_make(capacity), name_ref(c),
 * name_unref(c), name_send(c, value), name_recv(c, &value), name_try_send, name_try_recv,
 * name_send_until, name_recv_until, name_close, name_len and name_cap. name_raw(c)
 * returns the untyped channel. TUCO_SEND and TUCO_RECV accept typed and untyped channels.
 *
 * A name_chan * is a cast tuco_chan *. The struct only carries the element type for the
 * compiler; no object of it exists.
 */
#define TUCO_CHAN_FUNCTION_ static inline __attribute__((__unused__))
#define TUCO_CHAN(name, type)                                                  \
    typedef struct name##_chan {                                               \
        type tuco_private_element;                                             \
    } name##_chan;                                                             \
    TUCO_CHAN_FUNCTION_ tuco_chan *name##_raw(const name##_chan *c) {          \
        return (tuco_chan *)c;                                                 \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ TUCO_MAKES name##_chan *name##_make(size_t capacity) { \
        return (name##_chan *)tuco_chan_make(sizeof(type), capacity);          \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ name##_chan *name##_ref(name##_chan *c) {              \
        return (name##_chan *)tuco_chan_ref(name##_raw(c));                    \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ void name##_unref(name##_chan *c) {                    \
        tuco_chan_unref(name##_raw(c));                                        \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_send(name##_chan *c, type value) {          \
        return tuco_chan_send(name##_raw(c), &value);                          \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_recv(name##_chan *c, type *value) {         \
        return tuco_chan_recv(name##_raw(c), value);                           \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_try_send(name##_chan *c, type value) {      \
        return tuco_chan_try_send(name##_raw(c), &value);                      \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_try_recv(name##_chan *c, type *value) {     \
        return tuco_chan_try_recv(name##_raw(c), value);                       \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_send_until(name##_chan *c, type value,      \
                                              tuco_time deadline) {            \
        return tuco_chan_send_until(name##_raw(c), &value, deadline);          \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ int name##_recv_until(name##_chan *c, type *value,     \
                                              tuco_time deadline) {            \
        return tuco_chan_recv_until(name##_raw(c), value, deadline);           \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ void name##_close(name##_chan *c) {                    \
        tuco_chan_close(name##_raw(c));                                        \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ size_t name##_len(const name##_chan *c) {              \
        return tuco_chan_len(name##_raw(c));                                   \
    }                                                                          \
    TUCO_CHAN_FUNCTION_ size_t name##_cap(const name##_chan *c) {              \
        return tuco_chan_cap(name##_raw(c));                                   \
    }                                                                          \
    struct name##_chan /* the user's semicolon ends this */

#ifdef __cplusplus
}
#endif

#endif
