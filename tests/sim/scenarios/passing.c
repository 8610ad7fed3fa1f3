/* SPDX-License-Identifier: MIT */
/* Values that pass through channels, each of which is to arrive once. */
#include "passing.h"

#include <string.h>

#define SOON_MAX_NS 4000

static struct {
    int made;
    int sent[PASSING_MAX];
    int got[PASSING_MAX];
} passing;

void passing_clear(void) {
    memset(&passing, 0, sizeof passing);
}

int passing_next(void) {
    sim_check(passing.made < PASSING_MAX);
    return passing.made++;
}

void passing_sent(int value) {
    passing.sent[value]++;
}

void passing_got(int value) {
    sim_check(value >= 0 && value < passing.made);
    sim_check(++passing.got[value] == 1);
}

void passing_check(void) {
    for (int i = 0; i < passing.made; i++) {
        sim_check(passing.sent[i] == passing.got[i]);
    }
}

tuco_time passing_soon(void) {
    return sim_pick(0, 3) == 3 ? 0 : tuco_deadline(sim_pick(0, SOON_MAX_NS));
}

/* One of several cases; the others cannot be. */
static int select_among_nothing(tuco_case one, tuco_time deadline) {
    tuco_case cases[3] = {TUCO_RECV(NULL, NULL), TUCO_RECV(NULL, NULL),
                          TUCO_SEND(NULL, NULL)};
    int count = sim_pick(1, 3);
    int at = sim_pick(0, count - 1);
    cases[at] = one;
    int chosen = tuco_select_until(cases, (size_t)count, deadline);
    if (chosen == -ETIMEDOUT) {
        return chosen;
    }
    sim_check(chosen == at);
    return cases[at].result;
}

static int send_once(tuco_chan *c, int *value) {
    switch (sim_pick(0, 4)) {
    case 0: return tuco_chan_send_until(c, value, passing_soon());
    case 1: return tuco_chan_try_send(c, value);
    case 2: return select_among_nothing((tuco_case)TUCO_SEND(c, value), passing_soon());
    case 3: return select_among_nothing((tuco_case)TUCO_SEND(c, value), TUCO_NEVER);
    default: return tuco_chan_send(c, value);
    }
}

static int recv_once(tuco_chan *c, int *value) {
    switch (sim_pick(0, 4)) {
    case 0: return tuco_chan_recv_until(c, value, passing_soon());
    case 1: return tuco_chan_try_recv(c, value);
    case 2: return select_among_nothing((tuco_case)TUCO_RECV(c, value), passing_soon());
    case 3: return select_among_nothing((tuco_case)TUCO_RECV(c, value), TUCO_NEVER);
    default: return tuco_chan_recv(c, value);
    }
}

/* Ends a loop that would never let another goroutine have its turn. */
static bool is_late(int result) {
    if (result == -EAGAIN) {
        tuco_yield();
    }
    return result == -EAGAIN || result == -ETIMEDOUT;
}

int passing_send(tuco_chan *c) {
    int value = passing_next();
    int result;
    do {
        int copy = value;
        result = send_once(c, &copy);
        sim_check(copy == value);
        /* where it was is used for something else as soon as the call is over */
        copy = -1;
    } while (is_late(result));
    sim_check(result == 0 || result == -EPIPE);
    if (result == 0) {
        passing_sent(value);
    }
    return result;
}

int passing_recv(tuco_chan *c) {
    int value;
    int result;
    do {
        value = -1;
        result = recv_once(c, &value);
        sim_check(!is_late(result) || value == -1);
    } while (result == -EAGAIN || result == -ETIMEDOUT);
    sim_check(result == 0 || (result == -EPIPE && value == 0));
    if (result == 0) {
        passing_got(value);
    }
    return result;
}
