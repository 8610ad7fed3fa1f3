/* SPDX-License-Identifier: MIT */
/* What the kernel says in /proc about the memory and the CPU time of a process. */
#ifndef BENCH_PROC_H
#define BENCH_PROC_H

#include <stdint.h>
#include <sys/types.h>

/* The value of a line of /proc/self/status that is in kB, such as "VmRSS", in bytes. */
double bench_proc_status_bytes(const char *field);

/* Resident memory together with the page tables that describe the address space. */
double bench_proc_resident_bytes(void);

/* The same of another process. */
double bench_proc_resident_bytes_of(pid_t pid);

/* Makes VmHWM, the peak of VmRSS, start again from the present value. */
void bench_proc_reset_peak(void);

/* Uses more memory than any case does, page by page, and gives it back. A virtual machine
   returns free memory to its host and pays for it several times over when it is used
   again: whoever runs after this finds the same state as everybody else. */
void bench_proc_touch_memory(void);

/* How many mappings this process has; the kernel limits them to vm.max_map_count. */
int bench_proc_mappings(void);

/* Sums over the living threads of a process. */
struct bench_cpu_use {
    int threads;
    uint64_t run_ns;
    uint64_t timeslices; /* how often a thread was given a CPU */
};
struct bench_cpu_use bench_proc_cpu_use(pid_t pid);

#endif
