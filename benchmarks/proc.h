/* SPDX-License-Identifier: MIT */
/* The memory and the CPU time of a process, from /proc. */
#ifndef BENCH_PROC_H
#define BENCH_PROC_H

#include <stdint.h>
#include <sys/types.h>

/* A value of /proc/self/status that is given in kB, such as "VmRSS", in bytes. */
double bench_proc_status_bytes(const char *field);

/* Resident memory plus the page tables of the address space. */
double bench_proc_resident_bytes(void);

/* The same for another process. */
double bench_proc_resident_bytes_of(pid_t pid);

/* Resets VmHWM, the peak of VmRSS, to the current value. */
void bench_proc_reset_peak(void);

/* Uses more memory than any case does, page by page, and frees it. A virtual machine
   returns free memory to its host, and using it again is several times as expensive. Every
   process that runs after this finds the same state. */
void bench_proc_touch_memory(void);

/* The number of mappings of this process; the kernel's limit is vm.max_map_count. */
int bench_proc_mappings(void);

/* Sums over the live threads of a process. */
struct bench_cpu_use {
    int threads;
    uint64_t run_ns;
    uint64_t timeslices; /* how often a thread was scheduled on a CPU */
};
struct bench_cpu_use bench_proc_cpu_use(pid_t pid);

#endif
