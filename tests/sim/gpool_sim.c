/* SPDX-License-Identifier: MIT */
/* The pool of descriptors is the real one: the same source, that it may define what
   others have as macros. */
#define SIM_GPOOL_PLAIN
#include "mem/gpool.c"
