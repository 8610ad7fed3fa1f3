/* SPDX-License-Identifier: MIT */
/* tuco/ctx.h: contexts, which cancel a tree of goroutines, and groups of goroutines that
   are waited for together. */
#ifndef TUCO_CTX_H
#define TUCO_CTX_H

#include <stdbool.h>
#include <tuco/chan.h>
#include <tuco/go.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A context is done when it is cancelled, when its deadline passes, or when its parent is
 * done. It keeps its parent alive. A NULL parent is misuse.
 *
 * Contexts are reference counted. The caller owns the first reference. Dropping the last
 * reference does not cancel the context.
 *
 * The functions on contexts never block and may be called concurrently.
 */
typedef struct tuco_ctx tuco_ctx;

/* Returns the root context. It is never done and is not reference counted. */
TUCO_API tuco_ctx *tuco_ctx_background(void);

/* Makes a context that tuco_ctx_cancel() can cancel. Returns NULL if out of memory. */
TUCO_API TUCO_MAKES tuco_ctx *tuco_ctx_with_cancel(tuco_ctx *parent);

/* Makes a context that can be cancelled, and that is done with -ETIMEDOUT at deadline, or
   at the parent's deadline if that is earlier. While no runtime runs, only tuco_ctx_err()
   and tuco_ctx_cause() notice that the deadline has passed. Returns NULL if out of
   memory. */
TUCO_API TUCO_MAKES tuco_ctx *tuco_ctx_with_deadline(tuco_ctx *parent,
                                                     tuco_time deadline);

/* Same as tuco_ctx_with_deadline(parent, tuco_deadline(duration)). */
TUCO_API TUCO_MAKES tuco_ctx *tuco_ctx_with_timeout(tuco_ctx *parent,
                                                    tuco_duration duration);

/* Makes a context that maps key to value. Keys are compared as pointers. The context is
   done when its parent is done, and cannot be cancelled itself. The caller keeps *value
   alive as long as the context. A NULL key is misuse. Returns NULL if out of memory. */
TUCO_API TUCO_MAKES tuco_ctx *tuco_ctx_with_value(tuco_ctx *parent, const void *key,
                                                  void *value);

/* Makes a context that has the values of its parent and is never done. Returns NULL if
   out of memory. */
TUCO_API TUCO_MAKES tuco_ctx *tuco_ctx_without_cancel(tuco_ctx *parent);

/* Cancels ctx and every context made from it; all of them are done when the call returns.
   Does nothing if ctx is already done, or was not made by tuco_ctx_with_cancel(),
   tuco_ctx_with_deadline() or tuco_ctx_with_timeout(). */
TUCO_API void tuco_ctx_cancel(tuco_ctx *ctx);

/* Same as tuco_ctx_cancel(), and records the cause. A cause of 0 means -ECANCELED. Only
   the first cause is kept. */
TUCO_API void tuco_ctx_cancel_cause(tuco_ctx *ctx, int cause);

/* Returns the channel that is closed when ctx is done, or NULL if ctx is never done. The
   channel is valid as long as ctx; take a reference to keep it longer. */
TUCO_API tuco_chan *tuco_ctx_done(tuco_ctx *ctx);

/* Returns 0 while ctx is not done, then -ECANCELED or -ETIMEDOUT. A context that is done
   because of its parent has an error only after the parent has one. */
TUCO_API int tuco_ctx_err(tuco_ctx *ctx);

/* Returns 0 while ctx is not done; then the cause that ctx or an ancestor was cancelled
   with, or -ETIMEDOUT if a deadline passed. */
TUCO_API int tuco_ctx_cause(tuco_ctx *ctx);

/* Returns the value of key in ctx or its nearest ancestor that has one, else NULL. */
TUCO_API void *tuco_ctx_value(const tuco_ctx *ctx, const void *key);

/* Returns the deadline of ctx, or TUCO_NEVER if it has none. */
TUCO_API tuco_time tuco_ctx_deadline(const tuco_ctx *ctx);

/* Takes another reference and returns ctx. NULL is allowed. */
TUCO_API tuco_ctx *tuco_ctx_ref(tuco_ctx *ctx);

/* Drops a reference. NULL is allowed. */
TUCO_API void tuco_ctx_unref(tuco_ctx *ctx);

/* A call that the runtime makes when a context is done. */
typedef struct tuco_ctx_after tuco_ctx_after;

/* Arranges for fn(arg) to run in a new goroutine when ctx is done, or now if it is done
   already. The call is not made if no runtime runs at that time. The handle holds a
   reference to ctx; free it with tuco_ctx_after_free(). Returns NULL if out of memory. A
   NULL ctx or fn is misuse. */
TUCO_API TUCO_MAKES tuco_ctx_after *tuco_ctx_after_make(tuco_ctx *ctx, tuco_fn *fn,
                                                        void *arg);

/* Stops the call. Returns true if this prevented fn from running, false if fn was already
   started or stopped. Does not wait for fn. */
TUCO_API bool tuco_ctx_after_stop(tuco_ctx_after *after);

/* Frees the handle. fn still runs when the context is done, unless the call was stopped
   or the last reference to the context is dropped before. NULL is allowed. */
TUCO_API void tuco_ctx_after_free(tuco_ctx_after *after);

/* A set of goroutines with one context and one result. */
typedef struct tuco_group tuco_group;

/* Makes a group whose context is a child of parent. At most limit of its goroutines run
   at the same time; 0 means no limit. Returns NULL if out of memory or if limit is
   negative. */
TUCO_API TUCO_MAKES tuco_group *tuco_group_make(tuco_ctx *parent, int limit);

/* Starts a goroutine that runs fn(ctx, arg) with the group's context. Blocks while limit
   goroutines run. The first fn that returns a value other than 0 cancels the context with
   that cause. A goroutine that ends by tuco_exit() counts as 0. Returns as tuco_go()
   does. A NULL fn is misuse. */
TUCO_API int tuco_group_go(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg);

/* Same as tuco_group_go(), but returns -EAGAIN instead of blocking. */
TUCO_API TUCO_NODISCARD int tuco_group_try_go(tuco_group *group,
                                              int (*fn)(tuco_ctx *, void *), void *arg);

/* Blocks until all goroutines of the group have ended, then cancels its context and frees
   the group. Returns the first value other than 0 that an fn returned, or 0. */
TUCO_API int tuco_group_wait(tuco_group *group);

#ifdef __cplusplus
}
#endif

#endif
