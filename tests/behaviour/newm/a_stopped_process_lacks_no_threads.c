/* SPDX-License-Identifier: MIT */
/* Proves: time in which the process is stopped does not count as a lack of threads: a
   stop that is longer than the limit does not end it with "thread exhaustion". */
/* fixed procs */
/* not under qemu */
/* not under tsan */
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

/* The runtime reports after threads have been lacking for a second. The program lacks
   them for a fifth of that before it is stopped, and for a fifth after. */
#define LACK_MS 200
#define STOP_MS 1500

/* How long a call that keeps its processor lasts before that counts as a lack. */
#define CALL_MS 1000

static int bytes[2]; // the stopper writes the bytes that end the calls
static int begun[2]; // a goroutine writes to it when it is about to keep its thread
static atomic_int others;
static tuco_wg gate;
static tuco_wg wg;

static void pause_for(int64_t ms) {
    struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * TUCO_MILLISECOND};
    nanosleep(&span, NULL);
}

static void read_byte(int fd) {
    char byte;
    ASSERT_EQ(read(fd, &byte, 1), 1);
}

/* Runs in a process of its own. The pauses do not synchronise: the test measures them. */
static void stop_parent_for_a_while(int64_t unnoticed_ms) {
    pid_t parent = getppid();
    for (int i = 0; i < THREADS; i++) {
        read_byte(begun[0]);
    }
    pause_for(unnoticed_ms + LACK_MS);
    kill(parent, SIGSTOP);
    pause_for(STOP_MS);
    kill(parent, SIGCONT);
    pause_for(LACK_MS);
    ASSERT_EQ(write(bytes[1], "1234", THREADS + 1), THREADS + 1);
    _exit(0);
}

static void run_stopped(int (*fn)(void *), int64_t unnoticed_ms) {
    int status;
    tuco_config config = {.procs = 1, .max_threads = THREADS};
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(pipe(bytes), 0);
    ASSERT_EQ(pipe(begun), 0);
    pid_t stopper = fork();
    if (stopper == 0) {
        stop_parent_for_a_while(unnoticed_ms);
    }
    RUN(fn);
    ASSERT_EQ(waitpid(stopper, &status, 0), stopper);
    ASSERT_EQ(status, 0);
}

static void tell_begun(void) {
    ASSERT_EQ(write(begun[1], "x", 1), 1);
    atomic_fetch_add(&others, 1);
}

/* Announced, because being stopped costs a thread CPU time: sysmon takes that for the
   end of a call that is not announced. */
static void wait_in_call(void *arg) {
    (void)arg;
    tell_begun();
    tuco_blocking_enter();
    read_byte(bytes[0]);
    tuco_blocking_exit();
}

static int calls_main(void *arg) {
    (void)arg;
    for (int i = 0; i < THREADS + 1; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_in_call, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

/* The last thread keeps the processor: sysmon finds no thread to take it over. */
TEST(threads_in_calls) {
    run_stopped(calls_main, CALL_MS);
}

static void open_gate(void *arg) {
    (void)arg;
    tuco_wg_done(&gate);
}

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    tell_begun();
    tuco_wg_wait(&gate);
}

/* Its processor has another goroutine to run when it waits. */
static void wait_wired_as_last(void *arg) {
    test_await(&others, THREADS - 1);
    ASSERT_EQ(tuco_go(open_gate, NULL), 0);
    wait_wired(arg);
}

static int wired_main(void *arg) {
    (void)arg;
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_wg_go(&wg, wait_in_call, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, wait_wired, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, wait_wired_as_last, NULL), 0);
    tuco_wg_wait(&wg);
    return 0;
}

/* The last thread leaves the processor: the starter finds none for it until a call ends. */
TEST(threads_of_wired_goroutines) {
    run_stopped(wired_main, 0);
}
