/* SPDX-License-Identifier: MIT */
/* stop.h: how a program learns that it is to end: SIGINT and SIGTERM, as something to
   read. */
#ifndef EXAMPLE_STOP_H
#define EXAMPLE_STOP_H

#include <tuco.h>

/* Blocks the two signals in the calling thread, and returns a handle from which they are
   read instead. To be called before tuco_run(): the threads of the runtime inherit what
   is blocked, so that none of them is interrupted. NULL: there is no descriptor or
   memory. */
tuco_fd *stop_open(void);

/* Waits for the next of the signals. Returns its number, or an error: -ETIMEDOUT at the
   deadline of the handle, -ECANCELED or -EBADF once it is closed. */
int stop_wait(tuco_fd *signals);

#endif
