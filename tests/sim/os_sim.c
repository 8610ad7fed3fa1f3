/* SPDX-License-Identifier: MIT */
/* The kernel behind os.h in the simulation. Memory is real: os_memory.c. */
#define SIM_OS_PLAIN
#include "os/os.h"
#include "os/fault.h"
#include "os_sim.h"
#include "machine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A futex wait returns for no reason, and a membarrier fails for want of memory, as the
   contract of os.h allows: one in so many times. */
#define SPURIOUS_CHANCE 64
#define NO_FENCE_CHANCE 8

os_fault_fn *os_fault_hook;
struct os_sim os_sim;

static void syscall_step(int64_t ns) {
    const struct sim_site *site = sim.self->site;
    if (sim.quiet) {
        return;
    }
    sim_step(site);
    sim.now_ns += ns; /* deadlines that are due by this are seen at the next step */
    /* The kernel's own locks and barriers are on the way of each of these calls. */
    sim_memory_flush(sim.self);
}

/* Futexes */

int os_futex_wait(rt_atomic(uint32_t) *word, uint32_t expected, int64_t deadline_ns) {
    syscall_step(0);
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
    syscall_step(0);
    sim_wake_word(word, count);
}

/* Threads */

static struct sim_thread *thread_of(os_thread thread) {
    return (struct sim_thread *)thread.handle;
}

int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg) {
    syscall_step(0);
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
    syscall_step(0);
    sim_thread_join(thread_of(thread));
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

int os_thread_number(void) {
    return sim.self->id + 1; /* 0 is none */
}

struct os_thread_use os_thread_look(os_thread thread, int number) {
    (void)number;
    const struct sim_thread *t = thread_of(thread);
    return (struct os_thread_use){
        .cpu_ns = (int64_t)t->steps * SIM_STEP_NS,
        .asleep = t->state == SIM_ASLEEP,
    };
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
    return sim.now_ns;
}

/* Fences */

bool os_fence_register(void) {
    return os_sim.membarrier;
}

int os_fence_all_threads(void) {
    syscall_step(0);
    if (sim_chance(NO_FENCE_CHANCE)) {
        return -ENOMEM;
    }
    sim_memory_flush_all();
    return 0;
}

/* Signals: a fault ends the run, see run.c. */

void os_signal_mask_remember(void) {
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

/* The same on every machine. */
const char *os_env(const char *name) {
    return strcmp(name, "TUCODEBUG") == 0 ? os_sim.debug : NULL;
}

int os_read_text(const char *path, char *buffer, size_t bytes) {
    (void)path;
    (void)buffer;
    (void)bytes;
    return -ENOENT;
}
