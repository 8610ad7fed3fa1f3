/* SPDX-License-Identifier: MIT */
/* What the runtime starts with: defaults, the program's settings, the environment's. */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "base/compiler.h"
#include "mem/stack.h"
#include <stdbool.h>
#include <stddef.h>
#include <tuco/go.h>

/* Room for the value of TUCOTOPOLOGY or TUCOCGROUP and its terminating zero. */
#define RT_CONFIG_PATH_BYTES 256

/* The keys of TUCODEBUG. */
struct rt_debug {
    int schedtrace_ms; /* 0: no lines */
    bool migrate;
    bool plain_fence;
    bool asyncpreempt_off;
    bool mutexcheck;
    bool container_procs;
    bool update_procs;
    int preempt_max; /* at least 1 */
};

/* One value for each row of options.def, which says what they mean. Only rt_config_load()
   writes them. */
struct rt_config {
    int procs;          /* 1 to RT_PROCS_MAX */
    bool procs_chosen;  /* false: nobody has, and the number is to follow the system */
    size_t stack_bytes; /* a power of two */
    int max_threads;    /* at least 1 */
    tuco_time slice_ns; /* above 0 */
    enum rt_stack_guard guard;
    bool guard_chosen; /* false: guard says nothing, the kernel decides */
    char topology_dir[RT_CONFIG_PATH_BYTES]; /* "": what the system says of itself */
    char cgroup_root[RT_CONFIG_PATH_BYTES];  /* "": the system itself */
    struct rt_debug debug;
};

/* Returns 0, or -EINVAL after a line on standard error for each field out of range. */
int rt_config_check(const tuco_config *user) RT_NODISCARD;

/* Fills *out from the defaults, then *user, then the environment, each over the one
   before. Returns -EINVAL after a line on standard error for each field and each variable
   that is bad, and then leaves *out as it was. */
int rt_config_load(struct rt_config *out, const tuco_config *user) RT_NODISCARD;

#endif
