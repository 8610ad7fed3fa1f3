/* SPDX-License-Identifier: MIT */
/* Values that pass through channels, each of which is to arrive once. */
#ifndef SIM_SCENARIOS_PASSING_H
#define SIM_SCENARIOS_PASSING_H

#include "scenario.h"

#include <errno.h>

#define PASSING_MAX 512

void passing_clear(void);

/* Returns a value that no other call returns. */
int passing_next(void);

/* The send of that value was a success; it was received. */
void passing_sent(int value);
void passing_got(int value);

/* What was sent has been received once, and nothing else. */
void passing_check(void);

/* Sends a new value by any form, until it is sent or the channel closed: 0 or -EPIPE. */
int passing_send(tuco_chan *c);

/* Receives by any form: 0 or -EPIPE. */
int passing_recv(tuco_chan *c);

/* A deadline that is past, or comes soon. */
tuco_time passing_soon(void);

#endif
