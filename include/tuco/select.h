/* SPDX-License-Identifier: MIT */
/* tuco/select.h: select among several channel operations. */
#ifndef TUCO_SELECT_H
#define TUCO_SELECT_H

#include <stddef.h>
#include <tuco/chan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One case of a select, made by TUCO_SEND(), TUCO_RECV() or TUCO_DEFAULT. An array of
   cases may be used for several selects. */
typedef struct tuco_case {
    int tuco_private_kind;
    tuco_chan *tuco_private_chan;
    void *tuco_private_value;
    int result; /* set in the chosen case: 0, or -EPIPE if the channel is closed */
} tuco_case;

/*
 * Private. TUCO_PRIVATE_KIND() is the kind of a case, and fails to compile if *ptr and
 * the values of the channel differ in size. It does not check an untyped channel, a
 * pointer to void, or NULL.
 */
#define TUCO_PRIVATE_MISMATCH "the channel's values and *ptr differ in size"
#ifdef __cplusplus
#define TUCO_PRIVATE_KIND(kind, chan, ptr) \
    ((kind) + tuco_private_match<decltype(chan), decltype(ptr)>::zero)
extern "C++" {
template <typename T> struct tuco_private_size { static constexpr size_t bytes = 0; };
template <typename T> struct tuco_private_size<T *> {
    static constexpr size_t bytes = sizeof(T);
};
template <typename T> struct tuco_private_size<T *const> : tuco_private_size<T *> {};
template <typename T> struct tuco_private_size<T &> : tuco_private_size<T> {};
template <typename T, size_t N>
struct tuco_private_size<T[N]> : tuco_private_size<T *> {};
template <> struct tuco_private_size<tuco_chan *> { static constexpr size_t bytes = 0; };
template <> struct tuco_private_size<void *> { static constexpr size_t bytes = 0; };
template <> struct tuco_private_size<const void *> { static constexpr size_t bytes = 0; };
template <typename Chan, typename Value> struct tuco_private_match {
    static_assert(tuco_private_size<Chan>::bytes == 0 ||
                      tuco_private_size<Value>::bytes == 0 ||
                      tuco_private_size<Chan>::bytes == tuco_private_size<Value>::bytes,
                  TUCO_PRIVATE_MISMATCH);
    static constexpr int zero = 0;
};
}
#else
/* x as a pointer, even if x is the literal 0. */
#define TUCO_PRIVATE_POINTER(x) (1 ? (void *)0 : (x))
#define TUCO_PRIVATE_IS(x, type)                                                  \
    (__builtin_types_compatible_p(__typeof__(TUCO_PRIVATE_POINTER(x)), type *) || \
     __builtin_types_compatible_p(__typeof__(TUCO_PRIVATE_POINTER(x)), const type *))
#define TUCO_PRIVATE_UNSEEN(chan, ptr)                                  \
    (TUCO_PRIVATE_IS(chan, tuco_chan) || TUCO_PRIVATE_IS(chan, void) || \
     TUCO_PRIVATE_IS(ptr, void))
#define TUCO_PRIVATE_SIZE(unseen, x) \
    sizeof(*__builtin_choose_expr(unseen, (char *)0, TUCO_PRIVATE_POINTER(x)))
#define TUCO_PRIVATE_KIND(kind, chan, ptr)                                             \
    (__extension__((kind) +                                                            \
                   0 * (int)sizeof(struct {                                            \
                       _Static_assert(                                                 \
                           TUCO_PRIVATE_SIZE(TUCO_PRIVATE_UNSEEN(chan, ptr), chan) ==  \
                               TUCO_PRIVATE_SIZE(TUCO_PRIVATE_UNSEEN(chan, ptr), ptr), \
                           TUCO_PRIVATE_MISMATCH);                                     \
                       char tuco_private_unused;                                       \
                   })))
#endif

/* Sends *ptr. Does not compile if chan is a typed channel and *ptr has the wrong size. */
#define TUCO_SEND(chan, ptr) \
    { TUCO_PRIVATE_KIND(1, chan, ptr), (tuco_chan *)(chan), (void *)(ptr), 0 }

/* Receives into *ptr; NULL discards the value. Checks the size as TUCO_SEND() does. */
#define TUCO_RECV(chan, ptr) \
    { TUCO_PRIVATE_KIND(2, chan, ptr), (tuco_chan *)(chan), (void *)(ptr), 0 }

/* Chosen if no other case can proceed, so that the select does not block. */
#define TUCO_DEFAULT \
    { 3, 0, 0, 0 }

/* The largest number of cases. */
#define TUCO_SELECT_MAX 65536

/* Performs exactly one of the n operations and returns its index. Chooses uniformly among
   the cases that can proceed; if there are none, chooses the default; without a default,
   blocks until a case can proceed, forever if n is 0. Never chooses a case whose channel
   is NULL. Returns -EINVAL for more than TUCO_SELECT_MAX cases, more than one default or
   a case not made by the macros, and -ENOMEM if out of memory for more than 16 cases. */
TUCO_API int tuco_select(tuco_case *cases, size_t n);

/* Same as tuco_select(), but returns -ETIMEDOUT if it would still have to wait at the
   deadline. */
TUCO_API int tuco_select_until(tuco_case *cases, size_t n, tuco_time deadline);

#ifdef __cplusplus
}
#endif

#endif
