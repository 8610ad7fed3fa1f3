/* SPDX-License-Identifier: MIT */
/* test.h: the test framework: registration, assertions, child processes, foreign
   threads. */
#ifndef TEST_TEST_H
#define TEST_TEST_H

/*
 * A test program is one source with one or more TEST(name) { ... } blocks;
 * support/runner.c provides main(). Every test runs in a forked child of its own, so that
 * it may end its process, leave goroutines behind or break the runtime without affecting
 * the next one. A watchdog ends a child that hangs: see watchdog.c. tests/README.md
 * explains how to run one test and how to repeat a seed.
 *
 * Nothing here sleeps to synchronise. A test waits for a word with test_await() or
 * test_spin(), for a wait group, or for a thread by joining it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <tuco.h>

/* ---- Registration ---- */

struct test {
    const char *name;
    void (*fn)(void);
    struct test *next;
};

/* Appends a test to the list that main() runs, in source order. Called before main(). */
void test_register(struct test *t);

#define TEST(test_name)                                                   \
    static void test_name##_body(void);                                   \
    __attribute__((constructor)) static void test_name##_register(void) { \
        static struct test self = {#test_name, test_name##_body, NULL};   \
        test_register(&self);                                             \
    }                                                                     \
    static void test_name##_body(void)

/* ---- Values from the command line ---- */

/* The seed printed at the start of the program; --seed sets it. */
uint64_t test_seed(void);

/* How long a stress test should run; --seconds sets it, 5 by default. */
int test_seconds(void);

/* ---- Ending a test early ---- */

/* Prints the place and the reason, and ends the process as failed. Callable from any
   goroutine or thread. */
_Noreturn __attribute__((format(printf, 3, 4))) void test_fail(const char *file, int line,
                                                               const char *format, ...);

/* Ends the test as not applicable here; reason is a full sentence for the log. */
_Noreturn void test_skip(const char *reason);
#define SKIP(reason) test_skip(reason)

/* ---- Assertions: evaluate each argument once, print both values on failure ---- */

void test_check_int(const char *file, int line, const char *text, bool holds,
                    intmax_t left, intmax_t right);
void test_check_str(const char *file, int line, const char *text, const char *left,
                    const char *right);
void test_check_has(const char *file, int line, const char *text, const char *part,
                    bool wanted);
void test_check_match(const char *file, int line, const char *text, const char *regex);

/* The caller passes the texts, because here the arguments are already expanded. */
#define TEST_INT(a, op, b, a_text, b_text)                                             \
    do {                                                                               \
        intmax_t left_ = (intmax_t)(a);                                                \
        intmax_t right_ = (intmax_t)(b);                                               \
        test_check_int(__FILE__, __LINE__, a_text " " #op " " b_text, left_ op right_, \
                       left_, right_);                                                 \
    } while (0)

#define ASSERT(condition) \
    ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "not true: %s", #condition))
#define ASSERT_EQ(a, b)  TEST_INT(a, ==, b, #a, #b)
#define ASSERT_NE(a, b)  TEST_INT(a, !=, b, #a, #b)
#define ASSERT_LT(a, b)  TEST_INT(a, <, b, #a, #b)
#define ASSERT_LE(a, b)  TEST_INT(a, <=, b, #a, #b)
#define ASSERT_GT(a, b)  TEST_INT(a, >, b, #a, #b)
#define ASSERT_GE(a, b)  TEST_INT(a, >=, b, #a, #b)
#define ASSERT_STR(a, b) test_check_str(__FILE__, __LINE__, #a " is " #b, a, b)

/* Require that the string text contains, or does not contain, the string part. */
#define ASSERT_HAS(text, part)   test_check_has(__FILE__, __LINE__, text, part, true)
#define ASSERT_LACKS(text, part) test_check_has(__FILE__, __LINE__, text, part, false)

/* Requires that part of text matches the POSIX extended regular expression; ^ and $ match
   at line ends. */
#define ASSERT_MATCH(text, regex) test_check_match(__FILE__, __LINE__, text, regex)

/* Runs int main_fn(void *) as the main goroutine and requires that it returns 0. */
#define RUN(main_fn) ASSERT_EQ(tuco_run(main_fn, NULL), 0)

/* For goroutines, calls and mains that need not do anything. */
static inline void test_return_at_once(void *arg) {
    (void)arg;
}

static inline int test_empty_main(void *arg) {
    (void)arg;
    return 0;
}

/* ---- Child processes ---- */

#define TEST_TEXT_MAX ((size_t)256 * 1024)

/* The result of a child. Large: declare it static. */
struct test_child {
    int status;               /* exit status, or -1 if a signal ended it */
    int signal;               /* that signal, or 0 */
    size_t size;              /* length of text */
    char text[TEST_TEXT_MAX]; /* its standard error, truncated, terminated */
};

/* Runs fn(arg) in a forked child and waits for it. Must not be called while the runtime
   is running: fork() copies only the calling thread. */
void test_child_run(struct test_child *child, tuco_fn *fn, void *arg);

/* Requires that exit status; prints the child's text otherwise. */
void test_expect_status(const char *file, int line, const struct test_child *child,
                        int status);
#define EXPECT_STATUS(child, status) test_expect_status(__FILE__, __LINE__, child, status)

/* Runs fn(arg) in a child; requires exit status 2 and text on its standard error. */
void test_expect_death(const char *file, int line, tuco_fn *fn, void *arg,
                       const char *text);
#define EXPECT_DEATH(fn, arg, text) test_expect_death(__FILE__, __LINE__, fn, arg, text)

/* The same for a runtime whose main goroutine is int main_fn(void *). */
void test_expect_run_death(const char *file, int line, int (*main_fn)(void *),
                           const char *text);
#define RUN_DIES(main_fn, text) test_expect_run_death(__FILE__, __LINE__, main_fn, text)

/* Sets an environment variable for the next start of the runtime. NULL removes it. */
void test_setenv(const char *name, const char *value);

/* ---- Foreign threads ---- */

struct test_thread {
    pthread_t id;
    tuco_fn *fn;
    void *arg;
};

/* Starts a plain thread that runs fn(arg). t must stay valid until test_thread_join()
   returns. */
void test_thread_start(struct test_thread *t, tuco_fn *fn, void *arg);
void test_thread_join(struct test_thread *t);

/* Runs fn(arg) in n threads at once and returns when all have exited. */
void test_threads_run(int n, tuco_fn *fn, void *arg);

/* ---- Waiting for a word ---- */

/* Waits in a goroutine or a thread, and yields to others meanwhile. A goroutine that is
   alone on its P runs again at once after each yield. So after many yields its thread
   sleeps briefly: on few CPUs the thread that it waits for needs one. */
static inline void test_await(atomic_int *word, int value) {
    for (int turns = 1; atomic_load(word) != value; turns++) {
        tuco_yield();
        if (turns % 1000 == 0) {
            clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000},
                            NULL);
        }
    }
}

/* Called on a goroutine: yields until it is the only one. A goroutine counts until it has
   ended, which is after its last tuco_wg_done() or send, so a test that counts goroutines
   after a wait calls this first. What the others held is released then. */
static inline void test_await_alone(void) {
    while (tuco_count() > 1) {
        tuco_yield();
    }
}

/* Waits without a call into the library: to the scheduler this is computing. Calls
   sched_yield(), so that more spinning threads than CPUs make progress. */
static inline void test_spin(atomic_int *word, int value) {
    while (atomic_load(word) != value) {
        sched_yield();
    }
}

/* ---- Resources of the process ---- */

int test_count_threads(void);
int test_count_fds(void);
int test_count_mappings(void);

/* Moves the process, which must have one thread only, to a network namespace of its own
   with only lo, so that no other process uses its ports. If the kernel does not permit
   it, the process stays. */
void test_own_network(void);

long test_resident_kib(void);
tuco_time test_cpu_time(void);

/* Stores the ids of all threads of the process in tids, at most max, and returns their
   number. */
int test_list_threads(int *tids, int max);

/* Returns the mask of signals blocked in that thread; signal 1 is bit 0. */
uint64_t test_blocked_signals(int tid);

/* Requires that the process has n threads. A joined thread leaves /proc shortly after the
   join, so this retries for a while before it fails. */
void test_expect_threads(const char *file, int line, int n);
#define EXPECT_THREADS(n) test_expect_threads(__FILE__, __LINE__, n)

/* Returns the output of rt_dump_goroutines(). The string is static; the next call
   overwrites it. */
const char *test_dump(void);

/* Returns how many goroutines a dump, or a report that ends with one, lists. */
int test_dump_entries(const char *text);

/* Returns how often part occurs in text. */
int test_occurrences(const char *text, const char *part);

/* ---- Sizes ---- */

#if defined(__has_feature)
#define TEST_CLANG_HAS(feature) __has_feature(feature)
#else
#define TEST_CLANG_HAS(feature) 0
#endif

/* ThreadSanitizer keeps a fiber for each goroutine with a stack, and supports about
   8000. */
#if defined(__SANITIZE_THREAD__) || TEST_CLANG_HAS(thread_sanitizer)
#define TEST_SANITIZED 1
#define TEST_LIVE_MAX  3000
#elif defined(__SANITIZE_ADDRESS__) || TEST_CLANG_HAS(address_sanitizer)
#define TEST_SANITIZED 1
#define TEST_LIVE_MAX  20000
#else
#define TEST_SANITIZED 0
#define TEST_LIVE_MAX  100000
#endif

/* Chooses a smaller amount of work where a sanitizer makes every instruction slow. */
#define TEST_SIZE(plain, sanitized) (TEST_SANITIZED ? (sanitized) : (plain))

#endif
