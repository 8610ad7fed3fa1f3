/* SPDX-License-Identifier: MIT */
/* os.h on Linux: futexes, threads, clock, the process. Memory is in linux_memory.c,
   signals in linux_signal.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "os/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <tuco/errno.h>
#include <unistd.h>

/* Room for the scheduler's frames, a signal handler on top of them, and the overhead of a
   sanitizer. */
#define THREAD_STACK_BYTES ((size_t)256 * 1024)

#define NS_PER_SECOND 1000000000

/* The clock id of a thread's CPU time: its inverted thread id and the bits for "per
   thread" and "scheduled time". pthread_getcpuclockid() needs a handle, which is invalid
   once the thread has been joined. */
#define CPU_CLOCK_NUMBER_SHIFT 3
#define CPU_CLOCK_OF_THREAD    6u

os_fault_fn *os_fault_hook;

/* Written by os_threads_prepare(), before any thread is started. */
static sigset_t thread_mask;
static size_t thread_local_bytes;

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

static int add_thread_locals(struct dl_phdr_info *info, size_t bytes, void *sum) {
    (void)bytes;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            *(size_t *)sum += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
        }
    }
    return 0;
}

/* glibc places the static thread-local variables of all modules on each thread's stack,
   and refuses to create a thread whose stack is too small for them. */
void os_threads_prepare(void) {
    pthread_sigmask(SIG_SETMASK, NULL, &thread_mask);
    thread_local_bytes = 0;
    dl_iterate_phdr(add_thread_locals, &thread_local_bytes);
    thread_local_bytes =
        (thread_local_bytes + OS_PAGE_BYTES - 1) / OS_PAGE_BYTES * OS_PAGE_BYTES;
}

struct thread_start {
    void (*fn)(void *);
    void *arg;
    char name[16]; /* the kernel's limit, with the terminating zero */
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

/* large: the default size of the program's threads, if that is more. */
static void thread_set_stack_bytes(pthread_attr_t *attr, bool large) {
    size_t bytes = THREAD_STACK_BYTES + thread_local_bytes;
    size_t usual = 0;
    if (!large || pthread_attr_getstacksize(attr, &usual) != 0 || usual < bytes) {
        pthread_attr_setstacksize(attr, bytes);
    }
}

/* Returns a positive error. */
static int thread_create(os_thread *thread, struct thread_start *start, bool large) {
    pthread_attr_t attr;
    pthread_t handle;
    int error = pthread_attr_init(&attr);
    if (error != 0) {
        return error;
    }
    thread_set_stack_bytes(&attr, large);
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

static int thread_start(os_thread *thread, const char *name, void (*fn)(void *),
                        void *arg, bool large) {
    OS_KEEP_ERRNO;
    struct thread_start *start = thread_start_make();
    if (start == NULL) {
        return -ENOMEM;
    }
    start->fn = fn;
    start->arg = arg;
    strncpy(start->name, name, sizeof start->name - 1);
    int error = thread_create(thread, start, large);
    if (error != 0) {
        thread_start_free(start);
    }
    return -error;
}

int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg) {
    return thread_start(thread, name, fn, arg, false);
}

int os_thread_start_large(os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg) {
    return thread_start(thread, name, fn, arg, true);
}

/* Written by os_thread_end_prepare(), before any thread is started. */
static void (*thread_end)(void);
static pthread_key_t thread_end_key;

static void call_thread_end(void *unused) {
    (void)unused;
    thread_end();
}

void os_thread_end_prepare(void (*fn)(void)) {
    if (thread_end == NULL && pthread_key_create(&thread_end_key, call_thread_end) == 0) {
        thread_end = fn;
    }
}

void os_thread_end_watch(bool on) {
    if (thread_end != NULL) {
        pthread_setspecific(thread_end_key, on ? &thread_end_key : NULL);
    }
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
    return slack_ns > 0 ? (unsigned long)slack_ns : 0; /* 0: the thread's default */
}

void os_timer_slack_restore(unsigned long slack_ns) {
    OS_KEEP_ERRNO;
    prctl(PR_SET_TIMERSLACK, slack_ns, 0UL, 0UL, 0UL);
}

/* struct sched_attr, which the C library of today does not declare. */
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime; /* the slice in nanoseconds, of threads that have no deadline */
    uint64_t deadline;
    uint64_t period;
};

/* The least that the kernel takes. */
#define SHORT_SLICE_NS 100000

void os_thread_shorten_slice(void) {
    OS_KEEP_ERRNO;
    struct attributes a = {.size = sizeof a};
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) == 0 &&
        (a.policy == SCHED_OTHER || a.policy == SCHED_BATCH)) {
        a.runtime = SHORT_SLICE_NS;
        syscall(SYS_sched_setattr, 0, &a, 0);
    }
}

int os_thread_number(void) {
    return (int)syscall(SYS_gettid);
}

os_thread os_thread_self(void) {
    return (os_thread){.handle = (uintptr_t)pthread_self()};
}

uint64_t os_limit(enum os_limit kind) {
    OS_KEEP_ERRNO;
    static const int resources[] = {[OS_LIMIT_THREADS] = RLIMIT_NPROC,
                                    [OS_LIMIT_MEMORY] = RLIMIT_AS,
                                    [OS_LIMIT_LOCKED] = RLIMIT_MEMLOCK};
    struct rlimit limit;
    if (getrlimit(resources[kind], &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return OS_UNLIMITED;
    }
    return limit.rlim_cur;
}

/* Not in every C library. */
extern char __libc_single_threaded __attribute__((weak));

bool os_thread_is_alone(void) {
    return &__libc_single_threaded != NULL && __libc_single_threaded;
}

/* A directory has two links plus one per subdirectory. */
int os_thread_count(void) {
    OS_KEEP_ERRNO;
    struct stat task;
    int error = os_fault(OS_FAULT_THREAD_COUNT);
    if (error == 0 && stat("/proc/self/task", &task) != 0) {
        error = errno;
    }
    return error != 0 ? -error : (int)task.st_nlink - 2;
}

int os_thread_list_others(int *numbers, int max) {
    OS_KEEP_ERRNO;
    int count = 0;
    DIR *dir = opendir("/proc/self/task");
    if (dir == NULL) {
        return 0;
    }
    for (struct dirent *e = readdir(dir); e != NULL && count < max; e = readdir(dir)) {
        int number = atoi(e->d_name); /* 0 for the directory and its parent */
        if (number > 0 && number != os_thread_number()) {
            numbers[count++] = number;
        }
    }
    closedir(dir);
    return count;
}

/* An ended thread has an id until the kernel stops counting it. */
bool os_thread_exists(int number) {
    OS_KEEP_ERRNO;
    return syscall(SYS_tgkill, getpid(), number, 0) == 0;
}

/* The kernel refuses threads of other processes. Id 0 would be the calling thread. */
int64_t os_thread_cpu(int number) {
    OS_KEEP_ERRNO;
    unsigned clock = (~(unsigned)number << CPU_CLOCK_NUMBER_SHIFT) | CPU_CLOCK_OF_THREAD;
    struct timespec t;
    if (os_fault(OS_FAULT_THREAD_CPU) != 0 || number < 1 ||
        clock_gettime((clockid_t)clock, &t) != 0) {
        return 0;
    }
    return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

int *os_errno_address(void) {
    return &errno;
}

void os_errno_restore(const int *saved) {
    errno = *saved;
}

int *tuco_private_errno(void) {
    return &errno;
}

/* 16 * 1024 CPUs, twice what Linux can be configured for. */
typedef cpu_set_t cpu_mask[16];

int os_cpu_current(void) {
    OS_KEEP_ERRNO;
    int cpu = os_fault(OS_FAULT_CPU_CURRENT) == 0 ? sched_getcpu() : -1;
    return cpu < 0 ? 0 : cpu;
}

int os_cpu_count(void) {
    OS_KEEP_ERRNO;
    /* On the stack: also called inside the runtime, see 'Not inside' in base/alloc.h. */
    cpu_mask mask;
    int count = 0;
    if (os_fault(OS_FAULT_CPU_COUNT) == 0 &&
        sched_getaffinity(0, sizeof mask, mask) == 0) {
        count = CPU_COUNT_S(sizeof mask, mask);
    }
    return count > 0 ? count : 1;
}

int64_t os_now(void) {
    RT_RACE_IGNORED();
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
        int error = os_fault(OS_FAULT_WRITE);
        ssize_t n = error != 0 ? -1 : write(fd, text, bytes);
        error = n < 0 && error == 0 ? errno : error;
        if (n < 0 && error == EINTR) {
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

void os_at_exit(void (*fn)(void)) {
    (void)atexit(fn);
}

void os_exit(int status) {
    _exit(status);
}

void os_abort(void) {
    abort();
}

const char *os_env(const char *name) {
    return secure_getenv(name);
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

/* Reads until bytes or the end of the file. */
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
