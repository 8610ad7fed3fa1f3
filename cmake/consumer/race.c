/* SPDX-License-Identifier: MIT */
/* A user program with a race: two goroutines count without a lock, but never at the same
   time if there is one processor. */
#include <tuco.h>

static int count;

static void count_up(void *arg) {
    (void)arg;
    for (int i = 0; i < 3; i++) {
        count++;
        tuco_yield();
    }
}

static int main_goroutine(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    for (int i = 0; i < 2; i++) {
        if (tuco_wg_go(&wg, count_up, NULL) != 0) {
            return 1;
        }
    }
    tuco_wg_wait(&wg);
    return 0;
}

int main(void) {
    return tuco_run(main_goroutine, NULL);
}
