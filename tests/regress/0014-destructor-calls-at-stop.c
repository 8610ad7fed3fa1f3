/* SPDX-License-Identifier: MIT */
/* Proves: tuco_stop returns although a destructor on a thread that it joins calls the
   library; the calls of the destructor find no runtime. */
/*
 * Bug. tuco_stop() closes the entry for foreign threads, and reopened it only at its end.
 * A thread that has left the runtime is foreign when it runs the destructors of the
 * program's thread-specific data: these waited for the entry, and tuco_stop() for the
 * thread.
 *
 * Fix. The entry reopens when the phase has changed, before threads are joined: no
 * goroutine can be started from then on.
 *
 * Fails without it: the two wait for each other.
 */
/* fixed procs */
#include "test.h"

#include <errno.h>

static pthread_key_t key;
static atomic_int destroyed;

static void call_library(void *value) {
    (void)value;
    tuco_mutex mutex = {0};
    ASSERT_EQ(tuco_count(), 0);
    ASSERT_EQ(tuco_go(test_return_at_once, NULL), -ESRCH);
    ASSERT_EQ(tuco_procs(0), 0);
    tuco_mutex_lock(&mutex);
    tuco_mutex_unlock(&mutex);
    tuco_chan *c = tuco_chan_make(sizeof(int), 1);
    int value_sent = 1;
    tuco_chan_send(c, &value_sent);
    tuco_chan_close(c);
    tuco_chan_unref(c);
    atomic_fetch_add(&destroyed, 1);
}

static void leave_something(void *arg) {
    ASSERT_EQ(pthread_setspecific(key, &key), 0);
    atomic_store((atomic_int *)arg, 1);
}

TEST(destructor_calls_at_stop) {
    ASSERT_EQ(pthread_key_create(&key, call_library), 0);
    test_setenv("TUCOPROCS", "1");
    for (int i = 1; i <= 2; i++) {
        atomic_int left = 0;
        ASSERT_EQ(tuco_start(), 0);
        ASSERT_EQ(tuco_go(leave_something, &left), 0);
        test_spin(&left, 1);
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        ASSERT_EQ(atomic_load(&destroyed), i);
    }
}
