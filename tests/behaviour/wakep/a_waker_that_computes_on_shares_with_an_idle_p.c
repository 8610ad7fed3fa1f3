/* SPDX-License-Identifier: MIT */
/* Proves: if a goroutine wakes another and keeps computing, the woken one runs on an idle
   P, and does not wait until its waker blocks. */
/* fixed procs */
/* serial */
/* not under qemu */
#include "turns.h"

#include <dirent.h>

#define ITEMS_BEFORE 10
#define ITEMS        100
#define SPAN         (300 * TUCO_MICROSECOND)

/* More than for other tests: the thread of the idle P needs a CPU within SPAN. */
#define ROUNDS 20

static tuco_wg wg;
static tuco_chan *items;
static atomic_int computing; /* whether the first stage computes */
static atomic_int overlaps;  /* items that the second stage processed meanwhile */

static void make_items(void *arg) {
    (void)arg;
    for (int i = 0; i < ITEMS_BEFORE + ITEMS; i++) {
        atomic_store(&computing, 1);
        turns_compute(SPAN);
        atomic_store(&computing, 0);
        ASSERT_EQ(tuco_chan_send(items, &i), 0);
    }
}

/* At the first check the other stage may not have returned from its send; so it checks
   again halfway. */
static void deal_with_items(void *arg) {
    (void)arg;
    int item;
    for (int i = 0; i < ITEMS_BEFORE + ITEMS; i++) {
        ASSERT_EQ(tuco_chan_recv(items, &item), 0);
        ASSERT_EQ(item, i);
        int met = atomic_load(&computing);
        turns_compute(SPAN / 2);
        met |= atomic_load(&computing);
        turns_compute(SPAN / 2);
        if (i >= ITEMS_BEFORE) {
            atomic_fetch_add(&overlaps, met);
        }
    }
}

/* How long the threads of this process have waited for a CPU so far, in all; -1: the kernel
   does not report it. */
static long long waited_for_cpus(void) {
    long long sum = -1;
    DIR *dir = opendir("/proc/self/task");
    ASSERT(dir != NULL);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char path[64];
        long long ran;
        long long waited;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", e->d_name);
        FILE *f = fopen(path, "r");
        if (f != NULL && fscanf(f, "%lld %lld", &ran, &waited) == 2) {
            sum = (sum < 0 ? 0 : sum) + waited;
        }
        if (f != NULL) {
            fclose(f);
        }
    }
    closedir(dir);
    return sum;
}

static int pass_items(void) {
    atomic_store(&overlaps, 0);
    ASSERT_EQ(tuco_wg_go(&wg, make_items, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, deal_with_items, NULL), 0);
    tuco_wg_wait(&wg);
    return atomic_load(&overlaps);
}

/* A round counts only if the threads hardly waited for a CPU in it. */
static int run_main(void *arg) {
    int *rounds = arg;
    int most = 0;
    items = tuco_chan_make(sizeof(int), 0);
    ASSERT(items != NULL);
    for (int i = 0; i < ROUNDS && most < ITEMS / 2; i++) {
        long long waited = waited_for_cpus();
        tuco_time begin = tuco_now();
        int now = pass_items();
        if (waited >= 0 && (waited_for_cpus() - waited) * 8 < tuco_now() - begin) {
            ++*rounds;
            most = now > most ? now : most;
        }
    }
    tuco_chan_unref(items);
    ASSERT(*rounds == 0 || most >= ITEMS / 2);
    return 0;
}

TEST(two_ps) {
    int rounds = 0;
    turns_use_procs(2);
    ASSERT_EQ(tuco_run(run_main, &rounds), 0);
    if (rounds == 0) {
        SKIP("Other processes kept the CPUs busy.");
    }
}
