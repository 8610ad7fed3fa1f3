/* SPDX-License-Identifier: MIT */
/* A program of plain threads that give work to goroutines and wait for it. */
#include <pthread.h>
#include <stdio.h>
#include <tuco.h>

enum { THREADS = 4, PIECES = 100, NUMBERS_PER_PIECE = 1000 };

struct piece {
    long first;
    long sum;
};

struct worker {
    pthread_t thread;
    int number;
    int error;
    long sum;
};

/* A goroutine: adds up the numbers of one piece. */
static void add_up(void *arg) {
    struct piece *piece = arg;
    for (long i = 0; i < NUMBERS_PER_PIECE; i++) {
        piece->sum += piece->first + i;
    }
}

/* A thread: it starts goroutines as a goroutine would; its wait blocks only it. */
static void *worker_thread(void *arg) {
    struct worker *worker = arg;
    struct piece pieces[PIECES] = {{0}};
    tuco_wg all = {0};

    for (int i = 0; i < PIECES && worker->error == 0; i++) {
        pieces[i].first = ((long)worker->number * PIECES + i) * NUMBERS_PER_PIECE;
        worker->error = tuco_wg_go(&all, add_up, &pieces[i]);
    }
    tuco_wg_wait(&all);
    for (int i = 0; i < PIECES; i++) {
        worker->sum += pieces[i].sum;
    }
    return NULL;
}

/* Returns 0 when every thread has done its work. */
static int run_workers(void) {
    struct worker workers[THREADS] = {{0}};
    int started = 0;
    int error = 0;
    while (started < THREADS) {
        struct worker *worker = &workers[started];
        worker->number = started;
        error = -pthread_create(&worker->thread, NULL, worker_thread, worker);
        if (error != 0) {
            break;
        }
        started++;
    }
    long total = 0;
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        error = error != 0 ? error : workers[i].error;
        printf("thread %d: %ld\n", i, workers[i].sum);
        total += workers[i].sum;
    }
    printf("together: %ld\n", total);
    return error;
}

int main(void) {
    int error = tuco_start();
    if (error == 0) {
        error = run_workers();
        int stopped = tuco_stop(tuco_deadline(10 * TUCO_SECOND));
        error = error != 0 ? error : stopped;
    }
    if (error != 0) {
        fprintf(stderr, "02-foreign-threads: error %d\n", -error);
        return 1;
    }
    puts("the runtime has stopped");
    return 0;
}
