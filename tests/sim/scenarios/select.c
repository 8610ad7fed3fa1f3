/* SPDX-License-Identifier: MIT */
/* Selects against each other, against plain ends, and against the clock. */
#include "passing.h"

#define CHANNELS_MAX 4

static tuco_wg all;
static tuco_chan *channels[CHANNELS_MAX];
static int count;
static int rounds;

static void channels_begin(int channel_count, int most_capacity) {
    passing_clear();
    count = channel_count;
    for (int i = 0; i < count; i++) {
        channels[i] = tuco_chan_make(sizeof(int), (size_t)sim_pick(0, most_capacity));
        sim_check(channels[i] != NULL);
    }
}

static void channels_end(void) {
    passing_check();
    for (int i = 0; i < count; i++) {
        sim_check(tuco_chan_len(channels[i]) == 0);
        tuco_chan_unref(channels[i]);
    }
}

/* One end of an exchange: sends to one channel, or receives from another. Only the chosen
   case may have touched anything. */
static void exchange(tuco_chan *to, tuco_chan *from, bool send_first) {
    int value = passing_next();
    int got = -1;
    tuco_case send = TUCO_SEND(to, &value);
    tuco_case recv = TUCO_RECV(from, &got);
    tuco_case cases[] = {send_first ? send : recv, send_first ? recv : send};
    int chosen;
    do {
        chosen =
            tuco_select_until(cases, 2, sim_pick(0, 1) ? TUCO_NEVER : passing_soon());
    } while (chosen == -ETIMEDOUT);
    sim_check(chosen >= 0 && cases[chosen].result == 0);
    if ((chosen == 0) == send_first) {
        sim_check(got == -1);
        passing_sent(value);
    } else {
        passing_got(got);
    }
}

static void forward(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        exchange(channels[0], channels[1], true /* send first */);
    }
}

static void backward(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        exchange(channels[1], channels[0], sim_pick(0, 1) == 1);
    }
}

static int select_crossed_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 6);
    channels_begin(2, 0);
    sim_search();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, forward, NULL) == 0);
        sim_check(tuco_wg_go(&all, backward, NULL) == 0);
    }
    tuco_wg_wait(&all);
    channels_end();
    return SIM_RESULT;
}

SIM_SCENARIO(select_crossed, "selects meet over two channels, in opposite directions") {
    sim_begin();
    sim_main_twice(select_crossed_main);
}

/* Both ends of one channel in one select. */
static void both_ends(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        exchange(channels[0], channels[0], sim_pick(0, 1) == 1);
    }
}

static int select_itself_main(void *unused) {
    (void)unused;
    rounds = sim_pick(1, 8);
    channels_begin(1, 0);
    sim_search();
    sim_check(tuco_wg_go(&all, both_ends, NULL) == 0);
    both_ends(NULL);
    tuco_wg_wait(&all);
    channels_end();
    return SIM_RESULT;
}

SIM_SCENARIO(select_itself, "two selects with both ends of one channel meet each other") {
    sim_begin();
    sim_main_twice(select_itself_main);
}

/* Over all channels; a place may be used twice. */
static void send_to_any(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        int value = passing_next();
        tuco_case cases[CHANNELS_MAX];
        for (int k = 0; k < count; k++) {
            cases[k] = (tuco_case)TUCO_SEND(channels[sim_pick(0, count - 1)], &value);
        }
        int chosen = tuco_select(cases, (size_t)count);
        sim_check(chosen >= 0 && chosen < count);
        sim_check(cases[chosen].result == 0 || cases[chosen].result == -EPIPE);
        if (cases[chosen].result == 0) {
            passing_sent(value);
        }
    }
}

static void recv_from_all(void *unused) {
    (void)unused;
    bool open[CHANNELS_MAX] = {true, true, true, true};
    for (int left = count; left > 0;) {
        int values[CHANNELS_MAX] = {-1, -1, -1, -1};
        tuco_case cases[CHANNELS_MAX];
        for (int k = 0; k < count; k++) {
            cases[k] = (tuco_case)TUCO_RECV(open[k] ? channels[k] : NULL, &values[k]);
        }
        int chosen = tuco_select(cases, (size_t)count);
        sim_check(chosen >= 0 && open[chosen]);
        for (int k = 0; k < count; k++) {
            sim_check(k == chosen || values[k] == -1);
        }
        if (cases[chosen].result == 0) {
            passing_got(values[chosen]);
        } else {
            sim_check(cases[chosen].result == -EPIPE && values[chosen] == 0);
            open[chosen] = false;
            left--;
        }
    }
}

/* A plain end: takes values away between a look and a lock. */
static void recv_from_one(void *raw) {
    while (passing_recv(channels[(intptr_t)raw]) == 0) {
        sim_pause_some(3);
    }
}

static int select_close_main(void *unused) {
    (void)unused;
    tuco_wg receivers = {0};
    rounds = sim_pick(1, 6);
    channels_begin(sim_pick(1, CHANNELS_MAX), 2);
    sim_search();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, send_to_any, NULL) == 0);
        sim_check(tuco_wg_go(&receivers, recv_from_all, NULL) == 0);
    }
    void *one = (void *)(intptr_t)sim_pick(0, count - 1);
    sim_check(tuco_wg_go(&receivers, recv_from_one, one) == 0);
    if (sim_pick(0, 1)) {
        tuco_wg_wait(&all); /* or they find the channels closed */
    }
    for (int k = 0; k < count; k++) {
        sim_pause_some(20);
        tuco_chan_close(channels[k]);
    }
    tuco_wg_wait(&all);
    tuco_wg_wait(&receivers);
    channels_end();
    return SIM_RESULT;
}

SIM_SCENARIO(select_close, "selects over several channels, which are closed one by one") {
    sim_begin();
    sim_main_twice(select_close_main);
}

/* One channel is made ready before the other one is emptied: at no moment is none. */
static int looks;

static void look_at_both(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        while (looks <= i) {
            tuco_yield();
        }
        int value = -1;
        tuco_case cases[] = {TUCO_RECV(channels[0], &value),
                             TUCO_RECV(channels[1], &value), TUCO_DEFAULT};
        int chosen = tuco_select(cases, 3);
        sim_check(chosen == 0 || chosen == 1);
        sim_check(value == chosen);
        tuco_wg_done(&all);
    }
}

static int select_default_main(void *unused) {
    (void)unused;
    static const int numbers[] = {0, 1};
    tuco_wg looking = {0};
    rounds = sim_pick(1, 6);
    looks = 0;
    passing_clear();
    count = 2;
    channels[0] = tuco_chan_make(sizeof(int), 1);
    channels[1] = tuco_chan_make(sizeof(int), 1);
    sim_check(channels[0] != NULL && channels[1] != NULL);
    sim_check(tuco_wg_go(&looking, look_at_both, NULL) == 0);
    sim_search();
    for (int i = 0; i < rounds; i++) {
        int full = sim_pick(0, 1);
        tuco_wg_add(&all, 1);
        sim_check(tuco_chan_send(channels[full], &numbers[full]) == 0);
        looks++;
        sim_pause_some(40);
        sim_check(tuco_chan_send(channels[1 - full], &numbers[1 - full]) == 0);
        tuco_chan_try_recv(channels[full], NULL);
        tuco_wg_wait(&all);
        tuco_chan_try_recv(channels[0], NULL);
        tuco_chan_try_recv(channels[1], NULL);
    }
    tuco_wg_wait(&looking);
    channels_end();
    return SIM_RESULT;
}

SIM_SCENARIO(select_default,
             "the default is taken only if all cases block at one moment") {
    sim_begin();
    sim_main_twice(select_default_main);
}

/* All channels, from any place on and in either direction. */
static void fill_in_any_order(tuco_case *cases, tuco_case like) {
    int first = sim_pick(0, count - 1);
    int step = sim_pick(0, 1) ? 1 : count - 1;
    for (int k = 0; k < count; k++) {
        cases[k] = like;
        cases[k].tuco_private_chan = channels[(first + k * step) % count];
    }
    cases[count] = (tuco_case)TUCO_DEFAULT;
}

static void poll_rounds(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        tuco_case cases[CHANNELS_MAX + 1];
        int value = passing_next();
        fill_in_any_order(cases, (tuco_case)TUCO_SEND(NULL, &value));
        if (tuco_select(cases, (size_t)count + 1) < count) {
            passing_sent(value);
        }
        value = -1;
        fill_in_any_order(cases, (tuco_case)TUCO_RECV(NULL, &value));
        if (tuco_select(cases, (size_t)count + 1) < count) {
            passing_got(value);
        }
    }
}

static int select_orders_main(void *unused) {
    (void)unused;
    rounds = sim_pick(2, 10);
    channels_begin(CHANNELS_MAX, sim_pick(0, 1));
    sim_search();
    for (int i = sim_procs(); i > 0; i--) {
        sim_check(tuco_wg_go(&all, poll_rounds, NULL) == 0);
    }
    tuco_wg_wait(&all);
    for (int k = 0; k < count; k++) {
        while (tuco_chan_len(channels[k]) > 0) {
            sim_check(passing_recv(channels[k]) == 0);
        }
    }
    channels_end();
    return SIM_RESULT;
}

SIM_SCENARIO(select_orders, "selects lock the same channels, named in different orders") {
    sim_begin_procs(2, 4);
    sim_main_twice(select_orders_main);
}

static void foreign_forward(void *unused) {
    forward(unused);
    tuco_wg_done(&all);
}

SIM_SCENARIO(select_foreign, "threads and goroutines select against each other") {
    sim_begin();
    rounds = sim_pick(1, 5);
    channels_begin(2, 0);
    sim_check(tuco_start() == 0);
    sim_search();
    int pairs = sim_pick(1, 2);
    tuco_wg_add(&all, pairs);
    sim_threads_start(foreign_forward, pairs);
    for (int i = 0; i < pairs; i++) {
        sim_check(tuco_wg_go(&all, backward, NULL) == 0);
    }
    sim_threads_join(pairs);
    tuco_wg_wait(&all);
    channels_end();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}
