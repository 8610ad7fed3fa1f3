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
#include <ucontext.h>

/* What a report needs beside the kernel's own frame: the unwinder is the hungriest. */
#define REPORT_STACK_BYTES ((size_t)64 * 1024)

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

/* Not ours: the signal goes to whoever had it before, as if we had never been here. For a
   default or ignored disposition that is put back and the faulting instruction runs
   again. */
static void pass_on(int signal, siginfo_t *info, void *context) {
    size_t i = signal == fault_signals[0] ? 0 : 1;
    const struct sigaction *old = &previous[i];
    if ((old->sa_flags & SA_SIGINFO) != 0) {
        old->sa_sigaction(signal, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal);
    } else {
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

static size_t signal_stack_bytes(void) {
#ifdef AT_MINSIGSTKSZ
    size_t kernel_frame = getauxval(AT_MINSIGSTKSZ);
#else
    size_t kernel_frame = 0;
#endif
    size_t bytes = kernel_frame + REPORT_STACK_BYTES;
    return (bytes + OS_PAGE_BYTES - 1) / OS_PAGE_BYTES * OS_PAGE_BYTES;
}

int os_signal_stack_install(void **token) {
    OS_KEEP_ERRNO;
    stack_t old;
    *token = NULL;
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0) {
        return 0; /* the program, or a sanitizer, has given this thread one */
    }
    void *memory = os_reserve(signal_stack_bytes(), OS_PAGE_BYTES);
    if (memory == NULL) {
        return -ENOMEM;
    }
    stack_t stack = {.ss_sp = memory, .ss_size = signal_stack_bytes()};
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

void os_signal_stack_remove(void *token) {
    if (token == NULL) {
        return;
    }
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    os_release(token, signal_stack_bytes());
}
