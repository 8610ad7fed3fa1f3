/* SPDX-License-Identifier: MIT */
/* A user program, in C or C++, with the same mistake in many lines: it does not use the
   result of a call. */
#include <stddef.h>
#include <tuco.h>

TUCO_CHAN(numbers, int);

void lose_objects(tuco_ctx *ctx, tuco_fn *fn);
void lose_locks(tuco_mutex *m, tuco_rwmutex *rw, tuco_sem *s, tuco_wg *wg);
void lose_connections(tuco_fd *f, tuco_fd **out);
void lose_goroutine(tuco_group *group, int (*fn)(tuco_ctx *, void *));

void lose_objects(tuco_ctx *ctx, tuco_fn *fn) {
    tuco_chan_make(1, 1);
    numbers_make(1);
    tuco_ctx_with_cancel(ctx);
    tuco_ctx_with_deadline(ctx, 0);
    tuco_ctx_with_timeout(ctx, 0);
    tuco_ctx_with_value(ctx, ctx, NULL);
    tuco_ctx_without_cancel(ctx);
    tuco_ctx_after_make(ctx, fn, NULL);
    tuco_group_make(ctx, 0);
    tuco_pool_make(NULL, NULL, NULL);
    tuco_after(0);
    tuco_timer_make(0);
    tuco_timer_func(0, fn, NULL);
    tuco_ticker_make(1);
}

void lose_locks(tuco_mutex *m, tuco_rwmutex *rw, tuco_sem *s, tuco_wg *wg) {
    tuco_mutex_try_lock(m);
    tuco_mutex_lock_until(m, 0);
    tuco_rwmutex_try_rlock(rw);
    tuco_rwmutex_rlock_until(rw, 0);
    tuco_rwmutex_try_lock(rw);
    tuco_rwmutex_lock_until(rw, 0);
    tuco_sem_try_acquire(s, 1);
    tuco_sem_acquire_until(s, 1, 0);
    tuco_wg_try_wait(wg);
}

void lose_connections(tuco_fd *f, tuco_fd **out) {
    tuco_fd_wrap(0, out);
    tuco_listen("tcp", ":0", out);
    tuco_accept(f, out);
    tuco_dial("tcp", ":1", 0, out);
    tuco_fd_write_some(f, out, 1);
    tuco_fd_writev_some(f, NULL, 0);
}

void lose_goroutine(tuco_group *group, int (*fn)(tuco_ctx *, void *)) {
    tuco_group_try_go(group, fn, NULL);
}
