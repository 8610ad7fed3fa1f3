/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that compute get no signal while no other goroutine waits for a
   processor. */
/* fixed procs */
#include "hogs.h"

#include <signal.h>

#define SPAN (300 * TUCO_MILLISECOND)

static tuco_wg wg;
static struct sigaction runtime_action;
static atomic_int signals;
static atomic_int computing;
static atomic_int stop;

static void count(int signal, siginfo_t *info, void *context) {
    atomic_fetch_add(&signals, 1);
    runtime_action.sa_sigaction(signal, info, context);
}

/* Runs before the runtime's handler, which must be installed already. */
static void start_counting(void) {
    ASSERT_EQ(sigaction(SIGURG, NULL, &runtime_action), 0);
    ASSERT((runtime_action.sa_flags & SA_SIGINFO) != 0);
    struct sigaction action = runtime_action;
    action.sa_sigaction = count;
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
}

static void hog(void *arg) {
    (void)arg;
    atomic_store(&computing, 1);
    compute_until(&stop, 1);
}

/* One hog on each of the two processors. */
static int nothing_waits_main(void *arg) {
    (void)arg;
    start_counting();
    compute_for(SPAN);
    ASSERT_EQ(atomic_load(&signals), 0);
    ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    compute_until(&computing, 1);
    compute_for(SPAN / 10); // a signal may still be on its way from before hog ran
    int before = atomic_load(&signals);
    compute_for(SPAN);
    ASSERT_EQ(atomic_load(&signals), before);
    atomic_store(&stop, 1);
    tuco_wg_wait(&wg);
    return 0;
}

/* The counting works. */
static int counting_main(void *arg) {
    (void)arg;
    start_counting();
    ASSERT_EQ(raise(SIGURG), 0);
    ASSERT_EQ(atomic_load(&signals), 1);
    return 0;
}

TEST(nothing_waits) {
    hogs_use(2);
    RUN(nothing_waits_main);
}

TEST(signals_are_counted) {
    hogs_use(1);
    RUN(counting_main);
}
