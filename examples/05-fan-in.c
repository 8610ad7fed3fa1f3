/* SPDX-License-Identifier: MIT */
/* Three pipelines of two stages each, and a select that receives from whichever is
   ready. */
#include <errno.h>
#include <stdio.h>
#include <tuco.h>

enum { PIPELINES = 3, NUMBERS = 1000, WAITING_MAX = 16 };

TUCO_CHAN(number, long);

struct pipeline {
    long first;
    number_chan *numbers; /* from count() to square() */
    number_chan *squares; /* from square() to main */
};

/* The first stage: sends COUNT numbers, and then closes its channel. */
static void count(void *arg) {
    struct pipeline *p = arg;
    for (long i = 0; i < NUMBERS; i++) {
        number_send(p->numbers, p->first + i);
    }
    number_close(p->numbers);
}

/* The second stage passes the end on. */
static void square(void *arg) {
    struct pipeline *p = arg;
    long n;
    while (number_recv(p->numbers, &n) == 0) {
        number_send(p->squares, n * n);
    }
    number_close(p->squares);
}

/* Adds up the squares of each pipeline, until all are closed. */
static void fan_in(struct pipeline *pipelines, long *sums) {
    tuco_case cases[PIPELINES];
    long n;
    for (int i = 0; i < PIPELINES; i++) {
        cases[i] = (tuco_case)TUCO_RECV(pipelines[i].squares, &n);
    }
    for (int left = PIPELINES; left > 0;) {
        int chosen = tuco_select(cases, PIPELINES);
        if (cases[chosen].result == 0) {
            sums[chosen] += n;
        } else {
            /* A closed channel is always ready; a NULL channel never is. */
            cases[chosen] = (tuco_case)TUCO_RECV(NULL, NULL);
            left--;
        }
    }
}

/* Makes the channels of a pipeline and starts its stages. Returns 0 or a negative error
   number. */
static int start(struct pipeline *p, long first, tuco_wg *stages) {
    p->first = first;
    p->numbers = number_make(0);
    p->squares = number_make(WAITING_MAX);
    if (p->numbers == NULL || p->squares == NULL) {
        return -ENOMEM;
    }
    int error = tuco_wg_go(stages, count, p);
    return error != 0 ? error : tuco_wg_go(stages, square, p);
}

static int main_goroutine(void *arg) {
    (void)arg;
    static struct pipeline pipelines[PIPELINES];
    long sums[PIPELINES] = {0};
    tuco_wg stages = {0};
    for (int i = 0; i < PIPELINES; i++) {
        int error = start(&pipelines[i], (long)i * NUMBERS, &stages);
        if (error != 0) {
            return error; /* when main returns, no goroutine runs any more */
        }
    }
    fan_in(pipelines, sums);
    tuco_wg_wait(&stages); /* the last close may not have returned yet */
    for (int i = 0; i < PIPELINES; i++) {
        printf("pipeline %d: %ld\n", i, sums[i]);
        number_unref(pipelines[i].numbers);
        number_unref(pipelines[i].squares);
    }
    return 0;
}

int main(void) {
    int result = tuco_run(main_goroutine, NULL);
    if (result < 0) {
        fprintf(stderr, "05-fan-in: error %d\n", -result);
        return 1;
    }
    return 0;
}
