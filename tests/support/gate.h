/* SPDX-License-Identifier: MIT */
/* gate.h: goroutines and threads that wait until the test opens a gate. */
#ifndef TEST_GATE_H
#define TEST_GATE_H

#include "test.h"

/* Its counter is the test's: 1 while the gate is closed. */
static tuco_wg gate;

/* 1: a goroutine or thread is about to wait, or waits. */
static atomic_int gate_reached;

static void gate_wait(void *arg) {
    (void)arg;
    atomic_store(&gate_reached, 1);
    tuco_wg_wait(&gate);
}

#endif
