/* SPDX-License-Identifier: MIT */
/* The facts about the machine and the build without which a figure cannot be compared. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdio.h>

/* Writes one JSON object, no line end. What the system does not tell is "unknown". */
void bench_machine_json(FILE *out);

#endif
