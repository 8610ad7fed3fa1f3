/* SPDX-License-Identifier: MIT */
/* stop.h: SIGINT and SIGTERM, the requests to stop, as a handle to read from. */
#ifndef EXAMPLE_STOP_H
#define EXAMPLE_STOP_H

#include <tuco.h>

/* Blocks the two signals in the calling thread, and returns a handle that receives them
   instead. Must be called before tuco_run(): the threads of the runtime inherit the mask,
   so that the signals interrupt none of them. Returns NULL if there is no descriptor or
   memory. */
tuco_fd *stop_open(void);

/* Waits for the next of the signals. Returns its number, or an error: -ETIMEDOUT at the
   deadline of the handle, -ECANCELED or -EBADF once it is closed. */
int stop_wait(tuco_fd *signals);

#endif
