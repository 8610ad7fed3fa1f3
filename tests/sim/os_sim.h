/* SPDX-License-Identifier: MIT */
/* What a scenario can set of the simulated kernel. */
#ifndef SIM_OS_SIM_H
#define SIM_OS_SIM_H

#include <stdbool.h>
#include <stddef.h>

#define OS_SIM_OUTPUT_BYTES 16384

/* What the machine knows SIGURG by: the runtime's own, and the program may send it too. */
#define OS_SIM_URGENT 23

struct sim_thread;

extern struct os_sim {
    /* Set by the scenario, before the runtime starts. */
    int cpus;
    bool membarrier;   /* the kernel has it */
    const char *debug; /* TUCODEBUG, or NULL */
    /* the runtime is to end the process with these words in its report; NULL: it must
       not */
    const char *expected_end;

    void (*on_exit)(void); /* the process ends as expected */

    /* the kernel has told that the thread is asleep; NULL: nobody cares */
    void (*on_found_asleep)(struct sim_thread *t);

    /* All that was written to any descriptor. */
    char output[OS_SIM_OUTPUT_BYTES];
    size_t output_bytes;
} os_sim;

/* The step of a call to the kernel, at its beginning. */
void os_sim_syscall(void);

#endif
