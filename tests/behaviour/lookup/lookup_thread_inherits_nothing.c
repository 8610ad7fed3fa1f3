/* SPDX-License-Identifier: MIT */
/* Proves: the thread that looks up a name does not inherit what a wired goroutine has
   changed about its thread. */
#include "loopback.h"

#include <sys/resource.h>

static atomic_int nice_of_lookup;

/* On Linux the nice value belongs to the thread, and a new thread inherits its
   parent's. */
static int get_nice(void) {
    return getpriority(PRIO_PROCESS, 0);
}

#define TEST_NAMES_ASKED(host) ((void)(host), atomic_store(&nice_of_lookup, get_nice()))
#include "names.h"

/* Ends wired, and its thread with it. */
static void dial_nicely(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, get_nice() + 1), 0);
    lo_close(lo_dial("udp4", "some.name:9"));
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    int before = get_nice();
    ASSERT_EQ(tuco_wg_go(&wg, dial_nicely, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&nice_of_lookup), before);
    return 0;
}

TEST(lookup_thread_inherits_nothing) {
    if (get_nice() >= 19) {
        SKIP("This process cannot be nicer than it is.");
    }
    atomic_store(&nice_of_lookup, -100);
    RUN(run_main);
}
