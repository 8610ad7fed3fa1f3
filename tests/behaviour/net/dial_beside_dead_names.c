/* SPDX-License-Identifier: MIT */
/* Proves: while those who know names do not answer, any number of dials end at their
   deadlines, with a few threads; what they leave behind is no goroutine, keeps neither
   the runtime nor the process from ending, and no child process from dialling; who has no
   deadline waits for its turn, which is no deadlock. */
/* not under qemu */
/* slow */
#include "loopback.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>

#define DIALS       200
#define LOOKUPS_MAX 16
#define MAX_THREADS 24

/* The service: it takes questions, and answers none before it is told to. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_dead;
static int asked; // questions without an answer

static struct sockaddr_in6 mapped = {
    .sin6_family = AF_INET6, .sin6_addr.s6_addr = {[10] = 0xff, 0xff, 127, 0, 0, 1}};

static void answer(struct addrinfo *info, void *address, size_t bytes) {
    *info = (struct addrinfo){.ai_family = ((struct sockaddr *)address)->sa_family,
                              .ai_addrlen = (socklen_t)bytes,
                              .ai_addr = address};
}

/* In place of the C library's: it knows all names, as 127.0.0.1 or what that is to
   IPv6. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
    static __thread struct addrinfo info;
    static __thread struct sockaddr_in loopback;
    (void)host;
    (void)service;
    pthread_mutex_lock(&lock);
    asked++;
    pthread_cond_broadcast(&changed);
    while (is_dead) {
        pthread_cond_wait(&changed, &lock);
    }
    asked--;
    pthread_mutex_unlock(&lock);
    loopback = (struct sockaddr_in){.sin_family = AF_INET};
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (hints->ai_family == AF_INET6) {
        answer(&info, &mapped, sizeof mapped);
    } else {
        answer(&info, &loopback, sizeof loopback);
    }
    *found = &info;
    return 0;
}

void freeaddrinfo(struct addrinfo *found) {
    (void)found;
}

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

/* From a thread of the program's: it sleeps. */
static void await_asked(int n) {
    pthread_mutex_lock(&lock);
    while (asked != n) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static int dial_until(tuco_time deadline) {
    tuco_fd *f = NULL;
    int rc = tuco_dial("udp", "some.name:9", deadline, &f);
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

/* Until so many threads hang. */
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
    while (tuco_count() > 1) { // some of theirs may be at their very end
        tuco_yield();
    }
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
    RUN(storm_main); // with those that still hang
    set_dead(false);
    RUN(again_main);
    EXPECT_THREADS(threads);
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
} // and the process ends with those that hang

static void revive(void *unused) {
    (void)unused;
    await_asked(LOOKUPS_MAX);
    set_dead(false);
}

/* Nobody could run until somebody has been asked. */
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
