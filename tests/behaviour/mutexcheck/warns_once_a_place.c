/* SPDX-License-Identifier: MIT */
/* Proves: with TUCODEBUG=mutexcheck=1 and its library, a goroutine that waits, yields or
   ends with a pthread mutex locked is reported, once for each place; one that has unlocked
   it before, or is wired to its thread, is not. */
/* A sanitizer replaces these functions before the library can. */
/* not under asan */
/* not under tsan */
/* fixed procs */
#include "test.h"

#define ROUNDS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wait_locked(void) {
    pthread_mutex_lock(&lock);
    tuco_sleep(TUCO_MICROSECOND);
    pthread_mutex_unlock(&lock);
}

static void yield_locked(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_yield();
    }
    pthread_mutex_unlock(&lock);
}

static void end_locked(void) {
    pthread_mutex_lock(&lock);
}

static void wait_unlocked(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    tuco_sleep(TUCO_MICROSECOND);
}

static void wait_wired(void) {
    tuco_lock_thread();
    wait_locked();
    tuco_unlock_thread();
}

static _Atomic bool called;

/* With one P the locker, which is spawned later, gives way to this goroutine whenever it
   yields. */
static void other(void *arg) {
    (void)arg;
    while (!atomic_load(&called)) {
        tuco_yield();
    }
}

static void end_call(void *arg) {
    (void)arg;
    atomic_store(&called, true);
}

static void call(void *arg) {
    ASSERT_EQ(tuco_defer(end_call, NULL), 0);
    (*(void (**)(void))arg)();
}

/* One locker at a time: the mutex would block the thread of a second one. */
static int run_main(void *arg) {
    for (int i = 0; i < (*(void (**)(void))arg == end_locked ? 1 : ROUNDS); i++) {
        tuco_wg wg = {0};
        atomic_store(&called, false);
        ASSERT_EQ(tuco_wg_go(&wg, other, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&wg, call, arg), 0);
        tuco_wg_wait(&wg);
    }
    return 0;
}

static void run_it(void *arg) {
    test_setenv("TUCODEBUG", "mutexcheck=1");
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_run(run_main, arg), 0);
}

static struct test_child child;

static int lines(void) {
    int count = 0;
    for (const char *c = child.text; *c != '\0'; c++) {
        count += *c == '\n';
    }
    return count;
}

static void expect_one(void (*fn)(void), const char *text) {
    test_child_run(&child, run_it, (void *)&fn);
    EXPECT_STATUS(&child, 0);
    ASSERT_MATCH(child.text, text);
    ASSERT_EQ(lines(), 1);
}

static void expect_none(void (*fn)(void)) {
    test_child_run(&child, run_it, (void *)&fn);
    EXPECT_STATUS(&child, 0);
    ASSERT_STR(child.text, "");
}

TEST(waiting) {
    expect_one(wait_locked,
               "^tuco: mutexcheck: goroutine [0-9]+ waits at "
               "[^ ]+\\+0x[0-9a-f]+ with the pthread mutex 0x[0-9a-f]+ locked, "
               "since [^ ]+\\+0x[0-9a-f]+$");
}

TEST(yielding) {
    expect_one(yield_locked, "goroutine [0-9]+ gives way with");
}

TEST(ending) {
    expect_one(end_locked, "goroutine [0-9]+ ends with");
}

static void wait_and_yield_locked(void) {
    wait_locked();
    yield_locked();
}

TEST(two_places) {
    void (*fn)(void) = wait_and_yield_locked;
    test_child_run(&child, run_it, (void *)&fn);
    EXPECT_STATUS(&child, 0);
    ASSERT_MATCH(child.text, "goroutine [0-9]+ waits at");
    ASSERT_MATCH(child.text, "goroutine [0-9]+ gives way with");
    ASSERT_EQ(lines(), 2);
}

TEST(unlocked) {
    expect_none(wait_unlocked);
}

TEST(wired) {
    expect_none(wait_wired);
}
