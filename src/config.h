/* SPDX-License-Identifier: MIT */
/* The settings of the runtime: defaults, tuco_config, the environment. */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "base/compiler.h"
#include "mem/stack.h"
#include <stdbool.h>
#include <stddef.h>
#include <tuco/go.h>

/* Room for the value of TUCOTOPOLOGY or TUCOCGROUP and its terminating zero. */
#define RT_CONFIG_PATH_BYTES 256

/* The keys of TUCODEBUG. Guarded as struct rt_config is. */
struct rt_debug {
    int schedtrace_ms; /* 0: no trace */
    bool migrate;
    bool deadlock;
    bool plain_fence;
    bool asyncpreempt_off;
    bool mutexcheck;
    bool stack_check;
    bool crash;
    bool container_procs;
    bool update_procs;
    int preempt_max; /* at least 1 */
};

/* One value for each row of options.def, which explains them. Written by rt_config_load()
   only, while the runtime is stopped; then immutable. */
struct rt_config {
    int procs;          /* 1 to RT_PROCS_MAX */
    bool procs_chosen;  /* false: not set; the number follows CPUs and quota */
    size_t stack_bytes; /* a power of two */
    int max_threads;    /* at least 1 */
    tuco_time slice_ns; /* above 0 */
    enum rt_stack_guard guard;
    bool guard_chosen; /* false: not set; the runtime takes what the kernel supports */
    char topology_dir[RT_CONFIG_PATH_BYTES]; /* "": the machine's own topology */
    char cgroup_root[RT_CONFIG_PATH_BYTES];  /* "": the system's / */
    struct rt_debug debug;
};

/* Returns 0, or -EINVAL after printing a line to standard error for each field out of
   range. */
int rt_config_check(const tuco_config *user) RT_NODISCARD;

/* Fills *out from the defaults, then *user, then the environment, each overriding the one
   before. Returns -EINVAL after printing a line to standard error for each bad field and
   variable; then *out is unchanged. */
int rt_config_load(struct rt_config *out, const tuco_config *user) RT_NODISCARD;

#endif
