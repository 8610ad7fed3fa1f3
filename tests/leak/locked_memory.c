/* SPDX-License-Identifier: MIT */
/* Runs goroutines in a process that locks its memory, for valgrind to look at. */
#include <sys/mman.h>
#include <tuco.h>

#define GOROUTINES 10
#define SKIPPED    77

static void end_at_once(void *arg) {
    (void)arg;
}

static int run_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    for (int i = 0; i < GOROUTINES; i++) {
        if (tuco_wg_go(&wg, end_at_once, NULL) != 0) {
            return 1;
        }
    }
    tuco_wg_wait(&wg);
    return 0;
}

int main(void) {
    return mlockall(MCL_FUTURE) != 0 ? SKIPPED : tuco_run(run_main, NULL);
}
