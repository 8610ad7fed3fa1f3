/* SPDX-License-Identifier: MIT */
/* os.h in the simulation. Memory is real: os_memory.c. Descriptors: os_fd.c. */
#define SIM_OS_PLAIN
#include "os/os.h"
#include "os/fault.h"
#include "os_sim.h"
#include "machine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Inverse probabilities: a futex wait returns spuriously, a membarrier fails with ENOMEM.
   The contract of os.h allows both. */
#define SPURIOUS_CHANCE 64
#define NO_FENCE_CHANCE 8

os_fault_fn *os_fault_hook;
struct os_sim os_sim;

void os_sim_syscall(void) {
    if (sim.quiet) {
        return;
    }
    sim_step(sim.self->site);
    /* Every one of these calls passes the kernel's own locks and barriers. */
    sim_memory_flush(sim.self);
}

/* Futexes */

int os_futex_wait(rt_atomic(uint32_t) *word, uint32_t expected, int64_t deadline_ns) {
    os_sim_syscall();
    if (deadline_ns <= 0) {
        return -ETIMEDOUT;
    }
    if (*word != expected || sim_chance(SPURIOUS_CHANCE)) {
        return 0;
    }
    sim.self->word = word;
    return sim_sleep_until(deadline_ns) ? 0 : -ETIMEDOUT;
}

void os_futex_wake(rt_atomic(uint32_t) *word, int count) {
    os_sim_syscall();
    sim_wake_word(word, count);
}

/* Threads */

static struct sim_thread *thread_of(os_thread thread) {
    return (struct sim_thread *)thread.handle;
}

int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg) {
    os_sim_syscall();
    int error = os_fault(OS_FAULT_THREAD);
    if (error != 0) {
        return -error;
    }
    struct sim_thread *t = sim_thread_start(name, fn, arg);
    if (t == NULL) {
        return -EAGAIN;
    }
    thread->handle = (uintptr_t)t;
    return 0;
}

void os_thread_join(os_thread thread) {
    os_sim_syscall();
    sim_thread_join(thread_of(thread));
}

bool os_thread_try_join(os_thread thread) {
    os_sim_syscall();
    struct sim_thread *t = thread_of(thread);
    if (t->state != SIM_ENDED) {
        return false;
    }
    sim_thread_join(t);
    return true;
}

void os_thread_detach(os_thread thread) {
    sim_thread_detach(thread_of(thread));
}

void os_thread_yield(void) {
    sim_memory_flush(sim.self);
    sim_relax(sim.self->site);
}

void os_thread_stack(void **low, void **high) {
    *low = sim.self->stack;
    *high = sim.self->stack + SIM_STACK_BYTES;
}

unsigned long os_timer_slack_remove(void) {
    return 0;
}

void os_timer_slack_restore(unsigned long slack_ns) {
    (void)slack_ns;
}

void os_thread_shorten_slice(void) {
}

os_thread os_thread_self(void) {
    return (os_thread){.handle = (uintptr_t)sim.self};
}

int os_thread_number(void) {
    return sim.self->id + 1; /* 0 is none */
}

/* A thread that has exited is not counted by the kernel, even if it is not joined. The
   unblocker stands for the kernel itself. */
int os_thread_count(void) {
    int count = 0;
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        count += t->state != SIM_FREE && t->state != SIM_ENDED &&
                 strcmp(t->name, SIM_UNBLOCKER) != 0;
    }
    return count;
}

uint64_t os_limit(enum os_limit kind) {
    (void)kind;
    return OS_UNLIMITED;
}

bool os_thread_is_alone(void) {
    return os_thread_count() == 1;
}

/* There is no emulator. */
int os_thread_list_others(int *numbers, int max) {
    (void)numbers;
    (void)max;
    return 0;
}

bool os_thread_exists(int number) {
    (void)number;
    return false;
}

static int64_t cpu_ns(const struct sim_thread *t) {
    return (int64_t)t->steps * SIM_STEP_NS + t->computed_ns;
}

/* NULL: there is no such thread. The slot may have been reused by another thread, as a
   kernel thread id may. */
static struct sim_thread *living(int number) {
    if (number < 1 || number > sim.threads_end) {
        return NULL;
    }
    struct sim_thread *t = &sim.threads[number - 1];
    return t->state == SIM_RUNNABLE || t->state == SIM_ASLEEP ? t : NULL;
}

/* Sysmon retakes a P at the second call that returns an unchanged time. */
#define SEEN_AGAIN 2

int64_t os_thread_cpu(int number) {
    os_sim_syscall();
    struct sim_thread *t = living(number);
    if (t == NULL) {
        return 0;
    }
    t->seen_again = t->steps == t->seen_steps ? t->seen_again + 1 : 0;
    t->seen_steps = t->steps;
    if (t->state == SIM_ASLEEP && t->seen_again >= SEEN_AGAIN &&
        os_sim.on_found_asleep != NULL) {
        os_sim.on_found_asleep(t);
    }
    return cpu_ns(t);
}

int *os_errno_address(void) {
    return &sim.self->errno_value;
}

void os_errno_restore(const int *saved) {
    sim.self->errno_value = *saved;
}

int os_cpu_current(void) {
    return sim.self->id % os_sim.cpus;
}

int os_cpu_count(void) {
    return os_sim.cpus;
}

int64_t os_now(void) {
    if (!sim.quiet) {
        sim_step(sim.self->site);
    }
    sim.self->clock_reads++;
    return sim.now_ns;
}

/* Fences */

bool os_fence_register(void) {
    return os_sim.membarrier;
}

int os_fence_all_threads(void) {
    os_sim_syscall();
    if (sim_chance(NO_FENCE_CHANCE)) {
        return -ENOMEM;
    }
    sim_memory_flush_all();
    return 0;
}

/* Interruption */

static os_interrupt_handler *interrupt_handler;

/* A signal sent before the handler was removed may arrive after that. */
static void on_signal(int number) {
    (void)number;
    int errno_value = sim.self->errno_value;
    if (interrupt_handler != NULL) {
        interrupt_handler(true /* marked */, false /* in sched_yield */);
    }
    sim.self->errno_value = errno_value;
}

/* Scenarios do not fork. */
int os_fork_watch(void (*fn)(void)) {
    (void)fn;
    return -os_fault(OS_FAULT_FORK_WATCH);
}

/* A run does not call exit(). */
void os_at_exit(void (*fn)(void)) {
    (void)fn;
}

int os_interrupt_install(os_interrupt_handler *handler) {
    int error = os_fault(OS_FAULT_HANDLER);
    if (error != 0) {
        return -error;
    }
    interrupt_handler = handler;
    sim.signal_handler = on_signal;
    return 0;
}

void os_interrupt_remove(void) {
    interrupt_handler = NULL;
}

bool os_interrupt_unblock(void) {
    return false;
}

void os_interrupt_block(void) {
}

/* A thread that is not asleep counts as running, even if it had no turn since. */
bool os_thread_interrupt(int number, int64_t cpu_ns) {
    os_sim_syscall();
    struct sim_thread *t = living(number);
    if (t != NULL && t->state == SIM_ASLEEP && cpu_ns != 0) {
        return false;
    }
    if (t != NULL) {
        sim_signal(t, OS_SIM_URGENT);
    }
    return true;
}

/* Signals: a fault ends the run, see run.c. */

void os_threads_prepare(void) {
}

int os_fault_handler_install(os_fault_handler *handler) {
    (void)handler;
    return 0;
}

void os_fault_handler_remove(void) {
}

int os_signal_stack_install(void **token) {
    *token = NULL;
    return 0;
}

void os_signal_stack_remove(void *token) {
    (void)token;
}

/* The process */

static void keep_output(const char *text, size_t bytes) {
    size_t room = sizeof os_sim.output - 1 - os_sim.output_bytes;
    bytes = bytes < room ? bytes : room;
    memcpy(os_sim.output + os_sim.output_bytes, text, bytes);
    os_sim.output_bytes += bytes;
}

void os_write(int fd, const char *text, size_t bytes) {
    (void)fd;
    keep_output(text, bytes);
}

void os_exit(int status) {
    if (os_sim.expected_end == NULL) {
        sim_fail("the runtime ended the process with status %d:\n%s", status,
                 os_sim.output);
    }
    if (strstr(os_sim.output, os_sim.expected_end) == NULL) {
        sim_fail("the runtime ended the process without \"%s\":\n%s", os_sim.expected_end,
                 os_sim.output);
    }
    os_sim.on_exit();
    _exit(0);
}

void os_thread_end_prepare(void (*fn)(void)) {
    (void)fn;
}

void os_thread_end_watch(bool on) {
    (void)on;
}

void os_abort(void) {
    sim_fail("the runtime aborted the process:\n%s", os_sim.output);
}

void os_streams_flush(int64_t limit_ns, void (*end)(void)) {
    (void)limit_ns;
    (void)end;
}

/* The same environment on every machine. */
const char *os_env(const char *name) {
    return strcmp(name, "TUCODEBUG") == 0 ? os_sim.debug : NULL;
}

int os_read_text(const char *path, char *buffer, size_t bytes) {
    (void)path;
    (void)buffer;
    (void)bytes;
    return -ENOENT;
}

int os_file_open(const char *path) {
    (void)path;
    return -ENOENT;
}

int os_file_read(int file, char *buffer, size_t bytes) {
    (void)file;
    (void)buffer;
    (void)bytes;
    return -EBADF;
}

void os_file_close(int file) {
    (void)file;
}
