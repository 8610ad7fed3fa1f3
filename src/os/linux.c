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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Room for the scheduler's own frames, for a signal that lands there, and for a
   sanitizer's appetite. */
#define THREAD_STACK_BYTES ((size_t)256 * 1024)

#define NS_PER_SECOND 1000000000

/* The kernel's name for the clock of a thread: its number, and that it is a thread's, of
   the time that it ran. By the C library's own way there it takes a handle, which is of no
   use once the thread has been joined. */
#define CPU_CLOCK_NUMBER_SHIFT 3
#define CPU_CLOCK_OF_THREAD    6u

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

bool os_thread_try_join(os_thread thread) {
    OS_KEEP_ERRNO;
    return pthread_tryjoin_np((pthread_t)thread.handle, NULL) == 0;
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

/* False: it cannot be told. Threads of other processes are refused by the kernel; 0 would
   be the calling thread. */
static bool cpu_time(int number, int64_t *ns) {
    unsigned clock = (~(unsigned)number << CPU_CLOCK_NUMBER_SHIFT) | CPU_CLOCK_OF_THREAD;
    struct timespec t;
    if (os_fault(OS_FAULT_THREAD_LOOK) != 0 || number < 1 ||
        clock_gettime((clockid_t)clock, &t) != 0) {
        return false;
    }
    *ns = (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
    return true;
}

struct os_thread_use os_thread_look(int number) {
    OS_KEEP_ERRNO;
    struct os_thread_use use = {.cpu_ns = 0};
    look_at_state(number, &use);
    use.untold |= !cpu_time(number, &use.cpu_ns);
    return use;
}

os_thread os_thread_self(void) {
    return (os_thread){.handle = (uintptr_t)pthread_self()};
}

int64_t os_thread_cpu(int number) {
    OS_KEEP_ERRNO;
    int64_t ns = 0;
    return cpu_time(number, &ns) ? ns : 0;
}

/* The times in a struct rusage are as old as the last tick of the kernel's clock. */
struct os_usage os_thread_usage(void) {
    OS_KEEP_ERRNO;
    struct rusage r;
    struct timespec t;
    if (os_fault(OS_FAULT_THREAD_USAGE) != 0 || getrusage(RUSAGE_THREAD, &r) != 0 ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) {
        return (struct os_usage){.untold = true};
    }
    return (struct os_usage){.cpu_ns = (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec,
                             .waits = (uint64_t)r.ru_nvcsw,
                             .yields = (uint64_t)r.ru_nivcsw};
}

int *os_errno_address(void) {
    return &errno;
}

void os_errno_restore(const int *saved) {
    errno = *saved;
}

/* More than a cpu_set_t holds, and twice what Linux can be built for. */
typedef cpu_set_t cpu_mask[16];

/* Written by os_cpus_learn(), before there are threads that read it. */
static cpu_mask all_cpus;
static bool all_cpus_known;

void os_cpus_learn(void) {
    OS_KEEP_ERRNO;
    all_cpus_known =
        os_fault(OS_FAULT_CPU_COUNT) == 0 &&
        sched_getaffinity(0, sizeof all_cpus, all_cpus) == 0 &&
        CPU_COUNT_S(sizeof all_cpus, all_cpus) == sysconf(_SC_NPROCESSORS_ONLN);
}

bool os_thread_bring(int number, int cpu) {
    OS_KEEP_ERRNO;
    cpu_mask mask;
    if (!all_cpus_known || number < 1 || os_fault(OS_FAULT_CPU_BRING) != 0 ||
        sched_getaffinity(number, sizeof mask, mask) != 0 ||
        !CPU_EQUAL_S(sizeof mask, mask, all_cpus)) {
        return false;
    }
    CPU_ZERO_S(sizeof mask, mask);
    CPU_SET_S((size_t)cpu, sizeof mask, mask);
    return sched_setaffinity(number, sizeof mask, mask) == 0;
}

bool os_thread_let_go(void) {
    OS_KEEP_ERRNO;
    cpu_mask mask;
    if (os_fault(OS_FAULT_CPU_BRING) != 0 ||
        sched_getaffinity(0, sizeof mask, mask) != 0) {
        return false;
    }
    if (CPU_COUNT_S(sizeof mask, mask) != 1) {
        return true; /* somebody has said something else meanwhile */
    }
    /* All that there can ever be, as if nobody had ever limited it: not those of today. */
    memset(mask, 0xff, sizeof mask);
    return sched_setaffinity(0, sizeof mask, mask) == 0;
}

int os_cpu_current(void) {
    OS_KEEP_ERRNO;
    int cpu = os_fault(OS_FAULT_CPU_CURRENT) == 0 ? sched_getcpu() : -1;
    return cpu < 0 ? 0 : cpu;
}

int os_cpu_count(void) {
    OS_KEEP_ERRNO;
    /* On the stack: asked inside the runtime as well, see 'Not inside' in base/alloc.h. */
    cpu_mask mask;
    int count = 0;
    if (os_fault(OS_FAULT_CPU_COUNT) == 0 &&
        sched_getaffinity(0, sizeof mask, mask) == 0) {
        count = CPU_COUNT_S(sizeof mask, mask);
    }
    return count > 0 ? count : 1;
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

int os_fork_watch(void (*fn)(void)) {
    int error = os_fault(OS_FAULT_FORK_WATCH);
    return error != 0 ? -error : -pthread_atfork(NULL, NULL, fn);
}

void os_exit(int status) {
    _exit(status);
}

const char *os_env(const char *name) {
    return getenv(name);
}

int os_file_open(const char *path) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_READ);
    if (error != 0) {
        return -error;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int os_file_read(int file, char *buffer, size_t bytes) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_READ);
    if (error != 0) {
        return -error;
    }
    ssize_t n;
    do {
        n = read(file, buffer, bytes < INT_MAX ? bytes : INT_MAX);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (int)n;
}

void os_file_close(int file) {
    OS_KEEP_ERRNO;
    close(file);
}

/* Up to bytes of them, fewer at the end of the file. */
static int read_up_to(int file, char *buffer, size_t bytes) {
    size_t length = 0;
    while (length < bytes) {
        int n = os_file_read(file, buffer + length, bytes - length);
        if (n < 0) {
            return n;
        }
        if (n == 0) {
            break;
        }
        length += (size_t)n;
    }
    return (int)length;
}

int os_read_text(const char *path, char *buffer, size_t bytes) {
    int file = os_file_open(path);
    if (file < 0) {
        return file;
    }
    int length = read_up_to(file, buffer, bytes - 1);
    os_file_close(file);
    if (length >= 0) {
        buffer[length] = '\0';
    }
    return length;
}
