/* SPDX-License-Identifier: MIT */
/* The simulated kernel's memory is the real one's: the same source, that it may define
   what others have as macros. */
#define SIM_OS_PLAIN
#include "os/linux_memory.c"
