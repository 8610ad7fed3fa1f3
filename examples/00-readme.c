/* SPDX-License-Identifier: MIT */
/* The program of README.md: four goroutines, and one that waits for them. */
#include <stdio.h>
#include <tuco.h>

static void square(void *arg) {
    long *n = arg;
    *n *= *n;
}

static int squares(void *arg) {
    (void)arg;
    long n[] = {1, 2, 3, 4};
    tuco_wg all = {0};
    for (int i = 0; i < 4; i++) {
        if (tuco_wg_go(&all, square, &n[i]) != 0) {
            square(&n[i]); /* no memory for a goroutine: the same without one */
        }
    }
    tuco_wg_wait(&all);
    printf("%ld %ld %ld %ld\n", n[0], n[1], n[2], n[3]);
    return 0;
}

int main(void) {
    return tuco_run(squares, NULL) == 0 ? 0 : 1;
}
