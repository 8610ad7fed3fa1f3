/* SPDX-License-Identifier: MIT */
/* Handles of kernel descriptors: who owns them, how an operation waits, how they end. */
#include "net/fd.h"
#include "base/alloc.h"
#include "base/die.h"
#include "sched/foreign.h"
#include "sched/poll.h"

#include <errno.h>
#include <tuco/go.h>

/* See pause_if_futile(). */
#define FUTILE_TRIES    4
#define FUTILE_PAUSE_NS TUCO_MILLISECOND

/* Uses and references: see fd.h. */

static void drop_holder(tuco_fd *f) {
    /* acq_rel: all that others did with it comes before its end. Pairs with itself. */
    if (rt_sub_acqrel(&f->holders, 1) == 1) {
        rt_free(f);
    }
}

/* A file may have to be written first, and a socket may have been told to linger. */
static int close_number(int number) {
    tuco_blocking_enter();
    int result = os_fd_close(number);
    tuco_blocking_exit();
    return result;
}

static int close_watched(const tuco_fd *f) {
    /* relaxed: the last use has seen all others. Before it is closed: others may hold the
       same file open by another number, and the kernel would go on watching it. */
    uint32_t poller = rt_load_rlx(&f->poller);
    if (poller != 0) {
        rt_poll_remove(f->number, poller);
    }
    int result = close_number(f->number);
    rt_polldesc_free(f->desc);
    return result;
}

/* The last one who can know the number. */
static int let_go(tuco_fd *f) {
    if (unlikely(f->end != NULL)) {
        f->end->run(f->end);
    }
    int result = f->desc == NULL ? close_number(f->number) : close_watched(f);
    drop_holder(f);
    return result;
}

int rt_fd_use(tuco_fd *f) {
    uint32_t uses = rt_load_rlx(&f->uses); /* relaxed: decided below */
    do {
        if (unlikely((uses & RT_FD_CLOSED) != 0)) {
            return -EBADF;
        }
        /* acq_rel: before the close, or after it. Pairs with mark_closed(). */
    } while (!rt_cas_acqrel(&f->uses, &uses, uses + 1));
    return 0;
}

int rt_fd_unuse(tuco_fd *f) {
    /* acq_rel: all that was done with the descriptor comes before its end. Pairs with
       itself. */
    return rt_sub_acqrel(&f->uses, 1) == RT_FD_CLOSED + 1 ? let_go(f) : 0;
}

/* Counts the caller as a use. */
static int mark_closed(tuco_fd *f) {
    uint32_t uses = rt_load_rlx(&f->uses); /* relaxed: decided below */
    do {
        if ((uses & RT_FD_CLOSED) != 0) {
            return -EBADF;
        }
        /* acq_rel: pairs with rt_fd_use(). */
    } while (!rt_cas_acqrel(&f->uses, &uses, (uses + 1) | RT_FD_CLOSED));
    return 0;
}

static int close_fd(tuco_fd *f) {
    int error = mark_closed(f);
    if (error != 0) {
        return error;
    }
    for (int way = 0; way < RT_POLLWAYS; way++) {
        rt_lane_close(&f->lanes[way]);
    }
    if (f->desc != NULL) { /* which stays until the caller's use ends */
        rt_polldesc_close(f->desc);
    }
    return rt_fd_unuse(f);
}

static void drop_reference(tuco_fd *f) {
    /* acq_rel: all that others did with it comes before its end. Pairs with itself. */
    if (rt_sub_acqrel(&f->references, 1) == 1) {
        (void)close_fd(f); /* -EBADF: it is already */
        drop_holder(f);
    }
}

/* Operations */

/*
 * Drained. A read that returned less than there was room for has emptied the socket, and
 * what comes later will be told: so the next read waits at once, where it would only be
 * told that there is nothing. That saves one call to the kernel in three for who reads
 * and writes in turns. It holds for TCP, where the bytes are one queue. Not
 *   - if something is to be told beyond the bytes, which came along with them and so will
 *     not be told again: the end, an error, or urgent data, where a read stops: the
 *     poller says MORE, for good
 *   - if somebody else knows the number, and may have made another thing of the socket,
 *     such as one that decrypts, and hands out a record at a time: tuco_fd_raw() was
 *     called
 * A descriptor that is not watched yet is told of when it begins to be, if it is ready.
 */
static bool is_drained(const tuco_fd *f) {
    return f->drained && rt_load_rlx(&f->secret); /* relaxed: before the other can act */
}

/* The poller has to know of it before somebody waits. One that is not watched yet may be
   watched by both directions at once: the kernel takes the first. */
static int be_watched(tuco_fd *f) {
    uint32_t poller = rt_poll_number();
    /* relaxed: a number */
    if (likely(poller != 0 && rt_load_rlx(&f->poller) == poller)) {
        return 0;
    }
    int error = rt_poll_add(f->number, f->desc, &poller);
    if (error != 0 && error != -EEXIST) {
        return error;
    }
    rt_store_rlx(&f->poller, poller); /* relaxed: likewise */
    return 0;
}

int rt_fd_look_again(tuco_fd *f) {
    int error = f->desc != NULL ? rt_polldesc_begin(f->desc, RT_POLLWAY_WRITE) : 0;
    return error < 0 ? error : 0;
}

/* A message for somebody whose queue is full: the kernel tells of room in the sender's
   buffer, which is there again as soon as the try has failed. So who has been woken in
   vain a few times looks at the clock instead. */
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
    /* If nobody could tell, it tries nevertheless. */
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

/* The thread waits, if anybody does. */
static int64_t step_blocking(tuco_fd *f, rt_fd_step *step, void *request) {
    tuco_blocking_enter();
    int64_t result = step(f, request);
    tuco_blocking_exit();
    return result;
}

static int64_t perform_in_turn(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                               void *request, const void *pc) {
    int error = rt_lane_take(&f->lanes[way], pc);
    if (error != 0) {
        return error;
    }
    int64_t result = f->desc != NULL ? step_when_ready(f, way, step, request, pc)
                                     : step_blocking(f, step, request);
    rt_lane_pass(&f->lanes[way]);
    return result;
}

/* A thread that has its turn may wake others, although it is outside while it talks to
   the kernel: it says so, or their wait would be taken for a deadlock. */
static bool announce_thread(void) {
    bool foreign = arch_self() == NULL;
    if (unlikely(foreign)) {
        rt_foreign_operate();
    }
    return foreign;
}

int64_t rt_fd_perform(tuco_fd *f, enum rt_pollway_name way, rt_fd_step *step,
                      void *request, const void *pc) {
    int error = rt_fd_use(f);
    if (error != 0) {
        return error;
    }
    bool announced = announce_thread();
    int64_t result = perform_in_turn(f, way, step, request, pc);
    if (unlikely(announced)) {
        rt_foreign_rest();
    }
    (void)rt_fd_unuse(f); /* who closed it has gone on by now, and cannot be told */
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

/* NULL: no memory. */
static tuco_fd *make(int number, struct os_fd_traits traits) {
    tuco_fd *f = rt_alloc(sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->number = number;
    f->kind = traits.kind;
    rt_init(&f->references, 1);
    rt_init(&f->holders, 2);
    f->desc = traits.pollable ? rt_polldesc_make() : NULL;
    if (traits.pollable && f->desc == NULL) {
        rt_free(f);
        return NULL;
    }
    return f;
}

static void forget(tuco_fd *f) {
    if (f->desc != NULL) {
        rt_polldesc_free(f->desc);
    }
    rt_free(f);
}

tuco_fd *rt_fd_adopt(int number, enum os_fd_kind kind) {
    tuco_fd *f = make(number, (struct os_fd_traits){.kind = kind, .pollable = true});
    if (f != NULL) {
        rt_init(&f->secret, true);
    }
    return f;
}

tuco_fd *tuco_fd_wrap(int fd) {
    struct os_fd_traits traits;
    if (os_fd_learn(fd, &traits) != 0) {
        return NULL;
    }
    tuco_fd *f = make(fd, traits);
    /* last: fd stays as it was if all fails */
    if (f != NULL && traits.pollable && os_fd_make_nonblocking(fd) != 0) {
        forget(f);
        return NULL;
    }
    return f;
}

/* Public */

int tuco_fd_raw(tuco_fd *f) {
    rt_store_rlx(&f->secret,
                 false); /* relaxed: the caller does something with it later */
    /* relaxed: it may be closed a moment later in any case */
    return (rt_load_rlx(&f->uses) & RT_FD_CLOSED) != 0 ? -EBADF : f->number;
}

tuco_fd *tuco_fd_ref(tuco_fd *f) {
    if (f != NULL) {
        rt_add_rlx(&f->references, 1); /* relaxed: the caller has one */
    }
    return f;
}

void tuco_fd_unref(tuco_fd *f) {
    if (f != NULL) {
        drop_reference(f);
    }
}

int tuco_fd_close(tuco_fd *f) {
    int result = close_fd(f);
    drop_reference(f);
    return result;
}

int tuco_fd_set_deadline(tuco_fd *f, tuco_time deadline) {
    return set_deadline(f, true, true, deadline);
}

int tuco_fd_set_read_deadline(tuco_fd *f, tuco_time deadline) {
    return set_deadline(f, true, false /* not for writing */, deadline);
}

int tuco_fd_set_write_deadline(tuco_fd *f, tuco_time deadline) {
    return set_deadline(f, false /* not for reading */, true, deadline);
}

int tuco_fd_shutdown(tuco_fd *f, int how) {
    int result = rt_fd_use(f);
    if (result == 0) {
        result = os_fd_shutdown(f->number, how);
        (void)rt_fd_unuse(f); /* as in rt_fd_perform() */
    }
    return result;
}
