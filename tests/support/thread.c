/* SPDX-License-Identifier: MIT */
/* thread.c: foreign threads. */
#include "test.h"

#include <stdlib.h>

static void *enter(void *arg) {
    struct test_thread *t = arg;
    t->fn(t->arg);
    return NULL;
}

void test_thread_start(struct test_thread *t, tuco_fn *fn, void *arg) {
    t->fn = fn;
    t->arg = arg;
    ASSERT_EQ(pthread_create(&t->id, NULL, enter, t), 0);
}

void test_thread_join(struct test_thread *t) {
    ASSERT_EQ(pthread_join(t->id, NULL), 0);
}

void test_threads_run(int n, tuco_fn *fn, void *arg) {
    struct test_thread *threads = calloc((size_t)n, sizeof(*threads));
    ASSERT(threads != NULL);
    for (int i = 0; i < n; i++) {
        test_thread_start(&threads[i], fn, arg);
    }
    for (int i = 0; i < n; i++) {
        test_thread_join(&threads[i]);
    }
    free(threads);
}
