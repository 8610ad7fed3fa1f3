/* SPDX-License-Identifier: MIT */
/* Asking the system for names, by threads that nobody has to wait for. */
#include "net/lookup.h"
#include "base/alloc.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sched/wait.h"

#include <errno.h>
#include <tuco/go.h>
#include <tuco/sync.h>

/*
 * Problem. The C library looks names up, and its call cannot be ended: a name server that
 * does not answer holds it for as long as the system's settings say, which is half a
 * minute, say. Nor does it say how much of the stack it takes: modules that are loaded at
 * run time decide that. A server whose name service is dead may have thousands of such
 * calls to make, and all have a deadline.
 *
 * Rejected. The C library's own lookups in the background, which start threads without
 * bound and cannot be ended either. Asking the name servers ourselves, which would answer
 * otherwise than the system does for its other programs. A goroutine for each call: it
 * holds a thread of the runtime's, of which there are so many and no more, and is counted
 * and waited for as one of the program's, long after the one who asked has left.
 *
 * The way taken. Up to THREADS_MAX threads of our own, which are not the runtime's: they
 * take requests off a queue and end when it is empty, so that there are none most of the
 * time. Who asks waits for the answer or for the deadline. If the deadline comes first it
 * takes the request back or, if a thread has it, leaves it to that thread, which throws
 * away what it finds. Nobody waits for a thread that is in that call: neither the end of the
 * runtime, after which it wakes nobody, nor that of the process. For the others the end of
 * the runtime waits, which have an instant to go.
 *
 * Price. ('Price') While as many lookups hang as there are threads, all others wait
 * behind them, also those that would be answered at once: until one comes back, or their
 * deadline.
 *
 *     QUEUED ---> TAKEN ---> ANSWERED     who asked frees it
 *        |          |
 *        |          +-----> ABANDONED     its thread does
 *        +-> off the queue                who asked does
 *
 * As long as a request is queued there is a thread, or somebody is about to start one; if
 * that fails and there is no other, he answers all that are queued with the error.
 *
 * Parents. ('Parents') A new thread inherits what its parent is like, and a thread that a
 * goroutine is wired to, or one of the program's, may have been changed: it may see
 * another network, say. What is found here is for all. There a goroutine starts it, which
 * is wired to no thread, and for which the one who asked waits: it must not outlive the
 * call.
 *
 * Children. A child process of fork() has none of the threads, and begins anew: its
 * copies of the requests are lost to it.
 *
 * A thread that the runtime did not start makes the call itself if it has no deadline, or
 * if no runtime runs, and then takes as long as it takes.
 */
#define THREADS_MAX 16

/* Enough for starting a thread, whatever the program has set for its goroutines. */
#define STARTER_STACK_BYTES ((size_t)64 * 1024)

enum state { QUEUED, TAKEN, ANSWERED, ABANDONED };

struct request {
    /* desk.lock. */
    enum state state;
    struct request *next; /* QUEUED, both */
    struct request *prev;
    struct rt_waitq waiting; /* who asked */

    /* Of the thread while it is TAKEN, else of who asked. */
    struct rt_lookup lookup;
    int error;
};

static struct {
    struct rt_spin lock; /* guards what follows; taken inside */
    struct request *first;
    struct request *last; /* valid if there is a first */
    int threads;          /* with those that are about to be started */

    /* Atomic. */
    rt_atomic(uint32_t) watching; /* for child processes */
    rt_atomic(uint32_t) alive;    /* threads until their last step */
    rt_atomic(uint32_t) away;     /* of these, those that are in the C library's call */
    rt_atomic(uint32_t) changes;  /* of the two; futex */
} desk RT_CACHE_ALIGNED;

static void push_locked(struct request *r) {
    rt_assert_spin_held(&desk.lock);
    r->prev = desk.first != NULL ? desk.last : NULL;
    if (r->prev != NULL) {
        r->prev->next = r;
    } else {
        desk.first = r;
    }
    desk.last = r;
}

static void remove_locked(struct request *r) {
    rt_assert_spin_held(&desk.lock);
    if (r->prev != NULL) {
        r->prev->next = r->next;
    } else {
        desk.first = r->next;
    }
    if (r->next != NULL) {
        r->next->prev = r->prev;
    } else {
        desk.last = r->prev;
    }
}

static void free_request(struct request *r) {
    rt_free(r->lookup.list);
    rt_free(r);
}

/* Answering */

static int look_up(struct rt_lookup *l) {
    if (l->service[0] != '\0') {
        int port = os_service_find(l->service, l->kind);
        if (port < 0) {
            return port;
        }
        l->port = port;
    }
    if (l->host[0] != '\0') {
        int count = os_host_find(l->host, l->families, &l->list);
        if (count < 0) {
            return count;
        }
        l->count = count;
    }
    return 0;
}

/* NULL: there is nothing to do, and the caller is not one of the threads any more.
   failed: it never was, and has something to do only if there is no other. */
static struct request *take_next(bool failed) {
    rt_enter();
    rt_spin_lock(&desk.lock);
    struct request *r = failed && desk.threads > 1 ? NULL : desk.first;
    if (r != NULL) {
        remove_locked(r);
        r->state = TAKEN;
    } else {
        desk.threads--;
    }
    rt_spin_unlock(&desk.lock);
    rt_leave();
    return r;
}

static void answer(struct request *r) {
    rt_enter(); /* before somebody is off the queue: see release() in sync/sem.c */
    rt_spin_lock(&desk.lock);
    bool abandoned = r->state == ABANDONED;
    struct rt_waiter *w = rt_waitq_claim(&r->waiting);
    r->state = ANSWERED;
    rt_spin_unlock(&desk.lock); /* from here on it may be gone */
    if (w != NULL) {
        rt_ready(w->g);
    }
    rt_leave();
    if (abandoned) {
        free_request(r);
    }
}

/* For rt_lookup_settle(), which waits for one of the two counts to change. */
static void tell_change(void) {
    rt_add_sc(&desk.changes, 1); /* sc: after the count. Pairs with rt_lookup_settle(). */
    os_futex_wake(&desk.changes, 1);
}

static int look_up_away(struct rt_lookup *l) {
    rt_add_sc(&desk.away, 1); /* sc, both: for uniformity */
    tell_change();
    int error = look_up(l);
    rt_sub_sc(&desk.away, 1);
    return error;
}

/* start_error: why there is no thread that does it. */
static void serve(int start_error) {
    struct request *r;
    while ((r = take_next(start_error != 0)) != NULL) {
        r->error = start_error != 0 ? start_error : look_up_away(&r->lookup);
        answer(r);
    }
}

/* Threads */

static void thread_body(void *unused) {
    (void)unused;
    serve(0 /* it has been started */);
    rt_sub_sc(&desk.alive, 1);
    tell_change();
}

/* In a child process, before fork() returns there, on its only thread. */
static void forget_threads(void) {
    rt_store_rlx(&desk.lock.word, 0); /* relaxed, all: nobody else is there */
    desk.first = NULL;
    desk.threads = 0;
    rt_store_rlx(&desk.alive, 0);
    rt_store_rlx(&desk.away, 0);
}

static int watch_forks(void) {
    /* acq_rel: one does it; stronger than needed */
    if (rt_swap_acqrel(&desk.watching, 1) != 0) {
        return 0;
    }
    int error = os_fork_watch(forget_threads);
    if (error != 0) {
        rt_store_rel(&desk.watching, 0); /* release: for uniformity */
    }
    return error;
}

static int start_thread(void) {
    os_thread thread;
    int error = watch_forks();
    if (error != 0) {
        return error;
    }
    rt_add_sc(&desk.alive, 1);
    error = os_thread_start(&thread, "tuco-lookup", thread_body, NULL);
    if (error == 0) {
        os_thread_detach(thread);
    } else {
        rt_sub_sc(&desk.alive, 1);
    }
    return error;
}

static void start_here(void) {
    int error = start_thread();
    if (error != 0) {
        serve(error);
    }
}

static void starter_body(void *started) {
    start_here();
    tuco_wg_done(started);
}

static void start_elsewhere(void) {
    static const tuco_attr attr = {.name = "lookup", .stack_size = STARTER_STACK_BYTES};
    tuco_wg started = {0};
    tuco_wg_add(&started, 1);
    int error = tuco_go_attr(&attr, starter_body, &started);
    if (error == 0) {
        tuco_wg_wait(&started);
    } else {
        serve(error);
    }
}

/* Asking */

static void ask(struct request *r) {
    rt_enter();
    rt_spin_lock(&desk.lock);
    push_locked(r);
    bool start = desk.threads < THREADS_MAX;
    desk.threads += start;
    const struct rt_m *m = arch_self();
    bool changed = m == NULL || m->locked_g != NULL; /* perhaps: see 'Parents' */
    rt_spin_unlock(&desk.lock);
    rt_leave();
    if (start && changed) {
        start_elsewhere();
    } else if (start) {
        start_here();
    }
}

/* False: the deadline came first. */
static bool leave_locked(struct request *r) {
    switch (r->state) {
    case ANSWERED: return true;
    case QUEUED: remove_locked(r); break;
    default: r->state = ABANDONED; break;
    }
    return false;
}

/* False: the deadline came first, and the request is not the caller's any more. */
static bool wait_for_answer(struct request *r, int64_t deadline_ns, const void *pc) {
    struct rt_g *g = rt_wait_begin();
    struct rt_waiter *w = rt_wait_record(g, NULL, rt_claim_new(g));
    rt_spin_lock(&desk.lock);
    if (r->state != ANSWERED) {
        rt_waitq_push(&r->waiting, w);
        rt_wait_until(g, &desk.lock, w->ticket, deadline_ns, RT_WAIT_io, pc);
        rt_spin_lock(&desk.lock);
        rt_waitq_remove(&r->waiting, w);
    }
    bool answered = leave_locked(r);
    bool withdrawn = r->state == QUEUED;
    rt_spin_unlock(&desk.lock);
    rt_wait_end(g);
    if (withdrawn) {
        free_request(r);
    }
    return answered;
}

static int ask_and_wait(struct rt_lookup *l, int64_t deadline_ns, const void *pc) {
    struct request *r = rt_alloc(sizeof *r);
    if (r == NULL) {
        return -ENOMEM;
    }
    r->lookup = *l;
    ask(r);
    if (!wait_for_answer(r, deadline_ns, pc)) {
        return -ETIMEDOUT;
    }
    int error = r->error;
    if (error == 0) {
        *l = r->lookup;
        r->lookup.list = NULL; /* it is the caller's */
    }
    free_request(r);
    return error;
}

void rt_lookup_settle(void) {
    for (;;) {
        uint32_t changes = rt_load_acq(&desk.changes); /* acquire: before the counts */
        if (rt_load_acq(&desk.alive) <= rt_load_acq(&desk.away)) {
            return;
        }
        /* woken by tell_change() */
        os_futex_wait(&desk.changes, changes, OS_NEVER);
    }
}

int rt_lookup(struct rt_lookup *l, int64_t deadline_ns, const void *pc) {
    if (deadline_ns <= os_now()) {
        return -ETIMEDOUT;
    }
    if (arch_self() == NULL &&
        (deadline_ns == OS_NEVER || rt_phase_now() != RT_RUNNING)) {
        return look_up(l);
    }
    tuco_foreign_enter(); /* a thread that is not the runtime's will wake it */
    int error = ask_and_wait(l, deadline_ns, pc);
    tuco_foreign_exit();
    return error;
}
