/* SPDX-License-Identifier: MIT */
/* tuco/sync.h: objects that goroutines and threads wait on. Each is valid when zeroed,
   unless it has a function that makes it. */
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
 * Any function here may be called from goroutines and from other threads. One that blocks
 * does so for the calling goroutine only or, on another thread, for the thread.
 *
 * A function that ends in _until returns 0, or -ETIMEDOUT if the deadline has passed and
 * it would have to wait. With a deadline that lies in the past it still succeeds if it
 * need not wait; so it is a try that can be repeated in a loop. TUCO_NEVER is no
 * deadline.
 *
 * Objects may lie on a stack that is left, or in memory that is freed, as soon as the
 * last call on them has returned that the program waits for: who wakes somebody touches
 * the object no more by then. Copying one that is in use is misuse.
 */

/* A mutex: a lock that one has at a time. It belongs to nobody: one goroutine may lock it
   and another unlock it. */
typedef struct tuco_mutex {
    uint64_t tuco_private[4];
} tuco_mutex;

/* Locks m; blocks while it is locked. Locking twice without an unlock blocks for ever.
   Those who wait get it roughly in their order, but whoever comes by when it is free may
   be faster; one who has waited for more than a millisecond gets it next, and from then
   on nobody is faster. */
TUCO_API void tuco_mutex_lock(tuco_mutex *m);

/* Locks m if it is free, and returns whether it did. Never blocks. */
TUCO_API bool tuco_mutex_try_lock(tuco_mutex *m);

/* As tuco_mutex_lock(), until the deadline. On failure m is not locked by the caller. */
TUCO_API int tuco_mutex_lock_until(tuco_mutex *m, tuco_time deadline);

/* Unlocks m, and wakes who comes next. Never blocks, but may yield to the next owner.
   Unlocking a mutex that is not locked is misuse. */
TUCO_API void tuco_mutex_unlock(tuco_mutex *m);

/* A readers-writer lock: any number of readers has it at a time, or one writer. */
typedef struct tuco_rwmutex {
    uint64_t tuco_private[9];
} tuco_rwmutex;

/* Locks rw for reading; blocks while a writer has it, or waits for it. A writer that
   leaves lets in all readers that wait. One who has it for reading must not lock it a
   second time: if a writer comes in between, both wait for ever. */
TUCO_API void tuco_rwmutex_rlock(tuco_rwmutex *rw);

/* Locks rw for reading if that does not block, and returns whether it did. */
TUCO_API bool tuco_rwmutex_try_rlock(tuco_rwmutex *rw);

/* As tuco_rwmutex_rlock(), until the deadline. On failure rw is not locked by the
   caller. */
TUCO_API int tuco_rwmutex_rlock_until(tuco_rwmutex *rw, tuco_time deadline);

/* Gives back one lock for reading. Never blocks. Misuse if nobody has one. */
TUCO_API void tuco_rwmutex_runlock(tuco_rwmutex *rw);

/* Locks rw for writing; blocks while anybody has it. From the call on no new reader gets
   it. */
TUCO_API void tuco_rwmutex_lock(tuco_rwmutex *rw);

/* Locks rw for writing if nobody has it, and returns whether it did. Never blocks. */
TUCO_API bool tuco_rwmutex_try_lock(tuco_rwmutex *rw);

/* As tuco_rwmutex_lock(), until the deadline. On failure rw is not locked by the caller,
   and readers that only the caller kept out are let in. */
TUCO_API int tuco_rwmutex_lock_until(tuco_rwmutex *rw, tuco_time deadline);

/* Gives back the lock for writing. Never blocks. Misuse if nobody has it. */
TUCO_API void tuco_rwmutex_unlock(tuco_rwmutex *rw);

/* A condition variable: where those wait who hold a mutex and find that something is not
   as they need it. */
typedef struct tuco_cond {
    uint64_t tuco_private[3];
} tuco_cond;

/* Unlocks m and waits for a signal, as one step: no signal is missed that is given after
   m was unlocked. Returns with m locked again. Never returns without a signal; but others
   may have had m before, so the caller looks again, in a loop. m is locked when it is
   called, or it is misuse. */
TUCO_API void tuco_cond_wait(tuco_cond *c, tuco_mutex *m);

/* As tuco_cond_wait(), until the deadline. Returns with m locked in any case, however
   long that takes. A signal that is given to the caller makes it return 0, a deadline
   that passes first makes it return -ETIMEDOUT and takes no signal from others. With a
   deadline in the past it waits for no signal, but lets others have m for a moment. */
TUCO_API int tuco_cond_wait_until(tuco_cond *c, tuco_mutex *m, tuco_time deadline);

/* Wakes the one who has waited longest; nothing if nobody waits. The caller may hold the
   mutex, or have held it when it made the change that it tells of. Never blocks. */
TUCO_API void tuco_cond_signal(tuco_cond *c);

/* Wakes all who wait now. Never blocks. */
TUCO_API void tuco_cond_broadcast(tuco_cond *c);

/* A wait group: a counter, and those who wait for it to become zero. */
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

/* As tuco_wg_wait(), until the deadline. The counter is as before in any case. */
TUCO_API int tuco_wg_wait_until(tuco_wg *wg, tuco_time deadline);

/* Adds one to the counter and starts a goroutine that runs fn(arg) and then takes one
   from it, also when fn ends by tuco_exit(). Returns as tuco_go() does; on failure the
   counter is as before. */
TUCO_API int tuco_wg_go(tuco_wg *wg, tuco_fn *fn, void *arg);

/* Something that is to be done once. */
typedef struct tuco_once {
    uint64_t tuco_private;
} tuco_once;

/* Calls fn(arg) if this is the first call with this object. Returns when that first call
   of a function has ended, whoever makes it: all see what it did. A function that ends by
   tuco_exit() has ended. If fn itself calls this with the same object it waits for
   itself, for ever. A NULL fn in a call before the function has ended is misuse. */
TUCO_API void tuco_once_do(tuco_once *o, tuco_fn *fn, void *arg);

/* A weighted semaphore: a number of units, of which one asks for as many as one needs.
   Zeroed, it has none; tuco_sem_init() gives it its size. */
typedef struct tuco_sem {
    uint64_t tuco_private[5];
} tuco_sem;

/* From tuco/ctx.h. */
typedef struct tuco_ctx tuco_ctx;

/* Makes s a semaphore with n units, all free. To be called before any other use. A
   negative n is misuse. */
TUCO_API void tuco_sem_init(tuco_sem *s, int64_t n);

/* Takes n units; blocks until they are free and everybody who asked before has got his. A
   request for more than the size of s waits for its context only. ctx may be NULL: then
   nothing ends the wait. Returns 0, -EINVAL if n is negative, or, if the context is done
   before the units are there, or when the call is made, tuco_ctx_err(ctx): -ECANCELED or
   -ETIMEDOUT. On failure no units are taken. */
TUCO_API int tuco_sem_acquire(tuco_sem *s, int64_t n, tuco_ctx *ctx);

/* As tuco_sem_acquire() without a context, until the deadline: returns 0, -EINVAL or
   -ETIMEDOUT. */
TUCO_API int tuco_sem_acquire_until(tuco_sem *s, int64_t n, tuco_time deadline);

/* Takes n units if they are free and nobody waits, and returns whether it did. Never
   blocks. */
TUCO_API bool tuco_sem_try_acquire(tuco_sem *s, int64_t n);

/* Gives n units back, and wakes those whose turn it is now. Never blocks. More than are
   taken, or a negative n, is misuse. */
TUCO_API void tuco_sem_release(tuco_sem *s, int64_t n);

/* A pool: objects of the program that are kept to be used again, each processor having
   some of its own at hand. */
typedef struct tuco_pool tuco_pool;

/* Makes a pool. make(arg) makes a new object when there is none to be had; without it
   that gives NULL. destroy(arg, object) ends an object that is not kept; without it the
   object is forgotten. Both are called on the goroutine that asks, and may block. Returns
   NULL if there is no memory. */
TUCO_API tuco_pool *tuco_pool_make(void *(*make)(void *), void (*destroy)(void *, void *),
                                   void *arg);

/* Returns an object that was put into the pool, or what make(arg) returns. Which one it
   is is not promised. Does not block itself. */
TUCO_API void *tuco_pool_get(tuco_pool *pool);

/* Gives an object to the pool, from where anybody may get it. The pool keeps 512 objects,
   and 15 more for each processor; one beyond that is destroyed. NULL is ignored. Does not
   block itself. */
TUCO_API void tuco_pool_put(tuco_pool *pool, void *object);

/* Destroys all objects that are in the pool, and frees it. Nobody uses it any more;
   objects that have not been put back are the program's. NULL is allowed. */
TUCO_API void tuco_pool_free(tuco_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
