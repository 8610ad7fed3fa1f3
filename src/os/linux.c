/* SPDX-License-Identifier: MIT */
/* The kernel behind os.h: futexes, threads, clock, the process. Memory is in
   linux_memory.c, signals in linux_signal.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "os/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Room for the scheduler's own frames, for a signal that lands there, and for a
   sanitizer's appetite. */
#define THREAD_STACK_BYTES ((size_t)256 * 1024)

#define NS_PER_SECOND 1000000000

os_fault_fn *os_fault_hook;

/* Written by os_signal_mask_remember(), before there are threads to start. */
static sigset_t thread_mask;

int os_futex_wait(rt_atomic(uint32_t) *word, uint32_t expected, int64_t deadline_ns) {
    OS_KEEP_ERRNO;
    struct timespec at = {.tv_sec = deadline_ns / NS_PER_SECOND,
                          .tv_nsec = deadline_ns % NS_PER_SECOND};
    if (deadline_ns <= 0) {
        return -ETIMEDOUT;
    }
    if (os_fault(OS_FAULT_FUTEX_WAIT) != 0) {
        return os_now() >= deadline_ns ? -ETIMEDOUT : 0;
    }
    long r = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                     deadline_ns == OS_NEVER ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);
    return r < 0 && errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

void os_futex_wake(rt_atomic(uint32_t) *word, int count) {
    OS_KEEP_ERRNO;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count);
}

void os_signal_mask_remember(void) {
    pthread_sigmask(SIG_SETMASK, NULL, &thread_mask);
}

struct thread_start {
    void (*fn)(void *);
    void *arg;
    char name[16]; /* the kernel's limit, with the zero */
};

static struct thread_start *thread_start_make(void) {
    return os_fault(OS_FAULT_ALLOC) == 0 ? calloc(1, sizeof(struct thread_start)) : NULL;
}

static void thread_start_free(struct thread_start *start) {
    os_fault(OS_FAULT_FREE);
    free(start);
}

static void *thread_main(void *raw) {
    struct thread_start start = *(struct thread_start *)raw;
    thread_start_free(raw);
    pthread_setname_np(pthread_self(), start.name);
    start.fn(start.arg);
    return NULL;
}

/* Returns a positive error, as the calls it makes do. */
static int thread_create(os_thread *thread, struct thread_start *start) {
    pthread_attr_t attr;
    pthread_t handle;
    int error = pthread_attr_init(&attr);
    if (error != 0) {
        return error;
    }
    pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
    error = pthread_attr_setsigmask_np(&attr, &thread_mask); /* allocates */
    if (error == 0) {
        error = os_fault(OS_FAULT_THREAD);
    }
    if (error == 0) {
        error = pthread_create(&handle, &attr, thread_main, start);
    }
    pthread_attr_destroy(&attr);
    if (error == 0) {
        thread->handle = (uintptr_t)handle;
    }
    return error;
}

int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg) {
    OS_KEEP_ERRNO;
    struct thread_start *start = thread_start_make();
    if (start == NULL) {
        return -ENOMEM;
    }
    start->fn = fn;
    start->arg = arg;
    strncpy(start->name, name, sizeof start->name - 1);
    int error = thread_create(thread, start);
    if (error != 0) {
        thread_start_free(start);
    }
    return -error;
}

void os_thread_join(os_thread thread) {
    OS_KEEP_ERRNO;
    pthread_join((pthread_t)thread.handle, NULL);
}

void os_thread_detach(os_thread thread) {
    pthread_detach((pthread_t)thread.handle);
}

void os_thread_yield(void) {
    sched_yield();
}

void os_thread_stack(void **low, void **high) {
    OS_KEEP_ERRNO;
    pthread_attr_t attr;
    size_t bytes = 0;
    *low = *high = NULL;
    if (os_fault(OS_FAULT_THREAD_STACK) != 0 ||
        pthread_getattr_np(pthread_self(), &attr) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attr, low, &bytes) == 0) {
        *high = (char *)*low + bytes;
    }
    pthread_attr_destroy(&attr);
}

unsigned long os_timer_slack_remove(void) {
    OS_KEEP_ERRNO;
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    return slack_ns > 0 ? (unsigned long)slack_ns : 0; /* 0: what it had at its start */
}

void os_timer_slack_restore(unsigned long slack_ns) {
    OS_KEEP_ERRNO;
    prctl(PR_SET_TIMERSLACK, slack_ns, 0UL, 0UL, 0UL);
}

int os_thread_number(void) {
    return (int)syscall(SYS_gettid);
}

/* The state follows the name, which is in parentheses and may contain any character. */
static void look_at_state(int number, struct os_thread_use *use) {
    char path[64];
    char text[128];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    int length = os_read_text(path, text, sizeof text);
    const char *end = length > 0 ? strrchr(text, ')') : NULL;
    if (end == NULL || end[1] == '\0') {
        use->untold = true;
        return;
    }
    use->asleep = end[2] != 'R';
}

struct os_thread_use os_thread_look(os_thread thread, int number) {
    OS_KEEP_ERRNO;
    struct os_thread_use use = {.cpu_ns = 0};
    clockid_t clock;
    struct timespec t;
    look_at_state(number, &use);
    if (os_fault(OS_FAULT_THREAD_LOOK) == 0 &&
        pthread_getcpuclockid((pthread_t)thread.handle, &clock) == 0 &&
        clock_gettime(clock, &t) == 0) {
        use.cpu_ns = (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
    } else {
        use.untold = true;
    }
    return use;
}

int *os_errno_address(void) {
    return &errno;
}

void os_errno_restore(const int *saved) {
    errno = *saved;
}

int os_cpu_current(void) {
    OS_KEEP_ERRNO;
    int cpu = os_fault(OS_FAULT_CPU_CURRENT) == 0 ? sched_getcpu() : -1;
    return cpu < 0 ? 0 : cpu;
}

int os_cpu_count(void) {
    OS_KEEP_ERRNO;
    /* Machines may have more CPUs than a cpu_set_t has bits; the kernel then says
       EINVAL. */
    for (int bits = CPU_SETSIZE; bits <= 1 << 20; bits *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)bits);
        if (set == NULL) {
            break;
        }
        int count = 0;
        if (os_fault(OS_FAULT_CPU_COUNT) == 0 &&
            sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)bits), set) == 0) {
            count = CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)bits), set);
        }
        CPU_FREE(set);
        if (count > 0) {
            return count;
        }
    }
    return 1;
}

int64_t os_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

bool os_fence_register(void) {
    OS_KEEP_ERRNO;
    return os_fault(OS_FAULT_FENCE_REGISTER) == 0 &&
           syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

int os_fence_all_threads(void) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_FENCE);
    if (error == 0 &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        error = errno;
    }
    return -error;
}

void os_write(int fd, const char *text, size_t bytes) {
    OS_KEEP_ERRNO;
    while (bytes > 0) {
        if (os_fault(OS_FAULT_WRITE) != 0) {
            return;
        }
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return;
        }
        text += n;
        bytes -= (size_t)n;
    }
}

void os_exit(int status) {
    _exit(status);
}

const char *os_env(const char *name) {
    return getenv(name);
}

/* Up to bytes of them, fewer at the end of the file. */
static ssize_t read_up_to(int fd, char *buffer, size_t bytes) {
    size_t length = 0;
    while (length < bytes) {
        int error = os_fault(OS_FAULT_READ);
        ssize_t n = error == 0 ? read(fd, buffer + length, bytes - length) : -1;
        if (n < 0 && error == 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -(error != 0 ? error : errno);
        }
        if (n == 0) {
            break;
        }
        length += (size_t)n;
    }
    return (ssize_t)length;
}

int os_read_text(const char *path, char *buffer, size_t bytes) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_READ);
    if (error != 0) {
        return -error;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    ssize_t length = read_up_to(fd, buffer, bytes - 1);
    close(fd);
    if (length >= 0) {
        buffer[length] = '\0';
    }
    return (int)length;
}
