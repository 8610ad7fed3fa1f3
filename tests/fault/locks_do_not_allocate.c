/* SPDX-License-Identifier: MIT */
/* Proves: after their first use, locks, conditions, semaphores, wait groups and pools
   allocate nothing, although goroutines wait, wake and time out. */
#include "fault.h"
#include "test.h"

#define GOROUTINES 8
#define ROUNDS     200

/* Sysmon may start a thread meanwhile, which allocates. */
#define OTHERS 20

static tuco_mutex m;
static tuco_rwmutex rw;
static tuco_cond c;
static tuco_sem s;
static tuco_wg gate;
static tuco_wg step;
static tuco_pool *pool;
static int object;

static void use_all(int i) {
    tuco_time soon = tuco_deadline(i % 20 * TUCO_MICROSECOND);
    tuco_mutex_lock(&m);
    tuco_yield();
    (void)tuco_cond_wait_until(&c, &m, soon);
    tuco_cond_signal(&c);
    tuco_mutex_unlock(&m);
    tuco_rwmutex_rlock(&rw);
    tuco_yield();
    tuco_rwmutex_runlock(&rw);
    if (tuco_rwmutex_lock_until(&rw, soon) == 0) {
        tuco_rwmutex_unlock(&rw);
    }
    ASSERT_EQ(tuco_sem_acquire(&s, 1 + i % 2, NULL), 0);
    (void)tuco_wg_wait_until(&gate, soon);
    tuco_sem_release(&s, 1 + i % 2);
    tuco_pool_put(pool, &object);
    (void)tuco_pool_get(pool);
}

static void use_often(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        use_all(i);
    }
    tuco_wg_done(&step);
}

static void use_together(void) {
    tuco_wg_add(&step, GOROUTINES);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(use_often, NULL), 0);
    }
    tuco_wg_wait(&step);
}

static int run_main(void *arg) {
    (void)arg;
    use_together();
    int before = test_fault_calls(OS_FAULT_ALLOC);
    use_together();
    ASSERT_LE(test_fault_calls(OS_FAULT_ALLOC), before + OTHERS);
    return 0;
}

TEST(locks_do_not_allocate) {
    test_setenv("TUCOPROCS", "1");            // a thread that starts later allocates
    test_fault_plan(OS_FAULT_ALLOC, 0, 0, 0); // none fails: they are counted
    tuco_sem_init(&s, 2);
    tuco_wg_add(&gate, 1);
    pool = tuco_pool_make(NULL, NULL, NULL);
    ASSERT(pool != NULL);
    RUN(run_main);
    tuco_pool_free(pool);
    test_fault_clear();
}
