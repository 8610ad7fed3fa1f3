/* SPDX-License-Identifier: MIT */
/* Channels: hand-off, buffer, close and deadline against each other. */
#include "passing.h"

#define SIDES_MAX 4

static tuco_wg all;
static tuco_chan *c;
static int rounds;

static void chan_begin(int most_capacity) {
    passing_clear();
    c = tuco_chan_make(sizeof(int), (size_t)sim_pick(0, most_capacity));
    sim_check(c != NULL);
}

static void chan_end(void) {
    passing_check();
    sim_check(tuco_chan_len(c) == 0);
    tuco_chan_unref(c);
}

static void send_rounds(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        sim_check(passing_send(c) == 0);
        sim_pause_some(2);
    }
}

static void recv_rounds(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        sim_check(passing_recv(c) == 0);
        sim_pause_some(2);
    }
}

static int chan_many_main(void *unused) {
    (void)unused;
    int sides = sim_pick(1, SIDES_MAX);
    rounds = sim_pick(1, 6);
    chan_begin(3);
    sim_search();
    for (int i = 0; i < sides; i++) {
        sim_check(tuco_wg_go(&all, send_rounds, NULL) == 0);
        sim_check(tuco_wg_go(&all, recv_rounds, NULL) == 0);
    }
    tuco_wg_wait(&all);
    chan_end();
    return SIM_RESULT;
}

SIM_SCENARIO(chan_many, "many send and many receive, by every form: each value once") {
    sim_begin();
    sim_main_twice(chan_many_main);
}

static void send_until_closed(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds && passing_send(c) == 0; i++) {
        sim_pause_some(2);
    }
    tuco_chan_unref(c);
}

static void recv_until_closed(void *unused) {
    (void)unused;
    while (passing_recv(c) == 0) {
        sim_pause_some(2);
    }
    tuco_chan_unref(c);
}

static void close_some_time(void *unused) {
    (void)unused;
    sim_pause_some(sim_pick(0, 1) ? 10 : 200);
    tuco_chan_close(c);
    tuco_chan_unref(c);
}

static void go_with_reference(tuco_fn *fn) {
    tuco_chan_ref(c);
    sim_check(tuco_wg_go(&all, fn, NULL) == 0);
}

static int chan_close_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 20);
    chan_begin(2);
    sim_search();
    int close_after = sim_pick(0, SIDES_MAX);
    for (int i = 0; i <= SIDES_MAX; i++) {
        if (i == close_after) {
            go_with_reference(close_some_time);
        }
        if (sim_pick(0, 1)) {
            go_with_reference(send_until_closed);
        }
        if (i == 0 || sim_pick(0, 1)) {
            go_with_reference(recv_until_closed);
        }
    }
    tuco_wg_wait(&all);
    int value = -1;
    sim_check(tuco_chan_recv(c, &value) == -EPIPE && value == 0);
    chan_end();
    return SIM_RESULT;
}

SIM_SCENARIO(chan_close, "a close wakes all senders and receivers") {
    sim_begin();
    sim_main_twice(chan_close_main);
}

/* The sender closes: whenever the channel is closed, its last value can be received. */
static void send_and_close(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        sim_pause_some(60); /* until another goroutine has got a processor */
        sim_check(passing_send(c) == 0);
    }
    tuco_chan_close(c);
}

static void chan_last_round(void) {
    rounds = sim_pick(1, 2);
    chan_begin(2);
    sim_check(tuco_wg_go(&all, send_and_close, NULL) == 0);
    tuco_yield();
    for (int i = 0; i < rounds; i++) {
        sim_check(passing_recv(c) == 0);
    }
    sim_check(passing_recv(c) == -EPIPE);
    tuco_wg_wait(&all);
    chan_end();
}

static int chan_last_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(1, 24); i > 0; i--) {
        chan_last_round();
    }
    return SIM_RESULT;
}

SIM_SCENARIO(chan_last, "some values and then the close: the values are received first") {
    sim_begin_procs(2, 4);
    sim_main_twice(chan_last_main);
}

/* Main receives as many values as have no room in the buffer: every send returns. */
static int chan_room_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 4);
    chan_begin(3);
    int senders = sim_pick(1, SIDES_MAX);
    int in_buffer = (int)tuco_chan_cap(c);
    sim_search();
    for (int i = 0; i < senders; i++) {
        sim_check(tuco_wg_go(&all, send_rounds, NULL) == 0);
    }
    for (int i = senders * rounds - in_buffer; i > 0; i--) {
        sim_check(passing_recv(c) == 0);
    }
    tuco_wg_wait(&all);
    while (tuco_chan_len(c) > 0) {
        sim_check(passing_recv(c) == 0);
    }
    chan_end();
    return SIM_RESULT;
}

SIM_SCENARIO(chan_room, "a buffer is left full: each send that has room returns") {
    sim_begin();
    sim_main_twice(chan_room_main);
}

/* Both sides have a deadline each time, about as long as the other side takes. */
static void send_in_time(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        int value = passing_next();
        while (tuco_chan_send_until(c, &value, passing_soon()) == -ETIMEDOUT) {
        }
        passing_sent(value);
    }
}

static int chan_until_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 8);
    chan_begin(1);
    sim_search();
    sim_check(tuco_wg_go(&all, send_in_time, NULL) == 0);
    for (int i = 0; i < rounds; i++) {
        int value = -1;
        while (tuco_chan_recv_until(c, &value, passing_soon()) == -ETIMEDOUT) {
            sim_check(value == -1);
        }
        sim_check(value == i);
        passing_got(value);
    }
    tuco_wg_wait(&all);
    chan_end();
    return SIM_RESULT;
}

SIM_SCENARIO(chan_until, "deadlines on both sides, against the hand-off") {
    sim_begin();
    sim_main_twice(chan_until_main);
}

/* The receiver leaves its stack at once, and another goroutine uses it. */
static void recv_in_frame(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        int around[3] = {7, -1, 8};
        sim_check(tuco_chan_recv(c, &around[1]) == 0);
        sim_check(around[0] == 7 && around[2] == 8);
        passing_got(around[1]);
    }
}

static int chan_frames_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 8);
    chan_begin(0);
    sim_search();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, recv_in_frame, NULL) == 0);
        sim_check(tuco_wg_go(&all, send_rounds, NULL) == 0);
    }
    tuco_wg_wait(&all);
    chan_end();
    return SIM_RESULT;
}

SIM_SCENARIO(chan_frames, "values are handed over from one stack to another") {
    sim_begin();
    sim_main_twice(chan_frames_main);
}

static void thread_sends(void *unused) {
    send_rounds(unused);
    tuco_wg_done(&all);
}

static void thread_receives(void *unused) {
    recv_rounds(unused);
    tuco_wg_done(&all);
}

static void foreign_part(void *raw) {
    if ((intptr_t)raw % 2 == 0) {
        thread_sends(NULL);
    } else {
        thread_receives(NULL);
    }
}

SIM_SCENARIO(chan_foreign, "threads and goroutines send to each other") {
    sim_begin();
    rounds = sim_pick(1, 5);
    chan_begin(2);
    sim_check(tuco_start() == 0);
    sim_search();
    int threads = 2 * sim_pick(1, 2);
    tuco_wg_add(&all, threads);
    sim_threads_start(foreign_part, threads);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, recv_rounds, NULL) == 0);
        sim_check(tuco_wg_go(&all, send_rounds, NULL) == 0);
    }
    sim_threads_join(threads);
    tuco_wg_wait(&all);
    chan_end();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

static void foreign_closed(void *raw) {
    if ((intptr_t)raw % 2 == 0) {
        send_until_closed(NULL);
    } else {
        recv_until_closed(NULL);
    }
}

SIM_SCENARIO(chan_foreign_close,
             "a goroutine closes on threads, or a thread on goroutines") {
    sim_begin();
    rounds = sim_pick(1, 10);
    chan_begin(1);
    sim_check(tuco_start() == 0);
    sim_search();
    for (int i = 0; i < 2; i++) {
        tuco_chan_ref(c);
        go_with_reference(recv_until_closed);
        go_with_reference(send_until_closed);
    }
    sim_threads_start(foreign_closed, 2);
    if (sim_pick(0, 1)) {
        go_with_reference(close_some_time);
    } else {
        tuco_chan_ref(c);
        close_some_time(NULL);
    }
    sim_threads_join(2);
    tuco_wg_wait(&all);
    chan_end();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}
