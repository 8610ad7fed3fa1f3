/* SPDX-License-Identifier: MIT */
/* Proves: threads are started although a thread that has left the runtime does not
   end. */
/*
 * Bug. When a goroutine ends wired, its thread ends too, and the starter joined it before
 * doing anything else. Meanwhile the destructors of the program's thread-specific data
 * run, for as long as they like. Until then no thread was started, and goroutines behind
 * a blocking call waited.
 *
 * Fix. The starter checks whether the thread has ended, and checks again later:
 * rt_thread_try_join_ended().
 *
 * Fails without it: the destructor below ends only when the next goroutine has run, on a
 * thread that has to be started.
 */
/* fixed procs */
#include "ran.h"

#include <unistd.h>

static pthread_key_t key;
static atomic_int destroying;
static atomic_int destroyed;
static int ends[2];

static void wait_for_byte(void *value) {
    (void)value;
    char byte;
    atomic_store(&destroying, 1);
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    atomic_store(&destroyed, 1);
}

static void end_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT_EQ(pthread_setspecific(key, &key), 0);
}

static void start_one_after_the_other(void) {
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(pthread_key_create(&key, wait_for_byte), 0);
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(end_wired, NULL), 0);
    test_spin(&destroying, 1);
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    test_spin(&ran, 1);
}

TEST(starter_does_not_wait) {
    start_one_after_the_other();
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(atomic_load(&destroyed), 1); // the end of the runtime does wait
}

/* At the limit of threads the starter waits for the ending thread, which still counts. */
TEST(at_the_limit) {
    tuco_config config = {.max_threads = 1};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(pthread_key_create(&key, wait_for_byte), 0);
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(end_wired, NULL), 0);
    test_spin(&destroying, 1);
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    test_spin(&ran, 1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
