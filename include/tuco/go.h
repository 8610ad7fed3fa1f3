/* SPDX-License-Identifier: MIT */
/* tuco/go.h: the runtime and its goroutines. */
#ifndef TUCO_GO_H
#define TUCO_GO_H

#include <stddef.h>
#include <stdint.h>
#include <tuco/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a goroutine runs. Returning from it ends the goroutine. */
typedef void tuco_fn(void *arg);

/* The settings of the runtime. A zeroed struct asks for every default. The environment
   variable named beside a field, where there is one, overrides the field. */
typedef struct tuco_config {
    /* TUCOPROCS: goroutines that run at the same time, 1 to 1024; 0: as many as the CPUs
       that the process may use, or fewer if the CPU quota of its control group is less;
       then it follows changes, see tuco_procs_auto() */
    int procs;
    /* TUCOSTACK: bytes reserved for each goroutine's stack; 0: 262144 (256 KiB) */
    size_t stack_size;
    /* threads that run goroutines, the caller of tuco_run() included; 0: 10000 */
    int max_threads;
    /* how long a goroutine, or several that wake one another, may keep the others
       waiting; 0: 10 ms */
    tuco_time slice;
} tuco_config;

/* Sets what the next tuco_run() or tuco_start() uses. The struct is copied; NULL asks for
   the defaults. Returns -EBUSY while the runtime is running and -EINVAL for a value out
   of range, and then changes nothing. */
TUCO_API int tuco_configure(const tuco_config *config);

/* Starts the runtime, runs main_fn(arg) as goroutine 1 beginning on the calling thread,
   and returns what it returned. Goroutines that are still alive at that moment run no
   more: one that is running stops when it next blocks or yields, and is given a moment to
   come to that or to its end. If none was left behind, every thread is joined and all
   memory is freed, and tuco_run() can be called again; otherwise a later call returns
   -EBUSY. If the calling thread computes, or is in a system call, for another goroutine
   when main_fn returns elsewhere, tuco_run() returns when that one comes to its end, or to
   a call of this library that waits or yields; a main_fn that calls tuco_lock_thread()
   first never returns elsewhere. Returns -EBUSY if the runtime is already running, -EINVAL
   for a bad setting or environment variable (a message on standard error names it),
   -ENOMEM or -EAGAIN if memory or threads cannot be had, -EPERM if the process may not
   handle signals. The result of main_fn is returned unchanged, so let it be non-negative
   where the difference matters. */
TUCO_API int tuco_run(int (*main_fn)(void *), void *arg);

/* Starts the runtime in the background; the caller stays a plain thread. Returns as
   tuco_run() does. */
TUCO_API int tuco_start(void);

/* Waits until every goroutine has ended, then joins every thread and frees all that
   tuco_start() and the goroutines took. Returns -ETIMEDOUT if the deadline passes first,
   and then everything works as before; -EINVAL if tuco_start() was not called; -EDEADLK
   when called from a goroutine, which would wait for itself; -EBUSY while another thread
   is in tuco_stop(), tuco_run(), tuco_start() or tuco_configure(). Other threads that
   wait for one another in calls of this library are not waited for, and go on waiting. */
TUCO_API int tuco_stop(tuco_time deadline);

/* Starts a goroutine that runs fn(arg). Never blocks. Returns -ENOMEM if no memory is
   left and -ESRCH if the runtime is not running. A NULL fn is misuse. */
TUCO_API int tuco_go(tuco_fn *fn, void *arg);

/* Starts a goroutine that owns a copy of the size bytes at arg, kept on its stack until
   fn returns and aligned for any type: fn gets the address of the copy, and *arg may
   change as soon as the call returns. Returns as tuco_go() does, and -EINVAL if size is
   more than half of the stack size. */
TUCO_API int tuco_go_copy(tuco_fn *fn, const void *arg, size_t size);

/* How a goroutine differs from the default. Zeroed fields mean the default. */
typedef struct tuco_attr {
    /* shown in reports; copied, at most TUCO_NAME_MAX bytes; NULL: none */
    const char *name;
    /* bytes reserved for the stack, rounded up to a power of two; 0: the configured
       size */
    size_t stack_size;
} tuco_attr;

/* The longest name of a goroutine, not counting the terminating zero. */
#define TUCO_NAME_MAX 31

/* Starts a goroutine as attr says; a NULL attr means tuco_go(). Returns as tuco_go()
   does, -ENAMETOOLONG for a longer name, and -EINVAL for a stack size that cannot be had
   (below 16 KiB or above 64 GiB). */
TUCO_API int tuco_go_attr(const tuco_attr *attr, tuco_fn *fn, void *arg);

/* Lets other goroutines run: the caller goes to the end of a queue. Returns at once if
   nothing else is waiting. On a foreign thread it yields the thread. */
TUCO_API void tuco_yield(void);

/* Not for programs: how many goroutines have been asked to give way and have not yet, and
   the yield of one of them. */
TUCO_API extern unsigned tuco_private_checkpoint_wanted;
TUCO_API void tuco_private_checkpoint_slow(void);

/* For loops that compute for long: one load and a branch, and a yield if the runtime has
   asked the goroutine to give way, because others have been waiting for longer than the
   time slice. Loops without it are interrupted by a signal, which costs some tens of
   microseconds and a thread that waits. Nothing on a foreign thread. */
static inline void tuco_checkpoint(void) {
    if (__builtin_expect(
            __atomic_load_n(&tuco_private_checkpoint_wanted, __ATOMIC_RELAXED) != 0, 0)) {
        tuco_private_checkpoint_slow();
    }
}

/* Between the two calls the goroutine is not interrupted in favour of others: it keeps its
   processor until it blocks, yields or comes to tuco_preempt_on(). Nests; goes with the
   goroutine. For a section whose time matters, not for exclusion: other goroutines run at
   the same time. One that sleeps in the kernel loses its processor all the same. Switching
   it on more often than off is misuse. Nothing on a foreign thread. */
TUCO_API void tuco_preempt_off(void);
TUCO_API void tuco_preempt_on(void);

/* Wires the calling goroutine to its thread: until it has called tuco_unlock_thread() as
   often, it runs on no other thread, and no other goroutine runs on this one. For
   libraries that keep their state in the thread, and for system calls that change it. If
   it ends while it is wired, its thread ends with it; the thread that called tuco_run()
   sleeps instead until the runtime ends. Threads are not started from a wired one, so
   that they do not inherit what it may have changed. Unlocking too often does nothing.
   Nothing on a foreign thread. */
TUCO_API void tuco_lock_thread(void);
TUCO_API void tuco_unlock_thread(void);

/* Around a call that may block the thread, read() on a file say: if it lasts, others run
   on other threads meanwhile. Costs a few nanoseconds if it does not. Nests; goes with the
   goroutine. Without this, a call that blocks is noticed as well, only later, after some
   milliseconds. The thread gets no signal either way. When the call is over the goroutine
   may have to wait for its turn, and may then go on on another thread. tuco_blocking()
   returns fn(arg), called between the two. Leaving more often than entering is misuse.
   Nothing on a foreign thread. */
TUCO_API void tuco_blocking_enter(void);
TUCO_API void tuco_blocking_exit(void);
TUCO_API intptr_t tuco_blocking(intptr_t (*fn)(void *), void *arg);

/* Sets how many goroutines run at the same time, 1 to 1024, and returns the number from
   before; n < 1 only asks. More than 1024 count as 1024. Nobody is stopped for it: with
   fewer, each goroutine that runs on one too many goes on until it blocks, or until its
   time slice is over. From now on the number stays, whatever becomes of CPUs and quotas.
   Returns 0 and does nothing while the runtime is not running. */
TUCO_API int tuco_procs(int n);

/* Sets the number to what it is by default, the CPUs that the process may use or the CPU
   quota of its control group, rounded up and not below 2, whichever is less, and has it
   follow changes of both from now on. Returns the new number; 0 while the runtime is not
   running. */
TUCO_API int tuco_procs_auto(void);

/* Sets how many threads there may be that run goroutines, and returns the number from
   before; n < 1 only asks. The number that there are at the moment is the least. At the
   limit, if no thread is free, a processor that has no thread yet gets none. But if
   goroutines wait for a second for one whose thread has given it up, because its goroutine
   is wired, or sleeps in the kernel with it, the program ends with a report of thread
   exhaustion. The next start of the runtime begins with the configured number again. */
TUCO_API int tuco_set_max_threads(int n);

/* Ends the calling goroutine after running its deferred calls. Others go on. When called
   by the main goroutine, tuco_run() does not return until the others have ended, and then
   the process ends with the report that there are no goroutines left. Misuse on a foreign
   thread. */
TUCO_API TUCO_NORETURN void tuco_exit(void);

/* Registers fn(arg) to be called when the calling goroutine ends, whether by returning or
   by tuco_exit(), the last registered first. A deferred call may block, and may defer
   further calls. Returns -ENOMEM if no memory is left (fn will then not be called) and
   -EPERM on a foreign thread. */
TUCO_API int tuco_defer(tuco_fn *fn, void *arg);

/* Returns the number of the calling goroutine: 1 is the main goroutine, and no number is
   used twice while the runtime runs. Returns 0 on a foreign thread. */
TUCO_API uint64_t tuco_id(void);

/* Returns how many goroutines are alive. The runtime's own helpers are not goroutines.
   While others start and end goroutines the number is already old when it is returned. */
TUCO_API size_t tuco_count(void);

/* Returns how many CPUs the process may run on. Never less than 1. */
TUCO_API int tuco_cpus(void);

/* Names the calling goroutine for reports; NULL takes the name away. Returns
   -ENAMETOOLONG above TUCO_NAME_MAX bytes and -EPERM on a foreign thread, and then leaves
   the old name. */
TUCO_API int tuco_set_name(const char *name);

/* A foreign thread that will call into the library later, and could then wake a
   goroutine, announces itself: between the two calls the report that all goroutines are
   asleep is held back. Nests; leaving more often than entering is misuse. A thread that
   is inside a call of this library and does not wait there, and a runtime started by
   tuco_start(), hold it back without this. */
TUCO_API void tuco_foreign_enter(void);
TUCO_API void tuco_foreign_exit(void);

#ifdef __cplusplus
}
#endif

#endif
