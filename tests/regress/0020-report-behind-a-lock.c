/* SPDX-License-Identifier: MIT */
/* Proves: a misuse ends the program although an interrupted goroutine holds a lock of the
   C library that the report needs. */
/*
 * Bug. A report gets the names of functions from the C library, which takes the lock of
 * its loader. A goroutine that was interrupted in dlopen() or dlsym() holds that lock and
 * waits for a P; the goroutine at fault is in the report and keeps its P. With one P the
 * process hung in the middle of its report.
 *
 * Fix. Before it needs names, the report resumes all interrupted goroutines without a P.
 * If the lock is still not released, sysmon ends the process: 'Names' in dump.c.
 *
 * Fails without it: dlsym() below calls resolve() with the lock held, and is interrupted
 * there.
 */
/* fixed procs */
/* not under tsan */
#include "test.h"

#include <dlfcn.h>

static atomic_int resolving;
static atomic_int dying;
static bool for_ever;

static void nothing(void) {
}

/* dlsym() calls it for the address of resolved_late(), under the loader's lock. */
static __attribute__((used)) void (*resolve(void))(void) {
    atomic_store(&resolving, 1);
    while (atomic_load(&dying) == 0 || for_ever) {
    }
    return nothing;
}

void resolved_late(void) __attribute__((ifunc("resolve")));

static void look_up(void *arg) {
    (void)arg;
    ASSERT(dlsym(RTLD_DEFAULT, "resolved_late") != NULL);
}

static int misuse_main(void *arg) {
    (void)arg;
    tuco_chan *c = tuco_chan_make(sizeof(int), 0);
    ASSERT_EQ(tuco_go(look_up, NULL), 0);
    test_await(&resolving, 1); // it is interrupted there
    atomic_store(&dying, 1);
    tuco_chan_close(c);
    tuco_chan_close(c);
    return 0;
}

static void run_misuse(void *arg) {
    (void)arg;
    test_setenv("TUCOPROCS", "1");
    tuco_run(misuse_main, NULL);
}

TEST(lock_is_given_back) {
    static struct test_child child;
    test_child_run(&child, run_misuse, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "panic: close of closed channel\n");
    ASSERT_HAS(child.text, "(...)\n\t"); // a frame, with or without a name
    ASSERT_LACKS(child.text, "waits for a lock");
}

TEST(lock_is_kept) {
    static struct test_child child;
    for_ever = true;
    test_child_run(&child, run_misuse, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "panic: close of closed channel\n\ngoroutine 1 [running]:\n");
    ASSERT_HAS(child.text, "waits for a lock of the C library\n");
}
