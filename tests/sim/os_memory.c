/* SPDX-License-Identifier: MIT */
/* The real kernel's memory calls, compiled without the macros that other files see. */
#define SIM_OS_PLAIN
#include "os/linux_memory.c"
