/* SPDX-License-Identifier: MIT */
/* Proves: any number of dials of one name make one lookup. A name without an answer does
   not block lookups of other names. A dial that times out does not take the answer from
   the others. localhost needs no lookup. */
#include "chans.h"
#include "loopback.h"

#include <pthread.h>

#define DIALS 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_dead;
static int questions;
static atomic_int asked_dead;

/* The name service does not answer dead.name while is_dead is set. */
static void ask_service(const char *host) {
    bool dead = host != NULL && strcmp(host, "dead.name") == 0;
    pthread_mutex_lock(&lock);
    questions++;
    atomic_fetch_add(&asked_dead, dead);
    while (dead && is_dead) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

#define TEST_NAMES_ASKED(host) ask_service(host)
#include "names.h"

static void set_dead(bool dead) {
    pthread_mutex_lock(&lock);
    is_dead = dead;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static tuco_wg wg;
static atomic_int answered;

static int dial_name(const char *address, tuco_time deadline) {
    char text[LO_TEXT];
    tuco_fd *f = NULL;
    int rc = tuco_dial("udp4", address, deadline, &f);
    if (rc == 0) {
        ASSERT_STR(lo_remote(f, text), "127.0.0.1:9");
        lo_close(f);
    }
    return rc;
}

static void dial_dead(void *unused) {
    (void)unused;
    ASSERT_EQ(dial_name("dead.name:9", TUCO_NEVER), 0);
    atomic_fetch_add(&answered, 1);
}

static void dial_in_vain(void *unused) {
    (void)unused;
    ASSERT_EQ(dial_name("dead.name:9", tuco_deadline(TUCO_MILLISECOND)), -ETIMEDOUT);
}

static int others_main(void *unused) {
    (void)unused;
    set_dead(true);
    for (int i = 0; i < DIALS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial_dead, NULL), 0);
    }
    test_await_waiting(DIALS);
    ASSERT_EQ(dial_name("live.name:9", tuco_deadline(20 * TUCO_SECOND)), 0);
    ASSERT_EQ(atomic_load(&answered), 0);
    set_dead(false);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(dead_name_beside_others) {
    RUN(others_main);
    ASSERT_EQ(atomic_load(&asked_dead), 1);
    ASSERT_EQ(atomic_load(&answered), DIALS);
}

/* The first dial times out, and so do some of the others. */
static int leave_main(void *unused) {
    tuco_wg vain = {0};
    (void)unused;
    set_dead(true);
    while (atomic_load(&asked_dead) == 0) { // it may time out before a thread takes it
        dial_in_vain(NULL);
    }
    for (int i = 0; i < DIALS / 10; i++) {
        ASSERT_EQ(tuco_wg_go(&vain, dial_in_vain, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&wg, dial_dead, NULL), 0);
    }
    tuco_wg_wait(&vain);
    ASSERT_EQ(atomic_load(&asked_dead), 1);
    set_dead(false);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(askers_leave) {
    RUN(leave_main);
    ASSERT_EQ(atomic_load(&answered), DIALS / 10);
}

/* All dials have timed out, and the next dial joins the lookup that is still open. */
static int join_main(void *unused) {
    (void)unused;
    set_dead(true);
    for (int i = 0; i < 20; i++) {
        dial_in_vain(NULL);
    }
    set_dead(false);
    return dial_name("dead.name:9", TUCO_NEVER);
}

TEST(all_leave) {
    RUN(join_main);
    ASSERT_LE(atomic_load(&asked_dead), 2);
}

static int localhost_main(void *unused) {
    (void)unused;
    ASSERT_EQ(dial_name("localhost:9", TUCO_NEVER), 0);
    ASSERT_EQ(dial_name("LocalHost.:9", TUCO_NEVER), 0);
    lo_close(lo_listen("tcp", "localhost:0"));
    return 0;
}

TEST(localhost) {
    RUN(localhost_main);
    ASSERT_EQ(questions, 0);
}
