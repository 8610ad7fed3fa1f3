/* SPDX-License-Identifier: MIT */
/* Looking up host and service names, on threads that callers can abandon. */
#include "net/lookup.h"
#include "base/alloc.h"
#include "base/die.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sched/thread/newmhandoff.h"
#include "sched/waitq.h"

#include <errno.h>
#include <string.h>
#include <tuco/go.h>
#include <tuco/sync.h>

/*
 * Problem. The C library looks names up, and its call cannot be interrupted: a name server
 * that does not answer holds it for as long as the system is configured to wait, perhaps
 * half a minute. Its stack usage is unknown, because modules are loaded at run time. A
 * server whose name service is dead may have thousands of such calls pending, all with a
 * deadline.
 *
 * Rejected. getaddrinfo_a(), which starts any number of threads and cannot be interrupted
 * either. Querying the name servers ourselves: the answers would differ from those that
 * other programs of the system get. A goroutine for each call: it holds an M, whose number
 * is limited, and counts as a goroutine of the user long after the caller has left.
 *
 * The way taken. Up to THREADS_MAX lookup threads, which are not Ms. They take requests
 * from a queue and exit when it is empty, so that usually there are none. An asker waits
 * for the answer or its deadline. If the deadline comes first, the asker removes the
 * request from the queue, or leaves it to the thread that has taken it, which discards the
 * answer. Neither the end of the runtime nor the exit of the process waits for a thread
 * that is in the C library's call; after the end of the runtime such a thread wakes no
 * goroutine. The end of the runtime does wait for the other lookup threads, which exit
 * soon.
 *
 * Equal lookups are one. ('Equal lookups') A request that equals a queued or taken one
 * joins it: a thousand dials of one dead name need one thread, and lookups of other names
 * are answered meanwhile. An answer goes to the askers that joined before it arrived;
 * answers are not cached.
 *
 * Price. ('Price') While THREADS_MAX lookups of different names hang, all other lookups
 * wait behind them until one returns or their deadline passes. A line on standard error
 * reports this, at most once a minute.
 *
 *     QUEUED ---> TAKEN ---> ANSWERED     the last asker frees it; if all have left before
 *        |                                the answer, its thread does
 *        +-> off the queue                the last asker frees it, if all leave
 *
 * While a request is queued, there is a lookup thread, or an asker is about to start one.
 * If the start fails and there is no other thread, that asker answers all queued requests
 * with the error.
 *
 * Parents. ('Parents') A new thread inherits the attributes of its parent. A foreign
 * thread, or the thread of a wired goroutine, may have changed its own, for example its
 * network namespace; but the answers are shared. So such an asker starts the lookup thread
 * from a new goroutine, which is not wired, and waits until that has started it: the
 * goroutine must not outlive the call.
 *
 * Children. A child process of fork() has none of the threads, and starts with an empty
 * queue; its copies of the requests leak.
 *
 * A foreign thread makes the call itself if it has no deadline or no runtime runs.
 */
#define THREADS_MAX 500 /* as in Go */

#define BUCKETS 64

/* Enough for starting a thread, whatever the default stack size is. */
#define STARTER_STACK_BYTES ((size_t)64 * 1024)

enum state { QUEUED, TAKEN, ANSWERED };

struct request {
    /* Under desk.lock. */
    enum state state;
    struct request *next; /* while QUEUED, both */
    struct request *prev;
    struct request *next_alike; /* in its bucket, until it is ANSWERED */
    uint32_t askers;            /* askers that have not left */
    struct rt_waitq waiting;    /* the parked askers */

    /* The request is immutable. The answer belongs to the lookup thread while TAKEN, and is
       immutable once ANSWERED. */
    struct rt_lookup lookup;
    int error;
};

static struct {
    struct rt_spin lock; /* taken inside the runtime */
    /* Under the lock. */
    struct request *first;
    struct request *last; /* valid if first is not NULL */
    int threads;          /* including those about to be started */
    int64_t reported_ns;  /* when THREADS_MAX was reported last; 0: never */
    /* QUEUED and TAKEN requests, hashed by host */
    struct request *buckets[BUCKETS];

    /* Atomic: any thread. */
    rt_atomic(uint32_t) watching; /* 1: the fork handler is registered */
    rt_atomic(uint32_t) alive;    /* lookup threads, until their last step */
    rt_atomic(uint32_t) away;     /* those of them in a call of the C library */
    rt_atomic(uint32_t) changes;  /* of the two counts; a futex */
} desk RT_CACHE_ALIGNED;

static void desk_push_locked(struct request *r) {
    rt_assert_spin_held(&desk.lock);
    r->prev = desk.first != NULL ? desk.last : NULL;
    if (r->prev != NULL) {
        r->prev->next = r;
    } else {
        desk.first = r;
    }
    desk.last = r;
}

static void desk_remove_locked(struct request *r) {
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

/* Equal lookups */

static struct request **bucket_of(const struct rt_lookup *l) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *at = l->host; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * 16777619u;
    }
    return &desk.buckets[hash % BUCKETS];
}

static bool are_equal(const struct rt_lookup *a, const struct rt_lookup *b) {
    return a->families == b->families && a->kind == b->kind &&
           strcmp(a->host, b->host) == 0 && strcmp(a->service, b->service) == 0;
}

static struct request *find_equal_locked(const struct rt_lookup *l) {
    rt_assert_spin_held(&desk.lock);
    struct request *r = *bucket_of(l);
    while (r != NULL && !are_equal(&r->lookup, l)) {
        r = r->next_alike;
    }
    return r;
}

static void list_locked(struct request *r) {
    struct request **first = bucket_of(&r->lookup);
    rt_assert_spin_held(&desk.lock);
    r->next_alike = *first;
    *first = r;
}

static void unlist_locked(struct request *r) {
    struct request **at = bucket_of(&r->lookup);
    rt_assert_spin_held(&desk.lock);
    while (*at != r) {
        at = &(*at)->next_alike;
    }
    *at = r->next_alike;
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

/* Takes the first request; NULL: there is none, and the caller no longer counts as a
   thread. failed: the caller could not start a thread, and takes requests only if there is
   no other thread. */
static struct request *take_next(bool failed) {
    rt_enter();
    rt_spin_lock(&desk.lock);
    struct request *r = failed && desk.threads > 1 ? NULL : desk.first;
    if (r != NULL) {
        desk_remove_locked(r);
        r->state = TAKEN;
    } else {
        desk.threads--;
    }
    rt_spin_unlock(&desk.lock);
    rt_leave();
    return r;
}

static void answer(struct request *r) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    rt_enter(); /* before claiming an asker: see give_units() in sync/sem.c */
    rt_spin_lock(&desk.lock);
    bool abandoned = r->askers == 0;
    while ((w = rt_waitq_claim(&r->waiting)) != NULL) {
        rt_g_link(w->g, list);
        list = w->g;
    }
    r->state = ANSWERED;
    unlist_locked(r);
    rt_spin_unlock(&desk.lock); /* unless abandoned, r may be freed from here on */
    if (list != NULL) {
        rt_ready_list(list);
    }
    rt_leave();
    if (abandoned) {
        free_request(r);
    }
}

/* Wakes rt_lookup_settle(), which waits for a change of alive or away. */
static void report_change(void) {
    /* release: publishes the changed count. Pairs with rt_lookup_settle(). */
    rt_add_sc(&desk.changes, 1);
    os_futex_wake(&desk.changes, 1);
}

static int look_up_away(struct rt_lookup *l) {
    rt_add_rlx(&desk.away, 1); /* relaxed: report_change() publishes it */
    report_change();
    int error = look_up(l);
    /* relaxed: seen late, it is as if the call had lasted longer */
    rt_sub_rlx(&desk.away, 1);
    return error;
}

/* Answers requests until the queue is empty. start_error: not 0 if the caller could not
   start a thread; then that is the answer. */
static void desk_serve(int start_error) {
    struct request *r;
    while ((r = take_next(start_error != 0)) != NULL) {
        r->error = start_error != 0 ? start_error : look_up_away(&r->lookup);
        answer(r);
    }
}

/* Threads */

static void thread_body(void *unused) {
    (void)unused;
    desk_serve(0 /* it has been started */);
    rt_sub_sc(&desk.alive, 1);
    report_change();
}

/* Runs in a child process before fork() returns, on its only thread. */
static void forget_threads(void) {
    rt_store_rlx(&desk.lock.word, 0); /* relaxed, all: there is no other thread */
    desk.first = NULL;
    desk.threads = 0;
    memset(desk.buckets, 0, sizeof desk.buckets);
    rt_store_rlx(&desk.alive, 0);
    rt_store_rlx(&desk.away, 0);
}

static int watch_forks(void) {
    /* relaxed: it publishes nothing; exactly one caller registers the handler */
    if (rt_swap_rlx(&desk.watching, 1) != 0) {
        return 0;
    }
    int error = os_fork_watch(forget_threads);
    if (error != 0) {
        rt_store_rlx(&desk.watching, 0); /* relaxed: as above */
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
    error = os_thread_start_large(&thread, "tuco-lookup", thread_body, NULL);
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
        desk_serve(error);
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
        desk_serve(error);
    }
}

/* Asking */

static void report_full(void) {
    rt_print(
        "tuco: all %d lookup threads wait for the name service; further lookups wait "
        "for a free one: see resolv.conf(5)\n",
        THREADS_MAX);
}

/* Returns the request to wait for: fresh, or an equal one. */
static struct request *desk_ask(struct request *fresh) {
    rt_enter();
    rt_spin_lock(&desk.lock);
    struct request *r = find_equal_locked(&fresh->lookup);
    bool start = r == NULL && desk.threads < THREADS_MAX;
    bool report = r == NULL && !start && rt_lack_is_due(&desk.reported_ns);
    if (r == NULL) {
        r = fresh;
        desk_push_locked(r);
        list_locked(r);
    }
    r->askers++;
    desk.threads += start;
    const struct rt_m *m = arch_self();
    bool changed = m == NULL || m->locked_g != NULL; /* perhaps: see 'Parents' */
    rt_spin_unlock(&desk.lock);
    rt_leave();
    if (report) {
        report_full();
    }
    if (start && changed) {
        start_elsewhere();
    } else if (start) {
        start_here();
    }
    if (r != fresh) {
        rt_free(fresh);
    }
    return r;
}

/* The deadline passed first. Returns true if the caller was the last asker and no thread
   has taken the request: then the caller frees it. */
static bool withdraw_locked(struct request *r) {
    rt_assert_spin_held(&desk.lock);
    if (--r->askers > 0 || r->state != QUEUED) {
        return false;
    }
    desk_remove_locked(r);
    unlist_locked(r);
    return true;
}

/* Returns false if the deadline passed first; then r is not the caller's any more. */
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
    bool answered = r->state == ANSWERED;
    bool withdrawn = !answered && withdraw_locked(r);
    rt_spin_unlock(&desk.lock);
    rt_wait_end(g);
    if (withdrawn) {
        free_request(r);
    }
    return answered;
}

/* The caller has its answer and drops the request. */
static void desk_leave(struct request *r) {
    rt_enter();
    rt_spin_lock(&desk.lock);
    bool last = --r->askers == 0;
    rt_spin_unlock(&desk.lock);
    rt_leave();
    if (last) {
        free_request(r);
    }
}

/* Each asker gets a list of its own. */
static int copy_answer(const struct rt_lookup *from, struct rt_lookup *to) {
    struct os_address *list = NULL;
    size_t bytes = (size_t)from->count * sizeof *list;
    if (bytes > 0) {
        list = rt_alloc(bytes);
        if (list == NULL) {
            return -ENOMEM;
        }
        memcpy(list, from->list, bytes);
    }
    *to = *from;
    to->list = list;
    return 0;
}

static int ask_and_wait(struct rt_lookup *l, int64_t deadline_ns, const void *pc) {
    struct request *r = rt_alloc(sizeof *r);
    if (r == NULL) {
        return -ENOMEM;
    }
    r->lookup = *l;
    r = desk_ask(r);
    if (!wait_for_answer(r, deadline_ns, pc)) {
        return -ETIMEDOUT;
    }
    int error = r->error != 0 ? r->error : copy_answer(&r->lookup, l);
    desk_leave(r);
    return error;
}

void rt_lookup_settle(void) {
    for (;;) {
        /* acquire, all: in this order. A thread that was away and has exited must not stand
           in for one that is alive. Pairs with report_change(). */
        uint32_t changes = rt_load_acq(&desk.changes);
        uint32_t alive = rt_load_acq(&desk.alive);
        if (alive <= rt_load_acq(&desk.away)) {
            return;
        }
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
    rt_foreign_expect(); /* not a deadlock: a lookup thread will wake the caller */
    int error = ask_and_wait(l, deadline_ns, pc);
    rt_foreign_expect_no_more();
    return error;
}
