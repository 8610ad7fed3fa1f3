/* SPDX-License-Identifier: MIT */
/* ran.h: a goroutine that records that it has run. */
#ifndef TEST_RAN_H
#define TEST_RAN_H

#include "test.h"

static atomic_int ran;

static void ran_set(void *arg) {
    (void)arg;
    atomic_store(&ran, 1);
}

#endif
