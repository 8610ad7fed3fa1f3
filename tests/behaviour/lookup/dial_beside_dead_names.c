/* SPDX-License-Identifier: MIT */
/* Proves: while the name service does not answer, any number of dials end at their
   deadlines, with at most 500 lookup threads. The lookups that they leave behind are no
   goroutines, and keep neither the runtime nor the process from ending, and no child
   process from dialling. A dial without a deadline waits for its turn, which is no
   deadlock. */
/* not under qemu */
/* slow */
#include "loopback.h"
#include "waiting.h"

#include <pthread.h>

#define DIALS       (2 * LOOKUPS_MAX)
#define LOOKUPS_MAX 500
#define MAX_THREADS 24

/* The name service: it accepts lookups, and answers none while is_dead is set. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_dead;
static int asked; // lookups without an answer

static void ask_service(void) {
    pthread_mutex_lock(&lock);
    asked++;
    pthread_cond_broadcast(&changed);
    while (is_dead) {
        pthread_cond_wait(&changed, &lock);
    }
    asked--;
    pthread_mutex_unlock(&lock);
}

#define TEST_NAMES_ASKED(host) ((void)(host), ask_service())
#include "names.h"

static void set_dead(bool dead) {
    pthread_mutex_lock(&lock);
    is_dead = dead;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int count_asked(void) {
    pthread_mutex_lock(&lock);
    int n = asked;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Called on a foreign thread, which blocks. */
static void await_asked(int n) {
    pthread_mutex_lock(&lock);
    while (asked != n) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

/* Dials another name each time: equal lookups are merged. */
static int dial_until(tuco_time deadline) {
    static atomic_int names;
    char address[LO_TEXT];
    tuco_fd *f = NULL;
    snprintf(address, sizeof address, "name%d:9", atomic_fetch_add(&names, 1));
    int rc = tuco_dial("udp", address, deadline, &f);
    if (rc == 0) {
        lo_close(f);
    }
    return rc;
}

static void dial_in_vain(void *deadline) {
    ASSERT_EQ(dial_until(*(tuco_time *)deadline), -ETIMEDOUT);
}

static void dial_for_ever(void *unused) {
    (void)unused;
    ASSERT_EQ(dial_until(TUCO_NEVER), 0);
}

/* Dials until n lookups hang. */
static void hang(int n) {
    while (count_asked() < n) {
        tuco_time deadline = tuco_deadline(2 * TUCO_MILLISECOND);
        dial_in_vain(&deadline);
    }
}

static int storm_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_time deadline = tuco_deadline(20 * TUCO_MILLISECOND);
    for (int i = 0; i < DIALS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial_in_vain, &deadline), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_GE(tuco_now(), deadline);
    hang(LOOKUPS_MAX);
    ASSERT_EQ(count_asked(), LOOKUPS_MAX);
    ASSERT_LE(test_count_threads(), MAX_THREADS + LOOKUPS_MAX);
    test_await_alone(); // some dialling goroutines may still be exiting
    return 0;
}

static int again_main(void *arg) {
    (void)arg;
    return dial_until(TUCO_NEVER);
}

TEST(many) {
    static const tuco_config few = {.max_threads = MAX_THREADS};
    int threads = test_count_threads();
    ASSERT_EQ(tuco_configure(&few), 0);
    set_dead(true);
    RUN(storm_main);
    RUN(storm_main); // while the first lookups still hang
    set_dead(false);
    RUN(again_main);
    EXPECT_THREADS(threads);
}

/* Three further lookups wait for a free thread. */
static int wait_for_thread_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    hang(LOOKUPS_MAX);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial_for_ever, NULL), 0);
    }
    test_await_waiting("IO wait", 3);
    set_dead(false);
    tuco_wg_wait(&wg);
    return 0;
}

static void run_beside_dead_names(void *main_fn) {
    set_dead(true);
    ASSERT_EQ(tuco_run(*(int (**)(void *))main_fn, NULL), 0);
    set_dead(false);
}

TEST(lack_of_lookup_threads_is_told_once) {
    static struct test_child child;
    int (*fn)(void *) = wait_for_thread_main;
    test_child_run(&child, run_beside_dead_names, &fn);
    EXPECT_STATUS(&child, 0);
    ASSERT_EQ(test_occurrences(child.text, "tuco: all 500 lookup threads wait"), 1);
}

/* As many as there can be threads. */
static int fill_main(void *arg) {
    (void)arg;
    for (int i = 0; i < LOOKUPS_MAX; i++) {
        tuco_time deadline = tuco_deadline(2 * TUCO_MILLISECOND);
        dial_in_vain(&deadline);
    }
    return 0;
}

TEST(threads_that_suffice_are_not_told) {
    static struct test_child child;
    int (*fn)(void *) = fill_main;
    test_child_run(&child, run_beside_dead_names, &fn);
    EXPECT_STATUS(&child, 0);
    ASSERT_LACKS(child.text, "lookup threads wait");
}

static void hang_one(void *unused) {
    (void)unused;
    hang(1);
}

TEST(stop_does_not_wait) {
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_start(), 0);
    set_dead(true);
    ASSERT_EQ(tuco_wg_go(&wg, hang_one, NULL), 0);
    tuco_wg_wait(&wg);
    hang(2); // and from this thread
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_GE(count_asked(), 2);
} // the process ends while lookups hang

static void revive(void *unused) {
    (void)unused;
    await_asked(LOOKUPS_MAX);
    set_dead(false);
}

/* All goroutines wait until the service answers. */
static int patient_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < 2 * LOOKUPS_MAX; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial_for_ever, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(who_has_no_deadline_waits) {
    struct test_thread t;
    int threads = test_count_threads();
    set_dead(true);
    test_thread_start(&t, revive, NULL);
    RUN(patient_main);
    test_thread_join(&t);
    EXPECT_THREADS(threads);
}

static int hang_main(void *arg) {
    (void)arg;
    hang(LOOKUPS_MAX);
    return 0;
}

static void run_in_child(void *unused) {
    (void)unused;
    /* a thread of the parent's may have held it at the fork */
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    asked = 0;
    is_dead = false;
    RUN(again_main);
}

TEST(child_processes_begin_anew) {
    static struct test_child child;
    if (TEST_SANITIZED) {
        SKIP(
            "Sanitizers cannot follow threads into a child process, nor start any there.");
    }
    set_dead(true);
    RUN(hang_main);
    test_child_run(&child, run_in_child, NULL);
    EXPECT_STATUS(&child, 0);
    set_dead(false);
}

static int mapped_main(void *arg) {
    (void)arg;
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("udp6", "some.name:9", TUCO_NEVER, &f), -EADDRNOTAVAIL);
    ASSERT_EQ(tuco_listen("udp6", "some.name:0", &f), -EADDRNOTAVAIL);
    ASSERT(f == NULL);
    return 0;
}

TEST(names_of_the_other_kind) {
    RUN(mapped_main);
}
