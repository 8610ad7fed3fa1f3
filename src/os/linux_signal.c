/* SPDX-License-Identifier: MIT */
/* The kernel behind os.h: faults as signals, and the stacks that their handlers run
   on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/fault.h"
#include "os/os.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* What a report needs beside the kernel's own frame: the unwinder is the hungriest. */
#define REPORT_STACK_BYTES ((size_t)64 * 1024)

/* What the program's own alternate stack has to have beside the kernel's frame, so that our
   handlers can run on it. A report took 5 KiB, of which the unwinder had most; a thread that
   gives way takes 3 KiB, most of it for a mask of CPUs. */
#define REPORT_LEAST_BYTES ((size_t)16 * 1024)

static const int fault_signals[] = {SIGSEGV, SIGBUS};

static os_fault_handler *fault_handler;

/* The program has put a handler over ours, which may call ours: ours is left where it is,
   and not installed again above the other one, where both would call each other for
   ever. */
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

/* False: there is none. The kernel looks at the disposition before the flags, which may
   say SA_SIGINFO all the same; both members are at one place. */
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

/* Not ours: the signal goes to whoever had it before, as if we had never been here. For a
   default or ignored disposition that is put back and the faulting instruction runs
   again. */
static void pass_on(int signal, siginfo_t *info, void *context) {
    size_t i = signal == fault_signals[0] ? 0 : 1;
    const struct sigaction *old = &previous[i];
    if (!call_handler(old, signal, info, context)) {
        sigaction(signal, old, NULL);
        if (info->si_code <= 0) {
            raise(signal); /* sent by a process: no instruction will fault again */
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
        for (i--; i-- > 0;) { /* the last one tried is not there */
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
        /* Leaves alone a handler that the program has put over ours since. */
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

/* What our own signals carry, so that they are told from others. */
static char interrupt_cookie;

static os_interrupt_handler *interrupt_handler;
static struct sigaction interrupt_previous;

/* See covered. */
static bool interrupt_covered;

/* Somebody else's signal: whoever had it before gets it. By default it is ignored. */
static void pass_interrupt_on(int signal, siginfo_t *info, void *context) {
    (void)call_handler(&interrupt_previous, signal, info, context);
}

/* What is left of a signal for which the kernel had no room: RLIMIT_SIGPENDING. A process of
   another namespace looks the same. */
static bool is_bare(const siginfo_t *info) {
    return info->si_code == SI_USER && info->si_pid == 0;
}

static void on_interrupt(int signal, siginfo_t *info, void *context) {
    int saved = errno;
    bool told =
        info->si_code == SI_QUEUE && info->si_value.sival_ptr == &interrupt_cookie;
    if (!told) {
        pass_interrupt_on(signal, info, context); /* first: ours may take a while */
    }
    if (interrupt_handler != NULL && (told || is_bare(info))) {
        interrupt_handler(told);
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
    action.sa_sigaction = on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGURG, &action, &interrupt_previous) == 0 ? 0 : -errno;
}

void os_interrupt_remove(void) {
    OS_KEEP_ERRNO;
    struct sigaction now;
    interrupt_handler = NULL;
    if (sigaction(SIGURG, NULL, &now) == 0 && now.sa_sigaction == on_interrupt) {
        sigaction(SIGURG, &interrupt_previous, NULL);
    } else {
        interrupt_covered = true;
    }
}

void os_thread_interrupt(int number) {
    OS_KEEP_ERRNO;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGURG;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = &interrupt_cookie;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), number, SIGURG, &info);
}

/* 0 where the kernel does not tell, before Linux 5.14: then it is small. */
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

/* What the thread had before, above our stack in the same reservation. */
static stack_t *stack_before(void *memory) {
    return (stack_t *)((char *)memory + signal_stack_bytes() - sizeof(stack_t));
}

/* The program, or a sanitizer, has given this thread one. */
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
    /* a frame begins at a multiple of 16, wherever the stack ends */
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

/* Leaves alone what the program has put in its place since. */
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
