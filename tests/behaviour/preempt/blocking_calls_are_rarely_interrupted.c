/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's signals rarely interrupt a thread that blocks. Goroutines that
   compute for about a slice, and then block in calls that the kernel does not restart,
   get EINTR in at most one call in thirty, on a machine with more threads than CPUs. If a
   goroutine has not yielded 40 ms after the request, sysmon sends the signal in any case:
   see 'Signals' in retake.c. Such calls are not counted. */
/* fixed procs */
/* slow */
/* not under qemu */
#include "hogs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

#define GOROUTINES   4
#define OTHERS       4
#define CALLS        TEST_SIZE(900, 300)
#define CALLS_TO_ONE 30
#define SLICE        (2 * TUCO_MILLISECOND)
#define LEAST        (SLICE - SLICE / 10) /* some block when the signal is due */
#define PATIENCE     (30 * TUCO_MILLISECOND)

static tuco_wg wg;
static int sockets[2];
static atomic_int calls;
static atomic_int interrupted;
static atomic_int over;

static void compute_of_cpu(tuco_time span) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    tuco_time end = now.tv_sec * TUCO_SECOND + now.tv_nsec + span;
    while (now.tv_sec * TUCO_SECOND + now.tv_nsec < end) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
}

/* Blocks for a millisecond. */
static int block_somehow(int how) {
    struct timespec time = {.tv_nsec = TUCO_MILLISECOND};
    struct timeval limit = {.tv_usec = 1000};
    char byte;
    switch (how % 4) {
    case 0: return poll(NULL, 0, 1);
    case 1: return select(0, NULL, NULL, NULL, &limit);
    case 2: return nanosleep(&time, NULL);
    default: return (int)recv(sockets[0], &byte, 1, 0);
    }
}

static void compute_and_block(void *arg) {
    unsigned seed = (unsigned)test_seed() + (unsigned)(uintptr_t)arg;
    for (int i; (i = atomic_fetch_add(&calls, 1)) < CALLS;) {
        tuco_time begin = hog_clock();
        compute_of_cpu(LEAST + rand_r(&seed) % SLICE);
        bool soon = hog_clock() - begin < PATIENCE;
        if (block_somehow(i) < 0 && errno == EINTR && soon) {
            atomic_fetch_add(&interrupted, 1);
        }
        tuco_yield(); // it may have lost its processor, and needs one to be interrupted
    }
}

static void compute_beside(void *arg) {
    (void)arg;
    compute_until(&over, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, compute_and_block, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(blocking_calls_are_rarely_interrupted) {
    struct timeval limit = {.tv_usec = 1000};
    struct test_thread others[OTHERS];
    tuco_config config = {.slice = SLICE};
    hogs_use(2);
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    ASSERT_EQ(setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
    for (int i = 0; i < OTHERS; i++) {
        test_thread_start(&others[i], compute_beside, NULL);
    }
    RUN(run_main);
    atomic_store(&over, 1);
    for (int i = 0; i < OTHERS; i++) {
        test_thread_join(&others[i]);
    }
    ASSERT_LE(atomic_load(&interrupted) * CALLS_TO_ONE, CALLS);
}
