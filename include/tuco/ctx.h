/* SPDX-License-Identifier: MIT */
/* tuco/ctx.h: contexts, which tell a tree of goroutines to stop, and groups of goroutines
   that end together. */
#ifndef TUCO_CTX_H
#define TUCO_CTX_H

#include <stdbool.h>
#include <tuco/chan.h>
#include <tuco/go.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A context is done when it is cancelled, when its deadline has passed, or when the
 * context that it was made from is done. It is made from a parent, and keeps it alive. A
 * NULL parent is misuse. Contexts are reference counted: made with one reference, which
 * belongs to the caller. Giving back the last reference to a context that is not done
 * forgets it: it is not cancelled, and nobody is left who could notice.
 *
 * All functions but the waiting on tuco_ctx_done() and those of groups return without
 * blocking, and may be called by several at once.
 */
typedef struct tuco_ctx tuco_ctx;

/* Returns the context that is never done: the root of every tree. It needs no reference
   and no unref. */
TUCO_API tuco_ctx *tuco_ctx_background(void);

/* Makes a context that can be cancelled. Returns NULL if there is no memory. */
TUCO_API tuco_ctx *tuco_ctx_with_cancel(tuco_ctx *parent);

/* Makes a context that is done at the deadline at the latest: with -ETIMEDOUT. The
   parent's deadline holds if it is earlier; one that has passed makes the context done at
   once. The runtime watches the clock while it runs, for contexts that were made before
   as well. Without one, a context is done at the first call of tuco_ctx_err() or
   tuco_ctx_cause() after its deadline. Returns NULL if there is no memory. */
TUCO_API tuco_ctx *tuco_ctx_with_deadline(tuco_ctx *parent, tuco_time deadline);

/* The same with a deadline that lies duration after now. */
TUCO_API tuco_ctx *tuco_ctx_with_timeout(tuco_ctx *parent, tuco_time duration);

/* Makes a context in which key has that value; keys are compared as pointers. It is done
   when its parent is, and cannot be cancelled itself. The value is the caller's, and has
   to last as long as the context. A NULL key is misuse. Returns NULL if there is no
   memory. */
TUCO_API tuco_ctx *tuco_ctx_with_value(tuco_ctx *parent, const void *key, void *value);

/* Makes a context that has the values of its parent, and is never done. Returns NULL if
   there is no memory. */
TUCO_API tuco_ctx *tuco_ctx_without_cancel(tuco_ctx *parent);

/* Cancels a context that was made by one of the first three; nothing for one that is done
   or cannot be cancelled. When it returns, every context made from this one is done. */
TUCO_API void tuco_ctx_cancel(tuco_ctx *ctx);

/* The same, and says why: any number but 0, which stands for -ECANCELED. The first cause
   stays. */
TUCO_API void tuco_ctx_cancel_cause(tuco_ctx *ctx, int cause);

/* Returns the channel that is closed when the context is done, or NULL if that is never.
   It is lent: valid for as long as the context. */
TUCO_API tuco_chan *tuco_ctx_done(tuco_ctx *ctx);

/* Returns 0 while the context is not done, and then -ECANCELED or -ETIMEDOUT. */
TUCO_API int tuco_ctx_err(tuco_ctx *ctx);

/* Returns why the context is done: the cause it, or the context above it, was cancelled
   with; -ETIMEDOUT for a deadline. 0 while it is not done. */
TUCO_API int tuco_ctx_cause(tuco_ctx *ctx);

/* Returns the value of the key in the context, or NULL: that of the nearest context
   upwards that was made with the key. */
TUCO_API void *tuco_ctx_value(tuco_ctx *ctx, const void *key);

/* Returns when the context will be done at the latest; TUCO_NEVER: it has no deadline. */
TUCO_API tuco_time tuco_ctx_deadline(tuco_ctx *ctx);

/* Takes another reference and returns ctx. NULL is allowed. */
TUCO_API tuco_ctx *tuco_ctx_ref(tuco_ctx *ctx);

/* Gives a reference back. NULL is allowed. */
TUCO_API void tuco_ctx_unref(tuco_ctx *ctx);

/* A call that is made when a context is done. */
typedef struct tuco_ctx_after tuco_ctx_after;

/* Has fn(arg) run in a goroutine of its own once ctx is done; at once if it is.
   Cancelling does not wait for it. If there is no memory for the goroutine then, it is
   tried again until there is; if no runtime runs then, the call is not made. The handle
   is the caller's, and keeps ctx. Returns NULL if there is no memory. A NULL fn is
   misuse. */
TUCO_API tuco_ctx_after *tuco_ctx_after_make(tuco_ctx *ctx, tuco_fn *fn, void *arg);

/* Returns true if the call has been prevented, by this call of stop: fn will not run.
   Returns false if it was started or stopped before; it is not waited for. */
TUCO_API bool tuco_ctx_after_stop(tuco_ctx_after *after);

/* Gives the handle back; the call is still made unless it was stopped, or nobody has a
   reference to the context any more. NULL is allowed. */
TUCO_API void tuco_ctx_after_free(tuco_ctx_after *after);

/* Goroutines that belong together: all have ended before the wait for them returns. */
typedef struct tuco_group tuco_group;

/* Makes a group, with a context made from parent that its goroutines get. At most limit
   of them run at the same time; 0: any number. Returns NULL if there is no memory or
   limit is negative. */
TUCO_API tuco_group *tuco_group_make(tuco_ctx *parent, int limit);

/* Starts a goroutine that runs fn(ctx, arg). The first of them that returns something
   else than 0 cancels the group's context with that as its cause; ending by tuco_exit()
   counts as 0. Blocks while limit goroutines run. A goroutine of the group may start
   others in it. Returns as tuco_go() does. A NULL fn is misuse. */
TUCO_API int tuco_group_go(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg);

/* Blocks until all goroutines of the group have ended, cancels its context, frees the
   group and returns what the first of them to fail returned, or 0. */
TUCO_API int tuco_group_wait(tuco_group *group);

#ifdef __cplusplus
}
#endif

#endif
