/* SPDX-License-Identifier: MIT */
/* Proves: if a goroutine wakes another and keeps computing, the woken one runs on an idle
   P, and does not wait until its waker blocks. */
/* fixed procs */
/* serial */
/* not under qemu */
#include "base/compiler.h"
#include "turns.h"

#include <dirent.h>

#define ITEMS_BEFORE 10
#define ITEMS        100
#define SPAN         (300 * TUCO_MICROSECOND)

/* Sysmon does not find a goroutine that waits for so short a time. */
#define SHORT_SPAN (20 * TUCO_MICROSECOND)

/* More than for other tests: the thread of the idle P needs a CPU within SPAN. */
#define ROUNDS 20

static tuco_wg wg;
static tuco_chan *items;
static atomic_int computing;    /* how many do: at first, of the first stage only */
static atomic_int overlaps;     /* items for which both computed at the same time */
static atomic_int last_overlap; /* the last of these, if two new goroutines pass each */

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

/* Two goroutines pass all items. */
static int pass_items(void) {
    atomic_store(&overlaps, 0);
    ASSERT_EQ(tuco_wg_go(&wg, make_items, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, deal_with_items, NULL), 0);
    tuco_wg_wait(&wg);
    return atomic_load(&overlaps);
}

/* Counts an item if one of the two that pass it is halfway while the other computes. */
static void compute_after(int item) {
    atomic_fetch_add(&computing, 1);
    turns_compute(SHORT_SPAN / 2);
    if (item >= ITEMS_BEFORE && atomic_load(&computing) == 2 &&
        atomic_exchange(&last_overlap, item) != item) {
        atomic_fetch_add(&overlaps, 1);
    }
    turns_compute(SHORT_SPAN / 2);
    atomic_fetch_sub(&computing, 1);
}

static void send_and_compute(void *arg) {
    int item = *(int *)arg;
    ASSERT_EQ(tuco_chan_send(items, &item), 0);
    compute_after(item);
}

static void receive_and_compute(void *unused) {
    (void)unused;
    int item;
    ASSERT_EQ(tuco_chan_recv(items, &item), 0);
    compute_after(item);
}

/* Each item is passed by two new goroutines, of which each wakes at most one other. */
static int pass_items_anew(void) {
    atomic_store(&overlaps, 0);
    for (int i = 0; i < ITEMS_BEFORE + ITEMS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, receive_and_compute, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&wg, send_and_compute, &i), 0);
        tuco_wg_wait(&wg);
    }
    return atomic_load(&overlaps);
}

struct work {
    int (*pass)(void);
    int rounds; /* those that count: the threads hardly waited for a CPU */
};

static int run_main(void *arg) {
    struct work *work = arg;
    int most = 0;
    items = tuco_chan_make(sizeof(int), 0);
    ASSERT(items != NULL);
    for (int i = 0; i < ROUNDS && most < ITEMS / 2; i++) {
        long long waited = waited_for_cpus();
        tuco_time begin = tuco_now();
        int now = work->pass();
        if (waited >= 0 && (waited_for_cpus() - waited) * 8 < tuco_now() - begin) {
            work->rounds++;
            most = now > most ? now : most;
        }
    }
    tuco_chan_unref(items);
    ASSERT(work->rounds == 0 || most >= ITEMS / 2);
    return 0;
}

static void share(int (*pass)(void)) {
    struct work work = {.pass = pass};
    turns_use_procs(2);
    ASSERT_EQ(tuco_run(run_main, &work), 0);
    if (work.rounds == 0) {
        SKIP("Other processes kept the CPUs busy.");
    }
}

TEST(two_ps) {
    share(pass_items);
}

TEST(new_goroutines) {
    if (RT_TSAN) {
        SKIP("ThreadSanitizer needs longer than SHORT_SPAN to begin a goroutine.");
    }
    share(pass_items_anew);
}
