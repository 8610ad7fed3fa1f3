/* SPDX-License-Identifier: MIT */
/* Proves: if another process changes the affinity of all threads, as taskset(1) does, the
   number of processors follows. Skipped with one CPU. */
/* fixed procs */
#include "await_procs.h"

#include <errno.h>

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

static int follow_main(void *arg) {
    (void)arg;
    int most = tuco_procs(0);
    ASSERT_GT(most, 1);
    use(&one);
    await_procs(most, 1);
    use(&all);
    await_procs(1, most);
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
