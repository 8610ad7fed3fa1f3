/* SPDX-License-Identifier: MIT */
/* Proves: a write or a madvise that a signal interrupts is repeated. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGES 4
#define BYTES (PAGES * OS_PAGE_BYTES)

TEST(write_is_made_again) {
    static const char text[] = "all of it";
    char seen[2 * sizeof text];
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    test_fault_plan(OS_FAULT_WRITE, 1, 2, EINTR);
    os_write(fds[1], text, sizeof text);
    ASSERT_EQ(test_fault_calls(OS_FAULT_WRITE), 3);
    test_fault_clear();
    ASSERT_EQ(read(fds[0], seen, sizeof seen), sizeof text);
    ASSERT_STR(seen, text);
    close(fds[0]);
    close(fds[1]);
}

static int full_pipe[2];
static atomic_int writer_tid;
static atomic_int signals_seen;

static void count_signal(int number) {
    (void)number;
    signals_seen++;
}

static void write_the_last_byte(void *arg) {
    (void)arg;
    writer_tid = gettid();
    os_write(full_pipe[1], "!", 1);
}

/* Waits until the kernel reports that the thread sleeps. */
static void await_sleep(int tid) {
    char path[64];
    char state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    while (state != 'S') {
        sched_yield();
        FILE *file = fopen(path, "r");
        ASSERT(file != NULL);
        ASSERT_EQ(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
        fclose(file);
    }
}

TEST(write_is_repeated_after_a_signal_in_the_kernel) {
    struct sigaction action = {.sa_handler = count_signal}; // without SA_RESTART
    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    ASSERT_EQ(pipe2(full_pipe, O_NONBLOCK), 0);
    size_t held = 0;
    char byte = '.';
    while (write(full_pipe[1], &byte, 1) == 1) {
        held++;
    }
    ASSERT_EQ(fcntl(full_pipe[1], F_SETFL, 0), 0);

    struct test_thread writer;
    test_thread_start(&writer, write_the_last_byte, NULL);
    while (writer_tid == 0) {
        sched_yield();
    }
    for (int i = 1; i <= 3; i++) {
        await_sleep(writer_tid);
        pthread_kill(writer.id, SIGUSR1);
        test_spin(&signals_seen, i);
    }

    for (size_t i = 0; i < held; i++) {
        ASSERT_EQ(read(full_pipe[0], &byte, 1), 1);
        ASSERT_EQ(byte, '.');
    }
    test_thread_join(&writer);
    ASSERT_EQ(read(full_pipe[0], &byte, 1), 1);
    ASSERT_EQ(byte, '!');
}

/* Discarded pages read as zero. */
static void expect_discarded(int error) {
    char *memory = os_reserve(BYTES, OS_PAGE_BYTES);
    ASSERT(memory != NULL);
    memset(memory, 1, BYTES);
    struct os_range range = {memory, BYTES};
    test_fault_plan(OS_FAULT_DISCARD, 1, 2, error);
    os_discard(&range, 1);
    ASSERT_EQ(test_fault_calls(OS_FAULT_DISCARD), 3);
    test_fault_clear();
    for (size_t i = 0; i < BYTES; i += OS_PAGE_BYTES) {
        ASSERT_EQ(memory[i], 0);
    }
    os_release(memory, BYTES);
}

TEST(advice_is_given_again) {
    expect_discarded(EINTR);
    expect_discarded(EAGAIN);
}
