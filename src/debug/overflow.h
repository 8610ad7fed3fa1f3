/* SPDX-License-Identifier: MIT */
/* Detects stack overflows, reports them and ends the process. */
#ifndef RT_DEBUG_OVERFLOW_H
#define RT_DEBUG_OVERFLOW_H

#include "base/compiler.h"

struct rt_g;
struct rt_m;

/* Installs, and removes, the handler for faults on guards. */
int rt_overflow_watch(void) RT_NODISCARD;
void rt_overflow_unwatch(void);

/* g leaves m with a stack pointer below its stack: a frame was so large that it skipped
   the guard. Returns only with TUCODEBUG=stackcheck=0. */
RT_COLD void rt_overflow_at_switch(struct rt_m *m, struct rt_g *g, char *sp);

#endif
