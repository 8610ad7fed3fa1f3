/* SPDX-License-Identifier: MIT */
/* os.h on Linux: fault and interrupt signals, and the stacks that their handlers run
   on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/fault.h"
#include "os/os.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

/* Stack for a report, beside the kernel's frame; the unwinder needs most of it. */
#define REPORT_STACK_BYTES ((size_t)64 * 1024)

/* The least room beside the kernel's frame for which we use the program's own alternate
   stack. A report took 5 KiB, most of it in the unwinder; preempting a thread takes 3 KiB,
   most of it for a CPU mask. */
#define REPORT_LEAST_BYTES ((size_t)16 * 1024)

static const int fault_signals[] = {SIGSEGV, SIGBUS};

/* Written by install and remove, while no M runs; read by the signal handlers. So is
   previous. */
static os_fault_handler *fault_handler;

/* The program has installed a handler over ours, which may call ours. We leave ours in
   place and do not reinstall it above the other one, or the two would call each other
   forever. Written by os_fault_handler_remove() only. */
static bool covered[RT_ARRAY_LENGTH(fault_signals)];

static struct sigaction previous[RT_ARRAY_LENGTH(fault_signals)];

static void fill_registers(struct os_fault_info *info, const ucontext_t *context) {
#if defined(__x86_64__)
    info->pc = (void *)context->uc_mcontext.gregs[REG_RIP];
    info->sp = (void *)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    info->pc = (void *)context->uc_mcontext.pc;
    info->sp = (void *)context->uc_mcontext.sp;
#endif
}

/* Returns false if old is no function. Like the kernel, checks the disposition before
   SA_SIGINFO, which may be set anyway; sa_handler and sa_sigaction share their storage. */
static bool call_handler(const struct sigaction *old, int signal, siginfo_t *info,
                         void *context) {
    if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
        return false;
    }
    if ((old->sa_flags & SA_SIGINFO) != 0) {
        old->sa_sigaction(signal, info, context);
    } else {
        old->sa_handler(signal);
    }
    return true;
}

/* The fault is not ours: calls the previously installed handler. If there is none,
   restores the disposition; the faulting instruction then runs again. */
static void pass_on(int signal, siginfo_t *info, void *context) {
    size_t i = signal == fault_signals[0] ? 0 : 1;
    const struct sigaction *old = &previous[i];
    if (!call_handler(old, signal, info, context)) {
        sigaction(signal, old, NULL);
        if (info->si_code <= 0) {
            raise(signal); /* sent by a process: no instruction faults again */
        }
    }
}

static void on_fault(int signal, siginfo_t *signal_info, void *context) {
    int saved = errno;
    struct os_fault_info info = {.address = signal_info->si_addr};
    fill_registers(&info, context);
    bool from_kernel = signal_info->si_code > 0;
    if (fault_handler == NULL || !from_kernel || !fault_handler(&info)) {
        pass_on(signal, signal_info, context);
    }
    errno = saved;
}

static int handler_put(size_t i) {
    struct sigaction action;
    int error = os_fault(OS_FAULT_HANDLER);
    if (error != 0) {
        return -error;
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(fault_signals[i], &action, &previous[i]) == 0 ? 0 : -errno;
}

int os_fault_handler_install(os_fault_handler *handler) {
    OS_KEEP_ERRNO;
    int error = 0;
    size_t i = 0;
    fault_handler = handler;
    for (; i < RT_ARRAY_LENGTH(fault_signals) && error == 0; i++) {
        error = covered[i] ? 0 : handler_put(i);
    }
    if (error != 0) {
        for (i--; i-- > 0;) { /* the last one tried was not installed */
            if (!covered[i]) {
                sigaction(fault_signals[i], &previous[i], NULL);
            }
        }
        fault_handler = NULL;
    }
    return error;
}

void os_fault_handler_remove(void) {
    for (size_t i = 0; i < RT_ARRAY_LENGTH(fault_signals); i++) {
        struct sigaction now;
        /* Leaves a handler alone that the program has installed over ours. */
        if (sigaction(fault_signals[i], NULL, &now) == 0 &&
            now.sa_sigaction == on_fault) {
            sigaction(fault_signals[i], &previous[i], NULL);
        } else {
            covered[i] = true;
        }
    }
    fault_handler = NULL;
}

/* Interruption */

/* The payload of our signals, which distinguishes them from others. */
static char interrupt_cookie;

/* Both written by install and remove, while no M runs; read by the signal handler. */
static os_interrupt_handler *interrupt_handler;
static struct sigaction interrupt_previous;

/* See covered. */
static bool interrupt_covered;

/* Not our signal: calls the previously installed handler. The default is to ignore it. */
static void pass_interrupt_on(int signal, siginfo_t *info, void *context) {
    (void)call_handler(&interrupt_previous, signal, info, context);
}

/* A signal whose payload the kernel dropped (RLIMIT_SIGPENDING). A signal from a process
   of another namespace looks the same. */
static bool is_bare(const siginfo_t *info) {
    return info->si_code == SI_USER && info->si_pid == 0;
}

/* Longer than the C library's sched_yield(), shorter than two functions. */
#define SCHED_YIELD_BYTES 32

/* Whether the signal interrupted sched_yield() or its return path. A thread that calls it
   in a loop is there nearly all the time. */
static bool is_in_sched_yield(const void *context) {
    const ucontext_t *uc = context;
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#else
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.pc;
#endif
    return pc - (uintptr_t)sched_yield < SCHED_YIELD_BYTES;
}

static void on_interrupt_signal(int signal, siginfo_t *info, void *context) {
    int saved = errno;
    bool marked =
        info->si_code == SI_QUEUE && info->si_value.sival_ptr == &interrupt_cookie;
    if (!marked) {
        pass_interrupt_on(signal, info, context); /* first: our handler may block */
    }
    if (interrupt_handler != NULL && (marked || is_bare(info))) {
        interrupt_handler(marked, is_in_sched_yield(context));
    }
    errno = saved;
}

int os_interrupt_install(os_interrupt_handler *handler) {
    OS_KEEP_ERRNO;
    struct sigaction action;
    int error = os_fault(OS_FAULT_HANDLER);
    if (error != 0) {
        return -error;
    }
    interrupt_handler = handler;
    if (interrupt_covered) {
        return 0;
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_interrupt_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGURG, &action, &interrupt_previous) == 0 ? 0 : -errno;
}

void os_interrupt_remove(void) {
    OS_KEEP_ERRNO;
    struct sigaction now;
    interrupt_handler = NULL;
    if (sigaction(SIGURG, NULL, &now) == 0 && now.sa_sigaction == on_interrupt_signal) {
        sigaction(SIGURG, &interrupt_previous, NULL);
    } else {
        interrupt_covered = true;
    }
}

/* Nothing runs between the clock and the signal: meanwhile the thread could block. */
bool os_thread_interrupt(int number, int64_t cpu_ns) {
    OS_KEEP_ERRNO;
    siginfo_t info;
    pid_t process = getpid();
    memset(&info, 0, sizeof info);
    info.si_signo = SIGURG;
    info.si_code = SI_QUEUE;
    info.si_pid = process;
    info.si_uid = getuid();
    info.si_value.sival_ptr = &interrupt_cookie;
    if (cpu_ns != 0 && os_thread_cpu(number) == cpu_ns) {
        return false;
    }
    syscall(SYS_rt_tgsigqueueinfo, process, number, SIGURG, &info);
    return true;
}

static sigset_t only_sigurg(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    return set;
}

bool os_interrupt_unblock(void) {
    sigset_t set = only_sigurg();
    sigset_t before;
    return pthread_sigmask(SIG_UNBLOCK, &set, &before) == 0 &&
           sigismember(&before, SIGURG) == 1;
}

/* The kernel delivers a pending, unblocked signal before a system call returns. */
void os_interrupt_block(void) {
    sigset_t set = only_sigurg();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* 0 where the kernel does not report it (before Linux 5.14); there the frame is small. */
static size_t kernel_frame_bytes(void) {
#ifdef AT_MINSIGSTKSZ
    return getauxval(AT_MINSIGSTKSZ);
#else
    return 0;
#endif
}

static size_t signal_stack_bytes(void) {
    size_t bytes = kernel_frame_bytes() + REPORT_STACK_BYTES;
    return (bytes + OS_PAGE_BYTES - 1) / OS_PAGE_BYTES * OS_PAGE_BYTES;
}

/* The previous signal stack, saved above our stack in the same reservation. */
static stack_t *stack_before(void *memory) {
    return (stack_t *)((char *)memory + signal_stack_bytes() - sizeof(stack_t));
}

/* Whether the program or a sanitizer has given this thread a large enough stack. */
static bool has_signal_stack(const stack_t *stack) {
    return (stack->ss_flags & SS_DISABLE) == 0 &&
           stack->ss_size >= kernel_frame_bytes() + REPORT_LEAST_BYTES;
}

int os_signal_stack_install(void **token) {
    OS_KEEP_ERRNO;
    stack_t old;
    *token = NULL;
    if (sigaltstack(NULL, &old) != 0) {
        return -errno;
    }
    if (has_signal_stack(&old)) {
        return 0;
    }
    void *memory = os_reserve(signal_stack_bytes(), OS_PAGE_BYTES);
    if (memory == NULL) {
        return -ENOMEM;
    }
    *stack_before(memory) = old;
    /* the kernel aligns the frame, so the stack's end need not be aligned */
    stack_t stack = {.ss_sp = memory, .ss_size = signal_stack_bytes() - sizeof(stack_t)};
    int error = os_fault(OS_FAULT_SIGNAL_STACK);
    if (error == 0 && sigaltstack(&stack, NULL) != 0) {
        error = errno;
    }
    if (error != 0) {
        os_release(memory, signal_stack_bytes());
        return -error;
    }
    *token = memory;
    return 0;
}

/* Leaves a stack alone that the program has installed since. */
void os_signal_stack_remove(void *token) {
    OS_KEEP_ERRNO;
    stack_t now;
    if (token == NULL) {
        return;
    }
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == token) {
        sigaltstack(stack_before(token), NULL);
    }
    os_release(token, signal_stack_bytes());
}

/* Flushing at exit */

/* Written before the signals can arrive. */
static void (*flush_end)(void);

static void on_flush_stuck(int signal) {
    (void)signal;
    flush_end();
}

/* Unblocks the signal too: the thread may be in that fault's handler. */
static void flush_end_by(int signal) {
    struct sigaction action;
    sigset_t set;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_flush_stuck;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static bool flush_limit(int64_t ns) {
    struct itimerval limit = {
        .it_value = {.tv_sec = ns / 1000000000, .tv_usec = ns % 1000000000 / 1000}};
    return setitimer(ITIMER_REAL, &limit, NULL) == 0;
}

/* Flushes standard output first, without waiting for its lock: another stream may be
   locked forever. */
void os_streams_flush(int64_t limit_ns, void (*end)(void)) {
    flush_end = end;
    flush_end_by(SIGALRM);
    for (size_t i = 0; i < RT_ARRAY_LENGTH(fault_signals); i++) {
        flush_end_by(fault_signals[i]);
    }
    if (!flush_limit(limit_ns)) {
        return; /* without a limit the flush could block forever */
    }
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout);
        funlockfile(stdout);
    }
    if (!RT_TSAN) { /* TSan defers signals while a thread waits for a lock */
        fflush(NULL);
    }
    flush_limit(0);
}
