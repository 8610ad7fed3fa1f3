/* SPDX-License-Identifier: MIT */
/* Wraps src/os/os.h in the simulation: each call records its place, for the report. */
#ifndef SIM_OS_H
#define SIM_OS_H

#include_next "os/os.h"
#include "sim.h"

/* The implementation of the functions must not see the macros. */
#ifndef SIM_OS_PLAIN
#define os_futex_wait(word, ...) \
    (sim_at(SIM_SITE("futex_wait", #word)), os_futex_wait(word, __VA_ARGS__))
#define os_futex_wake(word, ...) \
    (sim_at(SIM_SITE("futex_wake", #word)), os_futex_wake(word, __VA_ARGS__))
#define os_thread_start(thread, ...) \
    (sim_at(SIM_SITE("thread_start", #thread)), os_thread_start(thread, __VA_ARGS__))
#define os_thread_join(thread) \
    (sim_at(SIM_SITE("thread_join", #thread)), os_thread_join(thread))
#define os_thread_try_join(thread) \
    (sim_at(SIM_SITE("thread_try_join", #thread)), os_thread_try_join(thread))
#define os_thread_yield() (sim_at(SIM_SITE("thread_yield", "")), os_thread_yield())
#define os_thread_cpu(number) \
    (sim_at(SIM_SITE("thread_cpu", #number)), os_thread_cpu(number))
#define os_thread_interrupt(number, ...) \
    (sim_at(SIM_SITE("interrupt", #number)), os_thread_interrupt(number, __VA_ARGS__))
#define os_now()                 (sim_at(SIM_SITE("now", "")), os_now())
#define os_release(start, bytes) (sim_memory_gone(start, bytes), os_release(start, bytes))
#define os_fence_all_threads() \
    (sim_at(SIM_SITE("membarrier", "")), os_fence_all_threads())
#define os_poll_make(poll) (sim_at(SIM_SITE("poll_make", #poll)), os_poll_make(poll))
#define os_poll_free(poll) (sim_at(SIM_SITE("poll_free", #poll)), os_poll_free(poll))
#define os_poll_add(poll, ...) \
    (sim_at(SIM_SITE("poll_add", #poll)), os_poll_add(poll, __VA_ARGS__))
#define os_poll_remove(poll, ...) \
    (sim_at(SIM_SITE("poll_remove", #poll)), os_poll_remove(poll, __VA_ARGS__))
#define os_poll_wait(poll, ...) \
    (sim_at(SIM_SITE("poll_wait", #poll)), os_poll_wait(poll, __VA_ARGS__))
#define os_poll_wake(poll) (sim_at(SIM_SITE("poll_wake", #poll)), os_poll_wake(poll))
#define os_fd_read(fd, ...) \
    (sim_at(SIM_SITE("fd_read", #fd)), os_fd_read(fd, __VA_ARGS__))
#define os_fd_readv(fd, ...) \
    (sim_at(SIM_SITE("fd_readv", #fd)), os_fd_readv(fd, __VA_ARGS__))
#define os_fd_write(fd, ...) \
    (sim_at(SIM_SITE("fd_write", #fd)), os_fd_write(fd, __VA_ARGS__))
#define os_fd_writev(fd, ...) \
    (sim_at(SIM_SITE("fd_writev", #fd)), os_fd_writev(fd, __VA_ARGS__))
#define os_fd_recvfrom(fd, ...) \
    (sim_at(SIM_SITE("fd_recvfrom", #fd)), os_fd_recvfrom(fd, __VA_ARGS__))
#define os_fd_sendto(fd, ...) \
    (sim_at(SIM_SITE("fd_sendto", #fd)), os_fd_sendto(fd, __VA_ARGS__))
#define os_fd_shutdown(fd, ...) \
    (sim_at(SIM_SITE("fd_shutdown", #fd)), os_fd_shutdown(fd, __VA_ARGS__))
#define os_fd_close(fd) (sim_at(SIM_SITE("fd_close", #fd)), os_fd_close(fd))
#endif

#endif
