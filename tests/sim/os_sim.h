/* SPDX-License-Identifier: MIT */
/* What a scenario can configure in the simulated kernel. */
#ifndef SIM_OS_SIM_H
#define SIM_OS_SIM_H

#include <stdbool.h>
#include <stddef.h>

#define OS_SIM_OUTPUT_BYTES 16384

/* The simulated SIGURG: sent by the runtime, and perhaps by the program too. */
#define OS_SIM_URGENT 23

struct sim_thread;

extern struct os_sim {
    /* Set by the scenario, before the runtime starts. */
    int cpus;
    bool membarrier;   /* the kernel supports it */
    const char *debug; /* TUCODEBUG, or NULL */
    /* the runtime must end the process with this text in its report; NULL: it must not end
       the process */
    const char *expected_end;

    void (*on_exit)(void); /* called when the process ends as expected */

    /* called when os_thread_cpu() finds that t uses no CPU time; may be NULL */
    void (*on_found_asleep)(struct sim_thread *t);

    /* Everything written to any descriptor. */
    char output[OS_SIM_OUTPUT_BYTES];
    size_t output_bytes;
} os_sim;

/* The step at the beginning of each system call. */
void os_sim_syscall(void);

#endif
