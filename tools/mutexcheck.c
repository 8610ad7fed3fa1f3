/* SPDX-License-Identifier: MIT */
/* libtuco-mutexcheck.so: notes which pthread mutexes each thread holds, for
   TUCODEBUG=mutexcheck=1. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/*
 * Loaded by LD_PRELOAD, or linked to the program, its functions come before those of the C
 * library of the same name, and call them. Each thread has a list of the mutexes that it
 * has locked, which no other thread reads. The list does not have the locks inside the C
 * library, nor those of pthread_cond_wait(), which releases what it takes.
 *
 * If another thread unlocks a mutex, the mutex stays on the list of the thread that locked
 * it, until that thread locks and unlocks it again or the runtime reads the list.
 */

/* More at a time are not noted. */
#define HELD_MAX 64

struct held {
    const void *mutex;
    const void *locked_at;
};

static __thread struct {
    int count;
    struct held held[HELD_MAX];
} mine __attribute__((tls_model("initial-exec")));

static struct {
    int (*lock)(pthread_mutex_t *);
    int (*trylock)(pthread_mutex_t *);
    int (*timedlock)(pthread_mutex_t *, const struct timespec *);
    int (*clocklock)(pthread_mutex_t *, clockid_t, const struct timespec *);
    int (*unlock)(pthread_mutex_t *);
} real;

static void find(void *place, const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    memcpy(place, &function, sizeof function);
}

/* Also called by a thread that locks a mutex before this library has been set up. Calling
   it twice does no harm. */
__attribute__((constructor)) static void find_all(void) {
    find(&real.trylock, "pthread_mutex_trylock");
    find(&real.timedlock, "pthread_mutex_timedlock");
    find(&real.clocklock, "pthread_mutex_clocklock");
    find(&real.unlock, "pthread_mutex_unlock");
    find(&real.lock, "pthread_mutex_lock");
}

static void need_real(void) {
    if (__builtin_expect(real.lock == NULL, 0)) {
        find_all();
    }
}

static int note(int error, const void *mutex, const void *locked_at) {
    if ((error == 0 || error == EOWNERDEAD) && mine.count < HELD_MAX) {
        mine.held[mine.count++] = (struct held){mutex, locked_at};
    }
    return error;
}

static void strike(const void *mutex) {
    for (int i = mine.count; i-- > 0;) {
        if (mine.held[i].mutex == mutex) {
            mine.count--;
            memmove(&mine.held[i], &mine.held[i + 1],
                    (size_t)(mine.count - i) * sizeof mine.held[0]);
            return;
        }
    }
}

#define EXPORT    __attribute__((visibility("default")))
#define CALLED_AT __builtin_return_address(0)

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    need_real();
    return note(real.lock(mutex), mutex, CALLED_AT);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    need_real();
    return note(real.trylock(mutex), mutex, CALLED_AT);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    need_real();
    return note(real.timedlock(mutex, until), mutex, CALLED_AT);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                   const struct timespec *until) {
    need_real();
    return note(real.clocklock(mutex, clock, until), mutex, CALLED_AT);
}

/* Before it is another's. */
EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    need_real();
    strike(mutex);
    return real.unlock(mutex);
}

/* For src/debug/mutexcheck.c, which finds it by its name. */
EXPORT bool tuco_mutexcheck_take(const void **mutex, const void **locked_at);

bool tuco_mutexcheck_take(const void **mutex, const void **locked_at) {
    if (mine.count == 0) {
        return false;
    }
    const struct held *last = &mine.held[--mine.count];
    *mutex = last->mutex;
    *locked_at = last->locked_at;
    return true;
}
