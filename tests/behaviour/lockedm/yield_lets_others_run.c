/* SPDX-License-Identifier: MIT */
/* Proves: wired goroutines that only poll and yield block no other goroutine: not each
   other, not a sleeper, and not the sender that they poll for. */
#include "chans.h"
#include "threads.h"

#define NAP (10 * TUCO_MILLISECOND)

struct looker {
    tuco_chan *question;
    tuco_chan *answer;
    bool wired;
};

static void look_until_asked(void *arg) {
    struct looker *l = arg;
    int value;
    if (l->wired) {
        tuco_lock_thread();
    }
    int tid = gettid();
    while (tuco_chan_try_recv(l->question, &value) == -EAGAIN) {
        tuco_yield();
        ASSERT(!l->wired || gettid() == tid);
    }
    test_send(l->answer, value);
    if (l->wired) {
        tuco_unlock_thread();
    }
}

/* The nap is no synchronisation: it has to end although others never pause. */
static void ask(int lookers, int wired) {
    tuco_wg wg = {0};
    struct looker l[8];
    for (int i = 0; i < lookers; i++) {
        l[i] = (struct looker){CHAN(int, 0), CHAN(int, 0), i < wired};
        ASSERT_EQ(tuco_wg_go(&wg, look_until_asked, &l[i]), 0);
    }
    tuco_sleep(NAP);
    for (int i = 0; i < lookers; i++) {
        test_send(l[i].question, i);
        ASSERT_EQ(test_recv(l[i].answer), i);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < lookers; i++) {
        tuco_chan_unref(l[i].question);
        tuco_chan_unref(l[i].answer);
    }
}

static int run_main(void *arg) {
    (void)arg;
    ask(1, 0);
    ask(1, 1);
    ask(8, 4);
    tuco_lock_thread();
    ask(8, 8);
    return 0;
}

TEST(yield_lets_others_run) {
    RUN(run_main);
}
