/* SPDX-License-Identifier: MIT */
/* A user program with a frame larger than the stack, in a goroutine that never waits: only
   code from the compiler can touch the guard. */
#include <tuco.h>

#define FRAME_BYTES ((size_t)300 * 1024)

static void touch(volatile char *p) {
    *p = 1;
}

static int main_goroutine(void *arg) {
    char frame[FRAME_BYTES];
    touch(&frame[FRAME_BYTES - 1]);
    (void)arg;
    return 0;
}

int main(void) {
    return tuco_run(main_goroutine, 0);
}
