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

/* The function of a goroutine. The goroutine ends when it returns. */
typedef void tuco_fn(void *arg);

/* The settings of the runtime. A field that is zero means its default. An environment
   variable named at a field overrides the field. */
typedef struct tuco_config {
    /* TUCOPROCS: how many goroutines run at the same time, 1 to 1024. Default: the CPUs
       that the process may use, or the CPU quota of its control group if that is less;
       the number then follows changes of both, see tuco_procs_auto(). */
    int procs;
    /* TUCOSTACK: bytes reserved for each goroutine's stack. Default: 262144 (256 KiB). */
    size_t stack_size;
    /* Limit of threads that run goroutines, including the caller of tuco_run(). Default:
       10000. */
    int max_threads;
    /* How long a goroutine, or a chain of goroutines that wake each other, runs while
       others wait. Default: 10 ms. */
    tuco_duration slice;
    /* Must be zero. */
    uint64_t reserved[4];
} tuco_config;

/* Sets the configuration of the next tuco_run() or tuco_start(). The struct is copied;
   NULL restores the defaults. Returns -EBUSY while the runtime is running and -EINVAL for
   a value out of range; the configuration is then unchanged. */
TUCO_API int tuco_configure(const tuco_config *config);

/* Starts the runtime, runs main_fn(arg) as goroutine 1 and returns its result. When
   main_fn returns, the other goroutines stop: each at its next call that blocks or
   yields. tuco_run() returns within 100 ms of main_fn. If all goroutines have ended by
   then it joins all threads, frees all memory and may be called again; otherwise later
   calls return -EBUSY. Returns -EBUSY if the runtime is already running, -EINVAL for a
   bad setting or environment variable, which a message on standard error names, -ENOMEM
   or -EAGAIN if memory or a thread cannot be allocated, and -EPERM if the process may not
   install signal handlers. The result of main_fn is returned unchanged: a negative one
   looks like an error. A NULL main_fn is misuse. */
TUCO_API int tuco_run(int (*main_fn)(void *), void *arg);

/* Starts the runtime in the background. The caller stays a foreign thread. Returns 0, or
   an error as tuco_run() does. */
TUCO_API int tuco_start(void);

/* Waits until every goroutine has ended, then stops the runtime, joins its threads and
   frees its memory. Returns -ETIMEDOUT if the deadline passes first: the runtime then
   keeps running. Returns -EINVAL if the runtime is not running, -EDEADLK if called by a
   goroutine, and -EBUSY while another thread is in tuco_stop(), tuco_run(), tuco_start()
   or tuco_configure(). */
TUCO_API int tuco_stop(tuco_time deadline);

/* Starts a goroutine that runs fn(arg). Does not wait for it. Returns -ENOMEM if out of
   memory and -ESRCH if the runtime is not running. A NULL fn is misuse. */
TUCO_API int tuco_go(tuco_fn *fn, void *arg);

/* Starts a goroutine that runs fn on a copy of the size bytes at arg. The copy lies on
   the goroutine's stack until fn returns, and is aligned for any type. Returns as
   tuco_go() does, and -EINVAL if size is more than half of the stack size. */
TUCO_API int tuco_go_copy(tuco_fn *fn, const void *arg, size_t size);

/* Attributes of a goroutine. A field that is zero means its default. */
typedef struct tuco_attr {
    /* Shown in reports. Copied; at most TUCO_NAME_MAX bytes. Default: no name. */
    const char *name;
    /* Bytes reserved for the stack, rounded up to a power of two. Default: the configured
       size. */
    size_t stack_size;
    /* Must be zero. */
    uint64_t reserved[2];
} tuco_attr;

/* The longest name of a goroutine, without the terminating zero. */
#define TUCO_NAME_MAX 31

/* Starts a goroutine with attributes. A NULL attr means the defaults. Returns as
   tuco_go() does, -ENAMETOOLONG if the name is too long, and -EINVAL if the stack size is
   below 16 KiB or above 64 GiB or a reserved field is not zero. */
TUCO_API int tuco_go_attr(const tuco_attr *attr, tuco_fn *fn, void *arg);

/* Puts the calling goroutine at the end of the run queue and runs another one. Returns at
   once if the caller's processor finds no other goroutine to run. On a foreign thread
   calls sched_yield(). */
TUCO_API void tuco_yield(void);

/* Private, for tuco_checkpoint(): how many threads have a pending preemption request,
   and the function that yields if the caller's thread is one of them. */
TUCO_API extern unsigned tuco_private_checkpoint_wanted;
TUCO_API void tuco_private_checkpoint_slow(void);

/* For long loops: yields if the runtime has requested it, because the caller has nearly
   used up its time slice and another goroutine waits, or because a timer is due or I/O is
   ready. Otherwise costs a load and a branch. A loop without checkpoints is interrupted
   by a signal instead, which is more expensive. Does nothing on a foreign thread. */
static inline void tuco_checkpoint(void) {
    if (__builtin_expect(
            __atomic_load_n(&tuco_private_checkpoint_wanted, __ATOMIC_RELAXED) != 0, 0)) {
        tuco_private_checkpoint_slow();
    }
}

/* Disable and enable preemption of the calling goroutine. Calls nest. In between the
   goroutine keeps its processor until it waits, yields, announces a call that may block,
   or uses no CPU time for 40 ms. This is not a lock: other goroutines run in parallel.
   tuco_preempt_on() without tuco_preempt_off() is misuse. Both do nothing on a foreign
   thread. */
TUCO_API void tuco_preempt_off(void);
TUCO_API void tuco_preempt_on(void);

/* Wire the calling goroutine to its thread, and undo that, as Go's LockOSThread() and
   UnlockOSThread() do. Calls nest. In between the goroutine runs on no other thread, and
   no other goroutine runs on this one. If the goroutine ends while it is wired, the
   thread ends too, unless it is the one that called tuco_run(). An unlock without a lock
   does nothing. Both do nothing on a foreign thread. */
TUCO_API void tuco_lock_thread(void);
TUCO_API void tuco_unlock_thread(void);

/* Announce the begin and the end of a call that may block the thread, such as read() on a
   file, so that the runtime gives the processor to other goroutines sooner. Calls nest.
   After the call the goroutine may wait for a processor and resume on another thread.
   tuco_blocking() calls fn(arg) between the two and returns its result. An exit without
   an enter is misuse. The announcements do nothing on a foreign thread. */
TUCO_API void tuco_blocking_enter(void);
TUCO_API void tuco_blocking_exit(void);
TUCO_API intptr_t tuco_blocking(intptr_t (*fn)(void *), void *arg);

/* Sets how many goroutines run at the same time and returns the previous number, as Go's
   GOMAXPROCS() does. n < 1 only returns the number; n > 1024 means 1024. The number then
   no longer follows CPUs and quotas. Returns 0 and does nothing while the runtime is not
   running. */
TUCO_API int tuco_procs(int n);

/* Sets the number of processors to its default, which follows later changes of the CPUs
   that the process may use and of the CPU quota of its control group. Returns the new
   number, or 0 while the runtime is not running. */
TUCO_API int tuco_procs_auto(void);

/* Sets the limit of threads that run goroutines and returns the previous limit. n < 1
   only returns it. The limit cannot be below the number of threads that exist. Every
   start of the runtime resets it to tuco_config.max_threads; returns 0 and does nothing
   while the runtime is not running. If the limit has kept runnable goroutines waiting for
   a second, the process ends with a report of thread exhaustion. */
TUCO_API int tuco_set_max_threads(int n);

/* Runs the deferred calls of the calling goroutine and ends it. If the main goroutine
   calls this, tuco_run() does not return: when all other goroutines have ended, the
   process ends with a deadlock report, unless the program has other threads, which might
   still start goroutines. Misuse on a foreign thread. */
TUCO_API TUCO_NORETURN void tuco_exit(void);

/* Registers fn(arg) to be called when the calling goroutine ends, in last-in first-out
   order. Returns -ENOMEM if out of memory and -EPERM on a foreign thread. A NULL fn is
   misuse. */
TUCO_API int tuco_defer(tuco_fn *fn, void *arg);

/* Returns the number of the calling goroutine, or 0 on a foreign thread. The main
   goroutine is 1. A running runtime never reuses a number. */
TUCO_API uint64_t tuco_id(void);

/* Returns the number of goroutines that have been started and have not ended. The number
   may be out of date when it is returned. */
TUCO_API size_t tuco_count(void);

/* Returns the number of CPUs in the calling thread's affinity mask, at least 1. */
TUCO_API int tuco_cpus(void);

/* Names the calling goroutine in reports; NULL removes the name. Returns -ENAMETOOLONG if
   name has more than TUCO_NAME_MAX bytes and -EPERM on a foreign thread; the old name
   then stays. */
TUCO_API int tuco_set_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
