/* SPDX-License-Identifier: MIT */
/* Proves: unlocking a lock that is not held ends the process with Go's message. */
#include "test.h"

#define MUTEX  "fatal error: sync: unlock of unlocked mutex"
#define READER "fatal error: sync: RUnlock of unlocked RWMutex"
#define WRITER "fatal error: sync: Unlock of unlocked RWMutex"

static void mutex_never_locked(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    tuco_mutex_unlock(&m);
}

static void mutex_twice(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    tuco_mutex_lock(&m);
    tuco_mutex_unlock(&m);
    tuco_mutex_unlock(&m);
}

static void cond_without_mutex(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    tuco_cond c = {0};
    tuco_cond_wait(&c, &m);
}

enum { NONE, READ, WRITE };

static tuco_rwmutex rw;

static void lock_as(int kind, int times) {
    for (int i = 0; i < times; i++) {
        kind == READ ? tuco_rwmutex_rlock(&rw) : tuco_rwmutex_lock(&rw);
    }
}

static void unlock_when(void *arg) {
    lock_as(*(int *)arg, *(int *)arg != NONE);
    tuco_rwmutex_unlock(&rw);
    tuco_rwmutex_unlock(&rw);
}

static void runlock_when(void *arg) {
    lock_as(*(int *)arg, *(int *)arg != NONE);
    tuco_rwmutex_runlock(&rw);
    tuco_rwmutex_runlock(&rw);
}

static int mutex_main(void *arg) {
    mutex_twice(arg);
    return 0;
}

static int rwmutex_main(void *arg) {
    (void)arg;
    tuco_rwmutex_runlock(&rw);
    return 0;
}

TEST(mutex) {
    EXPECT_DEATH(mutex_never_locked, NULL, MUTEX);
    EXPECT_DEATH(mutex_twice, NULL, MUTEX);
    EXPECT_DEATH(cond_without_mutex, NULL, MUTEX);
    RUN_DIES(mutex_main, MUTEX);
    RUN_DIES(mutex_main, "goroutine 1 [running]:");
}

TEST(rwmutex) {
    for (int kind = NONE; kind <= WRITE; kind++) {
        EXPECT_DEATH(unlock_when, &kind, WRITER);
        EXPECT_DEATH(runlock_when, &kind, READER);
    }
    RUN_DIES(rwmutex_main, READER);
}
