/* SPDX-License-Identifier: MIT */
/* Proves: no deadlock is reported while a thread that the runtime does not know may still
   wake a goroutine. It is reported when the last such thread has ended. */
/* slow */
/* not under qemu */
#include "gate.h"

#include "sched/deadlock.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

#define REPORT "fatal error: all goroutines are asleep - deadlock!"

static tuco_once once;

/* The pause is not there to synchronise: it gives a false report the time to appear. */
#define LATE_NS (100 * TUCO_MILLISECOND)

static void let_a_report_appear(void) {
    nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
}

/* Each lookup takes as long. */
#define TEST_NAMES_ASKED(host) ((void)(host), let_a_report_appear())
#include "names.h"

static void open_late(void *arg) {
    (void)arg;
    let_a_report_appear();
    tuco_wg_done(&gate);
}

static int beside_thread_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, open_late, NULL);
    gate_wait(arg);
    test_thread_join(&thread);
    return 0;
}

TEST(thread_acts_later) {
    RUN(beside_thread_main);
}

static int return_at_once(void *arg) {
    (void)arg;
    return 0;
}

/* A C library may report a single thread again after others have ended, while the kernel
   still counts them. The watchdog thread of this test stands for those. */
TEST(library_reports_one_thread_later) {
    RUN(return_at_once);
    __libc_single_threaded = 1;
    RUN(beside_thread_main);
}

/* The C library knows one thread only: those that it does not know are an emulator's. The
   watchdog of the test becomes such a thread. */
static void pretend_to_be_emulated(void) {
    __libc_single_threaded = 1;
    rt_deadlock_ignore_threads(-1);
}

static void wait_for_word(void *word) {
    test_spin(word, 1);
}

/* When the runtime first starts, the kernel still counts a thread that has been joined. A
   thread of the program that begins later is not mistaken for it. */
TEST(joined_thread_is_still_counted_at_the_start) {
    static atomic_int over;
    struct test_thread joined;
    int threads = test_count_threads();
    test_thread_start(&joined, wait_for_word, &over);
    pretend_to_be_emulated();
    RUN(return_at_once);
    atomic_store(&over, 1);
    test_thread_join(&joined);
    EXPECT_THREADS(threads);
    RUN(beside_thread_main);
}

static int wait_in_vain_main(void *arg) {
    tuco_wg_add(&gate, 1);
    gate_wait(arg);
    return 0;
}

static void wait_in_vain(void *arg) {
    (void)arg;
    pretend_to_be_emulated();
    RUN(wait_in_vain_main);
}

TEST(reported_beside_a_thread_of_an_emulator) {
    if (RT_TSAN) {
        SKIP("The C library counts the thread of ThreadSanitizer.");
    }
    EXPECT_DEATH(wait_in_vain, NULL, REPORT);
}

static void open_by_timer(union sigval unused) {
    (void)unused;
    tuco_wg_done(&gate);
}

/* The C library calls open_by_timer() on a thread of its own. */
static int beside_timer_main(void *arg) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = open_by_timer};
    struct itimerspec late = {.it_value.tv_nsec = LATE_NS};
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    ASSERT_EQ(timer_settime(timer, 0, &late, NULL), 0);
    gate_wait(arg);
    ASSERT_EQ(timer_delete(timer), 0);
    return 0;
}

TEST(timer_of_the_c_library_acts_later) {
    if (RT_TSAN) {
        SKIP("ThreadSanitizer does not know the threads of the C library's timers.");
    }
    RUN(beside_timer_main);
}

static void look_up_and_open(void *arg) {
    tuco_fd *f = NULL;
    (void)arg;
    ASSERT_EQ(tuco_dial("udp", "some.name:9", TUCO_NEVER, &f), 0);
    ASSERT_EQ(tuco_fd_close(f), 0);
    tuco_wg_done(&gate);
}

/* The thread waits in a call of the library until its lookup has ended. */
static int beside_lookup_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, look_up_and_open, NULL);
    gate_wait(arg);
    test_thread_join(&thread);
    return 0;
}

TEST(thread_is_in_a_lookup) {
    RUN(beside_lookup_main);
}

static atomic_int begun;

static void act_in_once(void *arg) {
    atomic_store(&begun, 1);
    open_late(arg);
}

static void do_once(void *arg) {
    tuco_once_do(&once, act_in_once, arg);
}

static int beside_once_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, do_once, NULL);
    test_spin(&begun, 1);
    do_once(arg);
    gate_wait(arg);
    test_thread_join(&thread);
    return 0;
}

TEST(thread_is_in_the_function_of_once) {
    RUN(beside_once_main);
}

static void *open_late_and_end(void *arg) {
    open_late(arg);
    return NULL;
}

static int other_threads_end_main(void *arg) {
    pthread_t thread;
    (void)arg;
    tuco_wg_add(&gate, 2); // one too many
    ASSERT_EQ(pthread_create(&thread, NULL, open_late_and_end, NULL), 0);
    ASSERT_EQ(pthread_detach(thread), 0);
    tuco_wg_wait(&gate);
    return 0;
}

TEST(reported_when_the_last_thread_has_ended) {
    RUN_DIES(other_threads_end_main, REPORT);
}

static void wait_as_thread(void *arg) {
    (void)arg;
    atomic_store(&begun, 1);
    tuco_wg_wait(&gate);
}

static int waiting_thread_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, wait_as_thread, NULL);
    test_spin(&begun, 1);
    tuco_wg_wait(&gate);
    return 0;
}

TEST(reported_beside_a_thread_that_waits_in_a_call) {
    RUN_DIES(waiting_thread_main, REPORT);
}

static atomic_int over;

/* Opens the gate only after the report, which it reads from the pipe that is standard
   error. */
static void open_when_told(void *arg) {
    char text[4096];
    size_t length = 0;
    int fd = *(int *)arg;
    text[0] = '\0';
    while (strstr(text, "other threads could wake them") == NULL) {
        ssize_t n = read(fd, text + length, sizeof(text) - 1 - length);
        ASSERT_GT(n, 0);
        length += (size_t)n;
        text[length] = '\0';
    }
    atomic_store(&over, 1);
    tuco_wg_done(&gate);
}

static int told_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, open_when_told, arg);
    tuco_wg_wait(&gate);
    ASSERT_EQ(atomic_load(&over), 1);
    test_thread_join(&thread);
    return 0;
}

TEST(told_if_asked_to) {
    int ends[2];
    int saved = dup(2);
    test_setenv("TUCODEBUG", "deadlock=1");
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(dup2(ends[1], 2), 2);
    ASSERT_EQ(tuco_run(told_main, &ends[0]), 0);
    ASSERT_EQ(dup2(saved, 2), 2);
}

TEST(started_runtime) {
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_go(gate_wait, NULL), 0);
    let_a_report_appear();
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
