/* SPDX-License-Identifier: MIT */
/* Handles of kernel descriptors: turns, uses and references, waiting for readiness,
   closing. */
#include "net/fd.h"
#include "base/alloc.h"
#include "base/die.h"
#include "sched/thread/foreign.h"
#include "sched/thread/fork.h"
#include "sched/park.h"
#include "sched/netpoll/pollset.h"
#include "sched/sched.h"

#include <errno.h>
#include <tuco/go.h>

/* See pause_if_futile(). */
#define FUTILE_TRIES    4
#define FUTILE_PAUSE_NS TUCO_MILLISECOND

/* Turns: see fd.h. */

/* Returns RT_WAIT_PENDING if the fdmutex is taken. */
static int fdmutex_try_locked(struct rt_fdmutex *t) {
    rt_assert_spin_held(&t->lock);
    if (unlikely(t->closed)) {
        return -ECANCELED;
    }
    if (t->taken) {
        return RT_WAIT_PENDING;
    }
    t->taken = true;
    return 0;
}

static int fdmutex_wait(struct rt_fdmutex *t, struct rt_g *g, const void *pc) {
    struct rt_waiter *w = rt_wait_record(g, NULL, RT_TICKET_ALONE);
    rt_spin_lock(&t->lock);
    int result = fdmutex_try_locked(t);
    if (result != RT_WAIT_PENDING) {
        rt_spin_unlock(&t->lock);
        return result;
    }
    rt_waitq_push(&t->queue, w);
    rt_wait(g, &t->lock, RT_WAIT_io, pc);
    return w->result;
}

int rt_fdmutex_take(struct rt_fdmutex *t, const void *pc) {
    rt_enter(); /* inside, no signal preempts the goroutine while it holds the lock */
    rt_spin_lock(&t->lock);
    int result = fdmutex_try_locked(t);
    rt_spin_unlock(&t->lock);
    rt_leave();
    if (likely(result != RT_WAIT_PENDING)) {
        return result;
    }
    struct rt_g *g = rt_wait_begin();
    result = fdmutex_wait(t, g, pc);
    rt_wait_end(g);
    return result;
}

void rt_fdmutex_pass(struct rt_fdmutex *t) {
    rt_enter(); /* before claiming a waiter: see give_units() in sync/sem.c */
    rt_spin_lock(&t->lock);
    rt_assert(t->taken);
    struct rt_waiter *w = rt_waitq_claim(&t->queue);
    if (w == NULL) {
        t->taken = false;
    } else {
        w->result = 0;
    }
    rt_spin_unlock(&t->lock);
    if (w != NULL) {
        rt_ready(w->g);
    }
    rt_leave();
}

void rt_fdmutex_close(struct rt_fdmutex *t) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    rt_enter(); /* as in rt_fdmutex_pass() */
    rt_spin_lock(&t->lock);
    t->closed = true;
    while ((w = rt_waitq_claim(&t->queue)) != NULL) {
        w->result = -ECANCELED;
        rt_g_link(w->g, list);
        list = w->g;
    }
    rt_spin_unlock(&t->lock);
    if (list != NULL) {
        rt_ready_list(list);
    }
    rt_leave();
}

/* Uses and references: see fd.h. */

static struct {
    /* Also guards the field closer of each handle, and leaving a closed handle. Taken
       inside the runtime; no other lock is taken under it. */
    struct rt_spin lock;
    /* Under the lock. */
    struct rt_waitq waiting; /* parked closers; a record's value is its handle */
} closers RT_CACHE_ALIGNED;

static void fd_drop_holder(tuco_fd *f) {
    /* acq_rel: all other uses happen before the memory is freed. Pairs with
       fd_drop_holder() in other threads. */
    if (rt_sub_acqrel(&f->holders, 1) == 1) {
        rt_free(f);
    }
}

/* close() may block: a file may have to be written first, a socket may linger. */
static int close_number(int number) {
    tuco_blocking_enter();
    int result = os_fd_close(number);
    tuco_blocking_exit();
    return result;
}

static int close_watched(const tuco_fd *f) {
    /* relaxed: the last use has seen all others. Remove it before the close: if another
       descriptor keeps the file open, the kernel would go on watching it. */
    uint32_t poller = rt_load_rlx(&f->poller);
    if (poller != 0) {
        rt_netpoll_remove(f->number, poller);
    }
    int result = close_number(f->number);
    rt_polldesc_free(f->desc);
    return result;
}

/* Called by the last use of a closed handle. */
static int close_descriptor(tuco_fd *f) {
    if (unlikely(f->end != NULL)) {
        f->end->run(f->end);
    }
    int result = f->desc == NULL ? close_number(f->number) : close_watched(f);
    fd_drop_holder(f);
    return result;
}

/* A foreign thread in a call may wake goroutines later, although it is outside of the
   runtime during a system call. It announces itself, so that checkdead does not report a
   deadlock meanwhile. */
static void announce_thread(void) {
    if (unlikely(arch_self() == NULL)) {
        rt_foreign_operate();
    }
}

static void withdraw_thread(void) {
    if (unlikely(arch_self() == NULL)) {
        rt_foreign_rest();
    }
}

int rt_fd_use(tuco_fd *f) {
    announce_thread();
    uint32_t uses = rt_load_rlx(&f->uses); /* relaxed: the compare-and-swap decides */
    do {
        if (unlikely((uses & RT_FD_CLOSED) != 0)) {
            withdraw_thread();
            return -EBADF;
        }
        /* acq_rel: orders the call before or after the close. Pairs with mark_closed(). */
    } while (!rt_cas_acqrel(&f->uses, &uses, uses + 1));
    return 0;
}

/* Whether the caller's use is the only one left. f is closed, so that stays so. */
static bool is_last(const tuco_fd *f) {
    /* acquire: all other uses happen before the descriptor is closed. Pairs with
       count_out() and count_out_locked(). */
    return rt_load_acq(&f->uses) == RT_FD_CLOSED + 1;
}

/* Drops the caller's use. Returns the parked closer, off its queue, if only that is left,
   or else NULL. f may be freed after this. */
static struct rt_waiter *count_out_locked(tuco_fd *f) {
    rt_assert_spin_held(&closers.lock);
    struct rt_waiter *w = f->closer;
    /* release: publishes what the call did. Pairs with is_last(). */
    uint32_t before = rt_sub_acqrel(&f->uses, 1);
    if (w == NULL || before != RT_FD_CLOSED + 2) {
        return NULL;
    }
    rt_waitq_remove(&closers.waiting, w);
    return w;
}

static int leave_closed(tuco_fd *f) {
    if (is_last(f)) {
        return close_descriptor(f);
    }
    rt_enter(); /* before claiming the closer: see give_units() in sync/sem.c */
    rt_spin_lock(&closers.lock);
    bool last = is_last(f); /* again: the other uses may be gone by now */
    struct rt_waiter *w = last ? NULL : count_out_locked(f);
    rt_spin_unlock(&closers.lock);
    if (w != NULL) {
        rt_ready(w->g);
    }
    rt_leave();
    return last ? close_descriptor(f) : 0;
}

static int count_out(tuco_fd *f) {
    uint32_t uses = rt_load_rlx(&f->uses); /* relaxed: the compare-and-swap decides */
    do {
        if (unlikely((uses & RT_FD_CLOSED) != 0)) {
            return leave_closed(f);
        }
        /* release: publishes what the call did. Pairs with mark_closed() and is_last(). */
    } while (!rt_cas_acqrel(&f->uses, &uses, uses - 1));
    return 0;
}

int rt_fd_unuse(tuco_fd *f) {
    int result = count_out(f);
    withdraw_thread();
    return result;
}

/* Sets the mark and adds a use for the caller. */
static int mark_closed(tuco_fd *f) {
    uint32_t uses = rt_load_rlx(&f->uses); /* relaxed: the compare-and-swap decides */
    do {
        if ((uses & RT_FD_CLOSED) != 0) {
            return -EBADF;
        }
        /* acq_rel: as in rt_fd_use(). Pairs with rt_fd_use() and count_out(). */
    } while (!rt_cas_acqrel(&f->uses, &uses, (uses + 1) | RT_FD_CLOSED));
    return 0;
}

/* Whether every use of f will end. */
static bool users_leave(const tuco_fd *f) {
    enum rt_phase phase = rt_phase_now();
    return (phase == RT_RUNNING || phase == RT_STOPPED) &&
           f->process == rt_fork_generation();
}

/* Parks until the caller's use is the only one: see 'Waiting for users'. */
static void await_users(tuco_fd *f, const void *pc) {
    if (likely(is_last(f))) {
        return;
    }
    struct rt_g *g = rt_wait_begin();
    struct rt_waiter *w = rt_wait_record(g, f, RT_TICKET_ALONE);
    rt_spin_lock(&closers.lock);
    if (is_last(f) || !users_leave(f)) {
        rt_spin_unlock(&closers.lock);
    } else {
        f->closer = w;
        rt_waitq_push(&closers.waiting, w);
        rt_wait(g, &closers.lock, RT_WAIT_fd_close, pc);
    }
    rt_wait_end(g);
}

/* Removes the first closer that is a foreign thread from the queue; NULL: there is none. */
static struct rt_waiter *take_thread_locked(void) {
    rt_assert_spin_held(&closers.lock);
    struct rt_waiter *w = rt_load_rlx(&closers.waiting.first); /* relaxed: the lock */
    while (w != NULL && (w->g->flags & RT_G_FLAG_FOREIGN) == 0) {
        w = w->next;
    }
    if (w != NULL) {
        tuco_fd *f = w->value;
        f->closer = NULL;
        rt_waitq_remove(&closers.waiting, w);
    }
    return w;
}

void rt_fd_release_closers(void) {
    struct rt_waiter *w;
    do {
        rt_spin_lock_thread(&closers.lock); /* main may call this as it ends: no yield */
        w = take_thread_locked();
        rt_spin_unlock(&closers.lock);
        if (w != NULL) {
            rt_foreign_wake(w->g);
        }
    } while (w != NULL);
}

static int close_fd(tuco_fd *f, const void *pc) {
    int error = mark_closed(f);
    if (error != 0) {
        return error;
    }
    for (int way = 0; way < RT_POLLWAYS; way++) {
        rt_fdmutex_close(&f->fdmutexes[way]);
    }
    if (f->desc != NULL) { /* valid until the caller's use ends */
        rt_polldesc_close(f->desc);
        await_users(f, pc);
    }
    return leave_closed(f);
}

static void fd_drop_reference(tuco_fd *f, const void *pc) {
    /* acq_rel: all other uses of the handle happen before its close. Pairs with
       fd_drop_reference() in other threads. */
    if (rt_sub_acqrel(&f->references, 1) == 1) {
        (void)close_fd(f, pc); /* -EBADF: already closed */
        fd_drop_holder(f);
    }
}

/* Operations */

/*
 * Drained. A read that returned fewer bytes than requested has emptied the socket, and the
 * poller will report bytes that arrive later. So the next read waits without trying: the
 * try would only return EAGAIN. That saves one system call in three for a goroutine that
 * reads and writes in turns. It holds for TCP, whose bytes are one queue. It does not hold
 *   - if the same event reported something besides the bytes, which will not be reported
 *     again: the end of the stream, an error, or urgent data, at which a read stops. The
 *     polldesc then has MORE set for good
 *   - if tuco_fd_raw() was called: the user knows the number and may have changed the
 *     socket, for example to kernel TLS, which returns one record at a time
 * When a descriptor that is already ready is added to the poller, epoll reports it.
 */
static bool is_drained(const tuco_fd *f) {
    return f->drained && rt_load_rlx(&f->secret); /* relaxed: see tuco_fd_raw() */
}

/* Adds f to the poller, if it is not there, before a goroutine waits. Both directions may
   do so at once: the kernel accepts the first. */
static int be_watched(tuco_fd *f) {
    uint32_t poller = rt_netpoll_number();
    /* relaxed: the number publishes nothing */
    if (likely(poller != 0 && rt_load_rlx(&f->poller) == poller)) {
        return 0;
    }
    int error = rt_netpoll_add(f->number, rt_polldesc_token(f->desc), &poller);
    if (error != 0 && error != -EEXIST) {
        return error;
    }
    rt_store_rlx(&f->poller, poller); /* relaxed: as above */
    return 0;
}

int rt_fd_look_again(tuco_fd *f) {
    int error = f->desc != NULL ? rt_polldesc_begin(f->desc, RT_POLLWAY_WRITE) : 0;
    return error < 0 ? error : 0;
}

/* When a message socket's peer has a full queue, the kernel reports room in the sender's
   buffer, which there is as soon as the send has failed. So after some futile wake-ups the
   sender sleeps between two tries. */
static void pause_if_futile(const tuco_fd *f, enum rt_pollway_name way, int tries) {
    if (unlikely(f->kind == OS_FD_MESSAGES && way == RT_POLLWAY_WRITE &&
                 tries > FUTILE_TRIES)) {
        tuco_sleep(FUTILE_PAUSE_NS);
    }
}

static int64_t step_when_ready(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                               void *request, const void *pc) {
    int error = rt_polldesc_begin(f->desc, way);
    if (error < 0) {
        return error;
    }
    bool futile = error == RT_POLLDESC_SILENT && way == RT_POLLWAY_READ && is_drained(f);
    int tries = 0;
    /* If the poller does not watch it, try in any case. */
    int64_t result = futile && be_watched(f) == 0 ? -EAGAIN : step(f, request);
    while (result == -EAGAIN) {
        error = be_watched(f);
        if (error == 0) {
            error = rt_polldesc_wait(f->desc, way, pc);
        }
        if (error != 0) {
            return error;
        }
        pause_if_futile(f, way, tries++);
        result = step(f, request);
    }
    return result;
}

/* The system call may block the thread. */
static int64_t step_blocking(tuco_fd *f, rt_fd_step *step, void *request) {
    tuco_blocking_enter();
    int64_t result = step(f, request);
    tuco_blocking_exit();
    return result;
}

static int64_t perform_in_turn(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                               void *request, const void *pc) {
    int error = rt_fdmutex_take(&f->fdmutexes[way], pc);
    if (error != 0) {
        return error;
    }
    int64_t result = f->desc != NULL ? step_when_ready(f, way, step, request, pc)
                                     : step_blocking(f, step, request);
    rt_fdmutex_pass(&f->fdmutexes[way]);
    return result;
}

int64_t rt_fd_perform(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                      void *request, const void *pc) {
    int error = rt_fd_use(f);
    if (error != 0) {
        return error;
    }
    int64_t result = perform_in_turn(f, way, step, request, pc);
    (void)rt_fd_unuse(f); /* an error of close() concerns the closer, and is lost here */
    return result;
}

static int set_deadline(tuco_fd *f, bool read, bool write, tuco_time deadline) {
    int error = rt_fd_use(f);
    if (error != 0) {
        return error;
    }
    if (f->desc == NULL) {
        error = -EOPNOTSUPP;
    } else {
        if (read) {
            rt_polldesc_set_deadline(f->desc, RT_POLLWAY_READ, deadline);
        }
        if (write) {
            rt_polldesc_set_deadline(f->desc, RT_POLLWAY_WRITE, deadline);
        }
    }
    (void)rt_fd_unuse(f); /* as in rt_fd_perform() */
    return error;
}

/* Making */

tuco_fd *rt_fd_make(int number, struct os_fd_traits traits) {
    tuco_fd *f = rt_alloc(sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->number = number;
    f->kind = traits.kind;
    rt_init(&f->references, 1);
    rt_init(&f->holders, 2);
    f->process = rt_fork_generation();
    f->desc = traits.pollable ? rt_polldesc_make() : NULL;
    if (traits.pollable && f->desc == NULL) {
        rt_free(f);
        return NULL;
    }
    return f;
}

void rt_fd_forget(tuco_fd *f) {
    if (f->desc != NULL) {
        rt_polldesc_free(f->desc);
    }
    rt_free(f);
}

tuco_fd *rt_fd_adopt(int number, enum os_fd_kind kind) {
    tuco_fd *f =
        rt_fd_make(number, (struct os_fd_traits){.kind = kind, .pollable = true});
    if (f != NULL) {
        rt_init(&f->secret, true);
    }
    return f;
}

/* Public */

void rt_fd_report_null(const char *function) {
    rt_panic("%s of nil handle", function);
}

int tuco_fd_raw(tuco_fd *f) {
    RT_FD_CHECK(f);
    /* relaxed: the caller uses the number only after this returns */
    rt_store_rlx(&f->secret, false);
    /* relaxed: it may be closed a moment later in any case */
    return (rt_load_rlx(&f->uses) & RT_FD_CLOSED) != 0 ? -EBADF : f->number;
}

tuco_fd *tuco_fd_ref(tuco_fd *f) {
    if (f != NULL) {
        rt_add_rlx(&f->references, 1); /* relaxed: the caller holds one */
    }
    return f;
}

void tuco_fd_unref(tuco_fd *f) {
    if (f != NULL) {
        fd_drop_reference(f, __builtin_return_address(0));
    }
}

int tuco_fd_close(tuco_fd *f) {
    RT_FD_CHECK(f);
    const void *pc = __builtin_return_address(0);
    int result = close_fd(f, pc);
    fd_drop_reference(f, pc);
    return result;
}

int tuco_fd_set_deadline(tuco_fd *f, tuco_time deadline) {
    RT_FD_CHECK(f);
    return set_deadline(f, true, true, deadline);
}

int tuco_fd_set_read_deadline(tuco_fd *f, tuco_time deadline) {
    RT_FD_CHECK(f);
    return set_deadline(f, true, false /* not for writing */, deadline);
}

int tuco_fd_set_write_deadline(tuco_fd *f, tuco_time deadline) {
    RT_FD_CHECK(f);
    return set_deadline(f, false /* not for reading */, true, deadline);
}

int tuco_fd_shutdown(tuco_fd *f, int how) {
    RT_FD_CHECK(f);
    int result = rt_fd_use(f);
    if (result == 0) {
        result = os_fd_shutdown(f->number, how);
        (void)rt_fd_unuse(f); /* as in rt_fd_perform() */
    }
    return result;
}
