/* SPDX-License-Identifier: MIT */
/* A user program in which a goroutine holds memory while it waits, which is no leak. With
   an argument another goroutine loses memory, which is a leak. */
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <tuco.h>

/* Where only the goroutine's stack has the address. */
static void hold(void *arg) {
    char *volatile held = malloc(1000);
    *held = 1;
    tuco_chan_recv(arg, NULL);
    free(held);
}

static void lose(void *arg) {
    char *volatile lost = malloc(100);
    (void)arg;
    *lost = 1;
    lost = NULL;
}

static int main_goroutine(void *arg) {
    tuco_wg wg = {0};
    tuco_chan *c = tuco_chan_make(0, 0);
    if (tuco_wg_go(&wg, hold, c) != 0) {
        return 1;
    }
    tuco_sleep(10 * 1000000);
    if (__lsan_do_recoverable_leak_check() != 0) {
        fprintf(stderr, "what a waiting goroutine holds is called a leak\n");
        return 1;
    }
    tuco_chan_close(c);
    tuco_wg_wait(&wg);
    tuco_chan_unref(c);
    if (arg != NULL && tuco_wg_go(&wg, lose, NULL) != 0) {
        return 1;
    }
    tuco_wg_wait(&wg);
    return 0;
}

int main(int argc, char **argv) {
    return tuco_run(main_goroutine, argc > 1 ? argv[1] : NULL);
}
