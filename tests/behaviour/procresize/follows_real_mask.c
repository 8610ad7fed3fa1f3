/* SPDX-License-Identifier: MIT */
/* Proves: if another process changes the affinity of all threads, as taskset(1) does, the
   number of processors follows. Skipped with one CPU. */
/* fixed procs */
#include "test.h"

#include <errno.h>

#define LIMIT       (10 * TUCO_SECOND)
#define THREADS_MAX 256

static cpu_set_t all;
static cpu_set_t one;

static void use(const cpu_set_t *set) {
    int tids[THREADS_MAX];
    int count = test_list_threads(tids, THREADS_MAX);
    ASSERT_LE(count, THREADS_MAX);
    for (int i = 0; i < count; i++) {
        if (sched_setaffinity(tids[i], sizeof(*set), set) != 0) {
            ASSERT_EQ(errno, ESRCH); // it has ended meanwhile
        }
    }
}

/* Sleeps between two reads of the number. */
static void await(int before, int wanted) {
    tuco_time limit = tuco_deadline(LIMIT);
    int procs = tuco_procs(0);
    while (procs != wanted) {
        ASSERT_EQ(procs, before);
        ASSERT_LT(tuco_now(), limit);
        tuco_sleep(10 * TUCO_MILLISECOND);
        procs = tuco_procs(0);
    }
}

static int follow_main(void *arg) {
    (void)arg;
    int most = tuco_procs(0);
    ASSERT_GT(most, 1);
    use(&one);
    await(most, 1);
    use(&all);
    await(1, most);
    return 0;
}

TEST(follows_real_mask) {
    int cpu = 0;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    if (CPU_COUNT(&all) < 2) {
        SKIP("There is only one CPU.");
    }
    while (!CPU_ISSET(cpu, &all)) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    test_setenv("TUCOPROCS", NULL);
    RUN(follow_main);
}
