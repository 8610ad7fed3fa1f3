/* SPDX-License-Identifier: MIT */
/* Locks, conditions, semaphores: hand-over against deadlines, and the last access. */
#include "os_sim.h"
#include "scenario.h"

#include <errno.h>
#include <string.h>

#define USERS_MAX 8

/* A past, a near and no deadline. */
static tuco_time some_deadline(void) {
    switch (sim_pick(0, 3)) {
    case 0: return 0;
    case 1: return TUCO_NEVER;
    default: return tuco_deadline(sim_pick(0, 20) * TUCO_MICROSECOND);
    }
}

static bool succeeded(int result) {
    sim_check(result == 0 || result == -ETIMEDOUT);
    return result == 0;
}

/* Goroutines and threads that use one object. The last of them, when it has had the lock
   after all others, fills it with garbage, and none may write to it afterwards. */
static struct users {
    int count;
    int rounds;
    int left;
    void (*use)(void);
    bool (*leave)(void); /* counts down left under the lock; true: it was the last */
    void *object;
    size_t bytes;
} users;

static tuco_wg all;

/* What the calling thread has stored itself comes before, as in any program. */
static void make_rubbish(void *object, size_t bytes) {
    sim_memory_flush(sim.self);
    memset(object, 0xff, bytes);
}

static void user(void *unused) {
    (void)unused;
    for (int i = 0; i < users.rounds; i++) {
        users.use();
    }
    if (users.leave()) {
        make_rubbish(users.object, users.bytes);
    }
}

static void user_thread(void *unused) {
    user(unused);
}

static int users_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = 0; i < users.count; i++) {
        sim_check(tuco_wg_go(&all, user, NULL) == 0);
    }
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

static void run_users(void (*use)(void), bool (*leave)(void), void *object,
                      size_t bytes) {
    sim_begin();
    int threads = sim_pick(0, 2);
    int count = sim_pick(2, USERS_MAX - threads);
    users = (struct users){.count = count,
                           .rounds = sim_pick(1, 6),
                           .left = count + threads,
                           .use = use,
                           .leave = leave,
                           .object = object,
                           .bytes = bytes};
    memset(object, 0, bytes);
    sim_threads_start(user_thread, threads);
    sim_check(tuco_run(users_main, NULL) == SIM_RESULT);
    sim_threads_join(threads);
    sim_check(sim_threads_alive() == 1);
    for (size_t i = 0; i < bytes; i++) {
        sim_check(((unsigned char *)object)[i] == 0xff);
    }
}

/* Mutex */

static tuco_mutex mutex;
static int inside;

static void hold_mutex(void) {
    sim_check(inside++ == 0);
    switch (sim_pick(0, 7)) {
    case 0: tuco_yield(); break;
    case 1: /* so long that others starve */
        if (tuco_id() != 0) {
            tuco_sleep(2 * TUCO_MILLISECOND);
        }
        break;
    default: sim_pause_some(20);
    }
    sim_check(--inside == 0);
    tuco_mutex_unlock(&mutex);
}

static void use_mutex(void) {
    bool locked = true;
    switch (sim_pick(0, 3)) {
    case 0: locked = tuco_mutex_try_lock(&mutex); break;
    case 1: locked = succeeded(tuco_mutex_lock_until(&mutex, some_deadline())); break;
    default: tuco_mutex_lock(&mutex);
    }
    if (locked) {
        hold_mutex();
    }
}

static bool leave_mutex(void) {
    tuco_mutex_lock(&mutex);
    int left = --users.left;
    tuco_mutex_unlock(&mutex);
    return left == 0;
}

SIM_SCENARIO(mutex, "a mutex is handed around, and some give up") {
    inside = 0;
    run_users(use_mutex, leave_mutex, &mutex, sizeof mutex);
}

/* Readers-writer lock */

static tuco_rwmutex rwmutex;
static int readers;
static int writers;

static void read_locked(void) {
    readers++;
    sim_check(writers == 0);
    sim_pause_some(20);
    sim_check(writers == 0);
    readers--;
    tuco_rwmutex_runlock(&rwmutex);
}

static void write_locked(void) {
    sim_check(writers++ == 0 && readers == 0);
    sim_pause_some(20);
    sim_check(--writers == 0 && readers == 0);
    tuco_rwmutex_unlock(&rwmutex);
}

static void use_rwmutex(void) {
    switch (sim_pick(0, 5)) {
    case 0:
        if (tuco_rwmutex_try_lock(&rwmutex)) {
            write_locked();
        }
        break;
    case 1:
        if (succeeded(tuco_rwmutex_lock_until(&rwmutex, some_deadline()))) {
            write_locked();
        }
        break;
    case 2:
        tuco_rwmutex_lock(&rwmutex);
        write_locked();
        break;
    case 3:
        if (succeeded(tuco_rwmutex_rlock_until(&rwmutex, some_deadline()))) {
            read_locked();
        }
        break;
    default: tuco_rwmutex_rlock(&rwmutex); read_locked();
    }
}

static int left_as_readers;

/* A user may leave as a reader beside other readers: then the last one comes back as
   a writer. */
static bool leave_rwmutex(void) {
    bool reads = sim_pick(0, 3) == 0;
    reads ? tuco_rwmutex_rlock(&rwmutex) : tuco_rwmutex_lock(&rwmutex);
    int left = --users.left;
    left_as_readers += reads;
    bool beside_readers = reads && left_as_readers > 1;
    reads ? tuco_rwmutex_runlock(&rwmutex) : tuco_rwmutex_unlock(&rwmutex);
    if (left == 0 && beside_readers) {
        tuco_rwmutex_lock(&rwmutex);
        tuco_rwmutex_unlock(&rwmutex);
    }
    return left == 0;
}

SIM_SCENARIO(rwmutex, "readers and writers come and go, and some give up") {
    readers = writers = left_as_readers = 0;
    run_users(use_rwmutex, leave_rwmutex, &rwmutex, sizeof rwmutex);
}

/* Condition: there are as many signals as waiters that need one, and each has to reach a
   waiter that returns 0. */

static struct {
    tuco_mutex m;
    tuco_cond c;
} waited;

static int patient;   /* in the queue without a deadline, and no signal given for them */
static int impatient; /* in the queue with a deadline, likewise, or on their way out */
static int owed;      /* signals that have not been received */

static void receive_signal(void) {
    sim_check(owed-- > 0);
}

static void wait_impatiently(void) {
    tuco_time deadline = tuco_deadline(sim_pick(0, 20) * TUCO_MICROSECOND);
    impatient++;
    if (succeeded(tuco_cond_wait_until(&waited.c, &waited.m, deadline))) {
        receive_signal();
    }
    impatient--;
}

static void wait_patiently(void) {
    patient++;
    tuco_cond_wait(&waited.c, &waited.m);
    receive_signal();
    patient--;
}

/* For each signal, a waiter without a deadline is in the queue. It gets the signal if no
   waiter with a deadline does, so no signal may be lost. */
static void signal_some(void) {
    if (owed < patient) {
        owed++;
        tuco_cond_signal(&waited.c);
    }
}

static void use_cond(void) {
    tuco_mutex_lock(&waited.m);
    switch (sim_pick(0, 3)) {
    case 0: wait_impatiently(); break;
    case 1:
        if (patient + 1 < users.left) { /* another user is left to signal */
            wait_patiently();
        }
        break;
    default: signal_some();
    }
    tuco_mutex_unlock(&waited.m);
}

/* A user that is done signals the waiters that would wait for it. */
static void cond_user(void *unused) {
    (void)unused;
    for (int i = 0; i < users.rounds; i++) {
        use_cond();
    }
    tuco_mutex_lock(&waited.m);
    users.left--;
    while (patient > 0 && patient >= users.left) {
        signal_some();
        tuco_mutex_unlock(&waited.m);
        tuco_yield();
        tuco_mutex_lock(&waited.m);
    }
    tuco_mutex_unlock(&waited.m);
}

static int cond_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = 0; i < users.count; i++) {
        sim_check(tuco_wg_go(&all, cond_user, NULL) == 0);
    }
    tuco_wg_wait(&all);
    sim_check(owed == 0 && patient == 0 && impatient == 0);
    return SIM_RESULT;
}

SIM_SCENARIO(cond, "signals meet deadlines, and none is lost") {
    sim_begin();
    memset(&waited, 0, sizeof waited);
    patient = impatient = owed = 0;
    int count = sim_pick(2, USERS_MAX);
    users = (struct users){.count = count, .rounds = sim_pick(1, 6), .left = count};
    sim_main(cond_main);
}

/* Semaphore */

#define UNITS 3

static tuco_sem sem;
static int64_t units_taken;
static tuco_ctx *sem_context;

static int acquire_somehow(int64_t n) {
    switch (sim_pick(0, 4)) {
    case 0: return tuco_sem_try_acquire(&sem, n) ? 0 : -ETIMEDOUT;
    case 1: return tuco_sem_acquire_until(&sem, n, some_deadline());
    case 2: return tuco_sem_acquire(&sem, n, sem_context);
    default: return tuco_sem_acquire(&sem, n, NULL);
    }
}

static void use_sem(void) {
    int64_t n = sim_pick(0, UNITS);
    int result = acquire_somehow(n);
    sim_check(result == 0 || result == -ETIMEDOUT || result == -ECANCELED);
    if (result == 0) {
        units_taken += n;
        sim_check(units_taken <= UNITS);
        sim_pause_some(20);
        units_taken -= n;
        tuco_sem_release(&sem, n);
    }
}

static void sem_user(void *job) {
    sim_job_begins(job);
    for (int i = 0; i < users.rounds; i++) {
        use_sem();
    }
    sim_job_ends(job);
}

static int sem_main(void *unused) {
    (void)unused;
    sem_context = tuco_ctx_with_cancel(tuco_ctx_background());
    sim_check(sem_context != NULL);
    sim_search();
    for (int i = sim_pick(2, USERS_MAX); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sem_user, sim_job_next()) == 0);
    }
    sim_pause_some(400);
    tuco_ctx_cancel(sem_context);
    tuco_wg_wait(&all);
    sim_jobs_check();
    sim_check(tuco_sem_try_acquire(&sem, UNITS));
    tuco_ctx_unref(sem_context);
    return SIM_RESULT;
}

SIM_SCENARIO(sem, "units are taken in turn, and some give up or are cancelled") {
    sim_begin();
    tuco_sem_init(&sem, UNITS);
    units_taken = 0;
    users.rounds = sim_pick(1, 6);
    sim_main(sem_main);
}

/* A large request in front gives up, and only then a small one behind it is possible: the
   units that are taken come back after that. */

static tuco_wg small_served;

static void large_request(void *unused) {
    (void)unused;
    tuco_time deadline = tuco_deadline(sim_pick(0, 20) * TUCO_MICROSECOND);
    sim_check(!succeeded(tuco_sem_acquire_until(&sem, UNITS, deadline)));
}

static void small_request(void *unused) {
    (void)unused;
    sim_check(tuco_sem_acquire(&sem, 1, NULL) == 0);
    tuco_sem_release(&sem, 1);
    tuco_wg_done(&small_served);
}

static int sem_front_main(void *unused) {
    (void)unused;
    sim_check(tuco_sem_try_acquire(&sem, 1));
    sim_search();
    int small = sim_pick(1, 3);
    tuco_wg_add(&small_served, small);
    for (int i = sim_pick(1, 2); i > 0; i--) {
        sim_check(tuco_wg_go(&all, large_request, NULL) == 0);
    }
    for (int i = 0; i < small; i++) {
        sim_check(tuco_wg_go(&all, small_request, NULL) == 0);
    }
    tuco_wg_wait(&small_served);
    tuco_wg_wait(&all);
    tuco_sem_release(&sem, 1);
    return SIM_RESULT;
}

SIM_SCENARIO(sem_front, "those behind a request that gives up get their units") {
    sim_begin();
    tuco_sem_init(&sem, UNITS);
    sim_main(sem_front_main);
}

/* Wait group with deadlines, in memory that the last waiter makes rubbish. */

#define GROUPS_MAX 6

static struct group {
    tuco_wg wg;
    int users;
} groups[GROUPS_MAX];

static void group_leave(struct group *g) {
    if (--g->users == 0) {
        make_rubbish(&g->wg, sizeof g->wg);
    }
}

static void group_waiter(void *raw) {
    struct group *g = raw;
    while (!succeeded(tuco_wg_wait_until(&g->wg, some_deadline()))) {
        tuco_yield();
    }
    group_leave(g);
}

static void group_done(void *raw) {
    struct group *g = raw;
    sim_pause_some(60);
    tuco_wg_done(&g->wg);
}

static int groups_main(void *unused) {
    (void)unused;
    int count = sim_pick(1, GROUPS_MAX);
    sim_search();
    for (int i = 0; i < count; i++) {
        struct group *g = &groups[i];
        int done = sim_pick(1, 2);
        *g = (struct group){.users = sim_pick(1, 4)};
        tuco_wg_add(&g->wg, done);
        for (int k = g->users; k > 0; k--) {
            sim_check(tuco_wg_go(&all, group_waiter, g) == 0);
        }
        for (int k = 0; k < done; k++) {
            sim_check(tuco_wg_go(&all, group_done, g) == 0);
        }
    }
    tuco_wg_wait(&all);
    for (int i = 0; i < count; i++) {
        sim_check(groups[i].wg.tuco_private == UINT64_MAX);
    }
    return SIM_RESULT;
}

SIM_SCENARIO(wg_until, "groups come to zero while their waiters give up") {
    sim_begin();
    sim_main_twice(groups_main);
}

/* Once */

static tuco_once once;
static int once_calls;
static int once_ends;

static void once_call(void *unused) {
    (void)unused;
    once_calls++;
    sim_pause_some(60);
    once_ends++;
    if (tuco_id() != 0 && sim_pick(0, 3) == 0) {
        tuco_exit();
    }
}

static void use_once(void) {
    tuco_once_do(&once, once_call, NULL);
    sim_check(once_calls == 1 && once_ends == 1);
}

static void once_user(void *job) {
    sim_job_begins(job);
    sim_check(tuco_defer(sim_job_ends, job) == 0);
    use_once();
}

static void once_thread(void *unused) {
    (void)unused;
    use_once();
}

static int once_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(1, USERS_MAX); i > 0; i--) {
        sim_check(tuco_wg_go(&all, once_user, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(once, "one calls the function, and the others wait for its end") {
    sim_begin();
    once = (tuco_once){0};
    once_calls = once_ends = 0;
    int threads = sim_pick(0, 2);
    sim_threads_start(once_thread, threads);
    sim_check(tuco_run(once_main, NULL) == SIM_RESULT);
    sim_threads_join(threads);
    sim_check(sim_threads_alive() == 1);
}
