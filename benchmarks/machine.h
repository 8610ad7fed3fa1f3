/* SPDX-License-Identifier: MIT */
/* Facts about the machine and the build, without which figures cannot be compared. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdio.h>

/* Writes one JSON object without a newline. Unavailable facts are "unknown". */
void bench_machine_json(FILE *out);

#endif
