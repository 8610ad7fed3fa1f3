/* SPDX-License-Identifier: MIT */
/* A user program that runs ten goroutines and compares versions. */
#include <stdio.h>
#include <string.h>
#include <tuco.h>

enum { WORKERS = 10 };

static void count_one(void *arg) {
    int *slot = arg;
    *slot = 1;
}

static int main_goroutine(void *arg) {
    int *slots = arg;
    tuco_wg wg = {0};
    for (int i = 0; i < WORKERS; i++) {
        if (tuco_wg_go(&wg, count_one, &slots[i]) != 0) {
            return 1;
        }
    }
    tuco_wg_wait(&wg);
    return 0;
}

int main(void) {
    int slots[WORKERS] = {0};
    int status = tuco_run(main_goroutine, slots);
    if (status != 0) {
        fprintf(stderr, "consumer: tuco_run returned %d\n", status);
        return 1;
    }
    int sum = 0;
    for (int i = 0; i < WORKERS; i++) {
        sum += slots[i];
    }
    if (sum != WORKERS) {
        fprintf(stderr, "consumer: %d of %d goroutines ran\n", sum, WORKERS);
        return 1;
    }
    if (strcmp(tuco_version(), TUCO_VERSION_STRING) != 0) {
        fprintf(stderr, "consumer: the library is %s, the headers are %s\n",
                tuco_version(), TUCO_VERSION_STRING);
        return 1;
    }
    printf("tuco %s: %d goroutines\n", tuco_version(), sum);
    return 0;
}
