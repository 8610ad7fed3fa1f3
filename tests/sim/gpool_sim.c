/* SPDX-License-Identifier: MIT */
/* The real pool of descriptors, compiled without the macros that other files see. */
#define SIM_GPOOL_PLAIN
#include "mem/gpool.c"
