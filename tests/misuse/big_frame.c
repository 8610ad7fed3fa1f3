/* SPDX-License-Identifier: MIT */
/* Proves: if a frame is so large that it skips the guard of its stack, the process ends
   with the report of a stack overflow when the goroutine next waits, or when it touches
   unmapped memory. */
/* without stack clash protection */
#include "test.h"

#define LARGE_BYTES ((size_t)300 * 1024)

static tuco_wg never;
static volatile size_t bytes;

static void touch(volatile char *p) {
    *p = 1;
}

/* The lowest byte of the frame is far below the stack; only this byte is touched. */
__attribute__((noinline)) static void wait_in_large_frame(void *arg) {
    char frame[LARGE_BYTES];
    __asm__ volatile("" : : "r"(frame) : "memory"); /* or clang keeps two bytes of it */
    touch(&frame[0]);
    tuco_sleep(1); /* which always leaves the thread */
    touch(&frame[1]);
    (void)arg;
}

/* Writes every byte, from the top down, and finds each again after the switch. */
__attribute__((noinline)) static void fill_large_frame(void *arg) {
    volatile char frame[LARGE_BYTES];
    for (size_t i = LARGE_BYTES; i > 0; i--) {
        frame[i - 1] = (char)(i % 101);
    }
    tuco_sleep(1);
    for (size_t i = LARGE_BYTES; i > 0; i--) {
        ASSERT_EQ(frame[i - 1], i % 101);
    }
    (void)arg;
}

/* The memory there may be mapped or not. */
__attribute__((noinline)) static void wait_in_frame_of_a_mebibyte(void *arg) {
    bytes = (size_t)1 << 20;
    char *frame = __builtin_alloca(bytes);
    touch(&frame[0]);
    tuco_sleep(1);
    touch(&frame[1]);
    (void)arg;
}

/* So large that the memory below is unmapped. */
__attribute__((noinline)) static void touch_far_below(void *arg) {
    bytes = (size_t)1 << 40;
    char *frame = __builtin_alloca(bytes);
    touch(&frame[0]);
    (void)arg;
}

static int frame_main(void *arg) {
    tuco_attr attr = {.name = "large one"};
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go_attr(&attr, *(tuco_fn **)arg, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static void run_it(void *arg) {
    tuco_run(frame_main, arg);
}

static struct test_child child;

static void expect_report(tuco_fn *fn) {
    test_child_run(&child, run_it, &fn);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "goroutine stack exceeds 262144-byte limit");
    ASSERT_MATCH(child.text, "a frame larger than the guard ends [0-9]+ bytes below");
    ASSERT_EQ(test_occurrences(child.text, "fatal error: stack overflow"), 1);
    ASSERT_MATCH(child.text, "^goroutine 2 large one needs more than its 262144 bytes.*"
                             "TUCOSTACK.*tuco_attr.stack_size");
    ASSERT_MATCH(child.text, "^goroutine 2 \\[running\\].*:$");
}

TEST(noticed_by_a_switch) {
    expect_report(wait_in_large_frame);
}

/* The guard is in the middle of it. */
TEST(touched_as_a_whole) {
    expect_report(fill_large_frame);
}

TEST(one_mebibyte) {
    expect_report(wait_in_frame_of_a_mebibyte);
}

TEST(noticed_by_a_fault) {
    expect_report(touch_far_below);
}

static int main_frame(void *arg) {
    wait_in_large_frame(arg);
    return 0;
}

TEST(main_goroutine) {
    RUN_DIES(main_frame, "goroutine stack exceeds 262144-byte limit");
}

static int main_fill(void *arg) {
    fill_large_frame(arg);
    return 0;
}

/* The frame fits into a larger stack, as the report suggests. */
TEST(larger_stack) {
    test_setenv("TUCOSTACK", "512K");
    RUN(main_fill);
}
