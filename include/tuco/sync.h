/* SPDX-License-Identifier: MIT */
/* tuco/sync.h: mutexes, condition variables, wait groups, once, semaphores and pools. */
#ifndef TUCO_SYNC_H
#define TUCO_SYNC_H

#include <stdbool.h>
#include <stdint.h>
#include <tuco/go.h>
#include <tuco/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every object but tuco_pool is valid when zeroed. A zeroed tuco_sem has no units:
 * tuco_sem_init() gives it some.
 *
 * A function whose name ends in _until returns 0, or -ETIMEDOUT if it would still have to
 * wait at the deadline. A call that need not wait succeeds even if the deadline has
 * passed.
 *
 * Lifetime. A call that wakes a waiter does not touch the object once the waiter can
 * return. So the waiter may free the object as soon as its call has returned, even before
 * the call that woke it returns; but no other call may be under way or follow. To copy an
 * object that is in use is misuse, which is not detected.
 */

/* A mutex. It has no owner: one goroutine may lock it and another may unlock it. */
typedef struct tuco_mutex {
    uint64_t tuco_private[4];
} tuco_mutex;

/* Locks m. Blocks while m is locked, forever if the caller itself has locked it. Running
   goroutines may overtake waiters, until a waiter has waited for more than a millisecond:
   then the mutex is handed over in FIFO order. */
TUCO_API void tuco_mutex_lock(tuco_mutex *m);

/* Locks m if it is unlocked. Returns whether it did. Never blocks. */
TUCO_API TUCO_NODISCARD bool tuco_mutex_try_lock(tuco_mutex *m);

/* Same as tuco_mutex_lock(), with a deadline. */
TUCO_API TUCO_NODISCARD int tuco_mutex_lock_until(tuco_mutex *m, tuco_time deadline);

/* Unlocks m and wakes the next waiter. Never blocks, but may yield to a waiter that it
   hands m to. Unlocking an unlocked mutex is misuse. */
TUCO_API void tuco_mutex_unlock(tuco_mutex *m);

/* A readers-writer lock, held by any number of readers or by one writer. It has no
   owner. */
typedef struct tuco_rwmutex {
    uint64_t tuco_private[9];
} tuco_rwmutex;

/* Locks rw for reading. Blocks while a writer holds rw or waits for it. A reader must not
   lock rw again: if a writer waits, both wait forever. */
TUCO_API void tuco_rwmutex_rlock(tuco_rwmutex *rw);

/* Locks rw for reading if it can do so without blocking. Returns whether it did. */
TUCO_API TUCO_NODISCARD bool tuco_rwmutex_try_rlock(tuco_rwmutex *rw);

/* Same as tuco_rwmutex_rlock(), with a deadline. */
TUCO_API TUCO_NODISCARD int tuco_rwmutex_rlock_until(tuco_rwmutex *rw,
                                                     tuco_time deadline);

/* Releases one read lock. Never blocks. Misuse if rw is not locked for reading. */
TUCO_API void tuco_rwmutex_runlock(tuco_rwmutex *rw);

/* Locks rw for writing. Blocks while a reader or writer holds rw, and keeps new readers
   out meanwhile. */
TUCO_API void tuco_rwmutex_lock(tuco_rwmutex *rw);

/* Locks rw for writing if it is unlocked. Returns whether it did. Never blocks. */
TUCO_API TUCO_NODISCARD bool tuco_rwmutex_try_lock(tuco_rwmutex *rw);

/* Same as tuco_rwmutex_lock(), with a deadline. */
TUCO_API TUCO_NODISCARD int tuco_rwmutex_lock_until(tuco_rwmutex *rw, tuco_time deadline);

/* Releases the write lock; all waiting readers get rw before the next writer. Never
   blocks. Misuse if rw is not locked for writing. */
TUCO_API void tuco_rwmutex_unlock(tuco_rwmutex *rw);

/* A condition variable, used with a tuco_mutex. */
typedef struct tuco_cond {
    uint64_t tuco_private[3];
} tuco_cond;

/* Unlocks m, waits for a signal and locks m again. A signal sent after the unlock is not
   missed. There are no spurious wakeups, but another goroutine may lock m first: check
   the condition in a loop. Misuse if m is not locked. */
TUCO_API void tuco_cond_wait(tuco_cond *c, tuco_mutex *m);

/* Same as tuco_cond_wait(), but waits for the signal until the deadline only. Returns
   with m locked in every case, and may wait beyond the deadline for that. */
TUCO_API int tuco_cond_wait_until(tuco_cond *c, tuco_mutex *m, tuco_time deadline);

/* Wakes the waiter that has waited longest, if there is one. The caller may hold the
   mutex, or may have unlocked it after the change that it signals. Never blocks. */
TUCO_API void tuco_cond_signal(tuco_cond *c);

/* Wakes all waiters. Never blocks. */
TUCO_API void tuco_cond_broadcast(tuco_cond *c);

/* A wait group: a counter, and the waiters for it to become zero. */
typedef struct tuco_wg {
    uint64_t tuco_private;
} tuco_wg;

/* Adds n, which may be negative, to the counter, and wakes all waiters if it becomes
   zero. A call that raises the counter from zero must happen before tuco_wg_wait(). Never
   blocks. A counter below zero or above 2147483647 is misuse. */
TUCO_API void tuco_wg_add(tuco_wg *wg, int n);

/* Same as tuco_wg_add(wg, -1). */
TUCO_API void tuco_wg_done(tuco_wg *wg);

/* Blocks until the counter is zero. */
TUCO_API void tuco_wg_wait(tuco_wg *wg);

/* Returns whether the counter is zero; true has the effect of tuco_wg_wait(). Never
   blocks. */
TUCO_API TUCO_NODISCARD bool tuco_wg_try_wait(const tuco_wg *wg);

/* Same as tuco_wg_wait(), with a deadline. */
TUCO_API int tuco_wg_wait_until(tuco_wg *wg, tuco_time deadline);

/* Increments the counter and starts a goroutine that runs fn(arg) and decrements the
   counter when it ends, also by tuco_exit(). Returns as tuco_go() does; on failure the
   counter is unchanged. */
TUCO_API int tuco_wg_go(tuco_wg *wg, tuco_fn *fn, void *arg);

/* A function call that is made once. */
typedef struct tuco_once {
    uint64_t tuco_private;
} tuco_once;

/* Calls fn(arg) if this is the first call with o. Every call returns after that first fn
   has ended, by return or by tuco_exit(), and sees its effects. An fn that calls
   tuco_once_do() with the same o waits forever. A NULL fn is misuse, except in calls
   after the first fn has ended. */
TUCO_API void tuco_once_do(tuco_once *o, tuco_fn *fn, void *arg);

/* A weighted semaphore. */
typedef struct tuco_sem {
    uint64_t tuco_private[5];
} tuco_sem;

/* From tuco/ctx.h. */
typedef struct tuco_ctx tuco_ctx;

/* Initialises s with n free units. No other call may use s concurrently or before. A
   negative n is misuse. */
TUCO_API void tuco_sem_init(tuco_sem *s, int64_t n);

/* Acquires n units. Blocks until they are free and all earlier requests are served, or
   until ctx is done. ctx may be NULL. Returns 0, -EINVAL if n is negative, or
   tuco_ctx_err(ctx), also if ctx is done at the call. On failure no units are
   acquired. */
TUCO_API int tuco_sem_acquire(tuco_sem *s, int64_t n, tuco_ctx *ctx);

/* Same as tuco_sem_acquire(), with a deadline in place of the context. Returns 0, -EINVAL
   or -ETIMEDOUT. */
TUCO_API TUCO_NODISCARD int tuco_sem_acquire_until(tuco_sem *s, int64_t n,
                                                   tuco_time deadline);

/* Acquires n units if they are free and there is no waiter. Returns whether it did. Never
   blocks. */
TUCO_API TUCO_NODISCARD bool tuco_sem_try_acquire(tuco_sem *s, int64_t n);

/* Releases n units and wakes the waiters that can now be served, in FIFO order. Never
   blocks. A negative n, or more units than are acquired, is misuse. */
TUCO_API void tuco_sem_release(tuco_sem *s, int64_t n);

/* A pool of unused objects, with a cache for each processor. */
typedef struct tuco_pool tuco_pool;

/* Makes an empty pool. make(arg) makes an object and destroy(arg, object) frees one. Both
   run on the calling goroutine and may block. Both may be NULL: then tuco_pool_get() on
   an empty pool returns NULL, and objects that do not fit are dropped. Returns NULL if
   out of memory. */
TUCO_API TUCO_MAKES tuco_pool *tuco_pool_make(void *(*make)(void *),
                                              void (*destroy)(void *, void *), void *arg);

/* Returns any object of the pool, or else the result of make(arg). Blocks only in
   make(). */
TUCO_API void *tuco_pool_get(tuco_pool *pool);

/* Puts object into the pool, which keeps up to 512 objects and up to 15 more for each
   processor. Destroys objects that do not fit. NULL is ignored. Blocks only in
   destroy(). */
TUCO_API void tuco_pool_put(tuco_pool *pool, void *object);

/* Destroys the objects in the pool and frees it. No other call may use the pool
   concurrently or later. NULL is allowed. */
TUCO_API void tuco_pool_free(tuco_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
