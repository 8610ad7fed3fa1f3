/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that ends its thread, by pthread_exit() or by a cancellation of the
   thread, ends the process with a report. */
/* not under asan */
/* not under tsan */
#include "test.h"
#include <unistd.h>

#define MESSAGE "fatal error: a goroutine has ended its thread"

static tuco_wg never;

static void exit_thread(void *arg) {
    pthread_exit(arg);
}

/* The C library acts on a cancellation in a call such as pause(). */
static void cancel_thread(void *arg) {
    (void)arg;
    pthread_cancel(pthread_self());
    pause();
}

static void wired_exit(void *arg) {
    tuco_lock_thread();
    exit_thread(arg);
}

static tuco_fn *ends_thread;

static int goroutine_main(void *arg) {
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = "leaver"}, ends_thread, arg), 0);
    tuco_wg_wait(&never);
    return 0;
}

static int main_main(void *arg) {
    ends_thread(arg);
    return 0;
}

TEST(pthread_exit) {
    ends_thread = exit_thread;
    RUN_DIES(goroutine_main, MESSAGE);
    RUN_DIES(goroutine_main, "{name: leaver}");
    RUN_DIES(main_main, MESSAGE);
}

TEST(pthread_exit_wired) {
    ends_thread = wired_exit;
    RUN_DIES(goroutine_main, MESSAGE);
    RUN_DIES(main_main, MESSAGE);
}

TEST(pthread_cancel) {
    ends_thread = cancel_thread;
    RUN_DIES(goroutine_main, MESSAGE);
    RUN_DIES(main_main, MESSAGE);
}

static void *other_main(void *arg) {
    ASSERT_EQ(tuco_run((int (*)(void *))arg, NULL), 0);
    return NULL;
}

static void end_goroutine(void *arg) {
    tuco_wg_done(arg);
}

static int quiet_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go(end_goroutine, &wg), 0);
    tuco_wg_wait(&wg);
    return 0;
}

/* A regular end of a thread reports nothing, also for the thread of tuco_run(). */
TEST(other_ends) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, NULL, other_main, (void *)quiet_main), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    ASSERT_EQ(tuco_run(quiet_main, NULL), 0);
}
