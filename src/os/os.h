/* SPDX-License-Identifier: MIT */
/* The only door to the kernel: what the runtime asks of it, and how failure looks. */
#ifndef RT_OS_H
#define RT_OS_H

/*
 * Contract.
 *
 * Errors are negative errno values; errno itself is never the channel, and is as before
 * after each call: the calling goroutine's program may be about to look at it. EINTR is
 * handled here: no function returns it. A futex wait may return early for no reason, so
 * that every caller re-checks its word in a loop.
 *
 * Any of the functions marked [fault] can be made to fail by a test: see os/fault.h. The
 * others cannot fail; os/faults.def says why.
 *
 * A simulation can implement the same functions with threads that are coroutines: nothing
 * goes around this door, see scripts/check_kernel_door.sh.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;
struct rt_m;
struct sockaddr;

/* The longest time there is: a futex wait without a deadline. Equal to TUCO_NEVER. */
#define OS_NEVER INT64_MAX

/* At the top of a function that calls the C library or the kernel: errno is as before
   when it returns. */
#define OS_KEEP_ERRNO \
    __attribute__((cleanup(os_errno_restore))) int os_errno_saved = *os_errno_address()

void os_errno_restore(const int *saved);

/* Futexes. */

/* [fault] Sleeps while *word == expected, until woken, until the monotonic clock reaches
   deadline_ns, or for no reason. Returns 0, or -ETIMEDOUT once the deadline has passed;
   whatever goes wrong is a return for no reason. */
int os_futex_wait(rt_atomic(uint32_t) *word, uint32_t expected, int64_t deadline_ns);

/* Wakes up to count threads that sleep on word. The memory behind word may be reused, or
   even gone, by now: a late wake is harmless, since every sleeper re-checks. It cannot
   fail in a way that matters. */
void os_futex_wake(rt_atomic(uint32_t) *word, int count);

/* Threads. */

typedef struct os_thread {
    uintptr_t handle;
} os_thread;

/* Notes the signal mask of the calling thread: all threads that are started later get
   it. */
void os_signal_mask_remember(void);

/* [fault] Starts fn(arg) on a new thread.
   Returns -EAGAIN or -ENOMEM if the system has no room for it. */
int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg)
    RT_NODISCARD;
void os_thread_join(os_thread thread);

/* The same without waiting. False: it has not ended, and has to be joined later. */
bool os_thread_try_join(os_thread thread) RT_NODISCARD;
void os_thread_detach(os_thread thread);
void os_thread_yield(void);

/* [fault] The bounds of the calling thread's own stack; both NULL if they cannot be
   told. */
void os_thread_stack(void **low, void **high);

/* Makes the calling thread's timed waits precise instead of up to 50 microseconds late.
   Returns the nanoseconds that they were allowed to be late, for _restore. */
unsigned long os_timer_slack_remove(void);
void os_timer_slack_restore(unsigned long slack_ns);

/* The calling thread: not for joining, unless os_thread_start() has returned it. */
os_thread os_thread_self(void);

/* The number by which the kernel knows the calling thread; above 0. */
int os_thread_number(void);

/* [fault] Time that the thread of this process with that number has spent on a CPU; 0 if
   it cannot be told: it has ended, or the number is below 1, say. */
int64_t os_thread_cpu(int number);

/* What a thread is doing. */
struct os_thread_use {
    int64_t cpu_ns; /* time it has spent on a CPU */
    bool asleep;    /* it waits in the kernel, and not for a CPU */
    bool untold;    /* one of the two cannot be told, and is 0 or false: no /proc, say */
};

/* [fault] The same number as above. */
struct os_thread_use os_thread_look(int number);

/* What the calling thread has had. */
struct os_usage {
    int64_t cpu_ns;  /* time on a CPU */
    uint64_t waits;  /* how often it has waited in the kernel, for anything but a CPU */
    uint64_t yields; /* how often it had to give its CPU to another */
    bool untold;     /* it cannot be told: all are 0 */
};

/* [fault] */
struct os_usage os_thread_usage(void);

/* The calling thread's errno. The address is the thread's, so it is asked for once per
   thread. */
int *os_errno_address(void);

/* [fault] The CPU that the calling thread is on now, as a hint; 0 if it cannot be
   told. */
int os_cpu_current(void);

/* [fault] How many CPUs the process may use: its affinity mask. At least 1, which it is
   also if that cannot be told. */
int os_cpu_count(void);

/* Looks which CPUs there are. Before the functions below; later changes switch them
   off. */
void os_cpus_learn(void);

/* [fault] Has the thread with that number, which sleeps, wake up on that CPU. Only if it
   may use all CPUs of the machine, so that os_thread_let_go() can undo it without
   remembering anything: one that somebody has limited is left alone. True: it is done. */
bool os_thread_bring(int number, int cpu) RT_NODISCARD;

/* [fault] The calling thread, which was brought, may use all CPUs again, unless somebody
   has limited it meanwhile. False: not yet. */
bool os_thread_let_go(void) RT_NODISCARD;

/* The clock: monotonic nanoseconds, always positive. */
int64_t os_now(void);

/* Memory. Sizes and addresses are multiples of OS_PAGE_BYTES. */

#define OS_PAGE_BYTES ((size_t)4096)

/* A stretch of memory for the calls that take several at once. */
struct os_range {
    void *start;
    size_t bytes;
};

/* [fault] Reserves zeroed memory that costs nothing until it is touched, aligned to align
   (a power of two), in pages that the kernel does not merge into huge ones. NULL: no
   memory or no address space. */
void *os_reserve(size_t bytes, size_t align);

/* [fault] Gives all of a reservation back; at least its memory, if the kernel has no room
   for the change of its list of mappings. */
void os_release(void *start, size_t bytes);

/* [fault] Makes each range fault on access, for as long as the reservation lives, without
   costing a mapping of its own. Returns -EINVAL where the kernel cannot (before Linux
   6.13), else -ENOMEM; none of the ranges has a guard then. */
int os_guard_install(const struct os_range *ranges, int count) RT_NODISCARD;

/* [fault] True if os_guard_install really makes memory fault here: emulators and old
   kernels may accept the call and do nothing. Asked once, by trying. */
bool os_guard_works(void);

/* [fault] The older way: takes away access to the range, at the price of mappings. */
int os_protect_none(void *start, size_t bytes) RT_NODISCARD;

/* [fault] Brings the ranges into memory in one go, which is cheaper than a fault for
   each. A hint: it may do nothing. */
void os_populate(const struct os_range *ranges, int count);

/* [fault] Gives the pages of the ranges back; they read as zero afterwards. Guards in
   them stay. A hint: it may do nothing, and then they read as before. */
void os_discard(const struct os_range *ranges, int count);

/* [fault] How many mappings a process may have; the kernel's default if it cannot be
   told. */
long os_max_mappings(void);

/* Readiness of descriptors. */

enum os_poll_events {
    OS_POLL_READ = 1,  /* there is something, the end, or an error */
    OS_POLL_WRITE = 2, /* there is room, nobody who reads, or an error */
    OS_POLL_MORE =
        4, /* beyond what a read returns there may be more to be told: the end, an
                          error, or what follows urgent data */
};

struct os_poll {
    int watch; /* the kernel's set of descriptors */
    int waker;
};

struct os_poll_event {
    uint64_t token;
    uint32_t events; /* enum os_poll_events */
};

/* How many events os_poll_wait() hands out at once. */
#define OS_POLL_EVENTS_MAX 256

/* [fault] Makes a set, with nothing in it. Returns -EMFILE, -ENFILE or -ENOMEM if there
   is no room for it. */
int os_poll_make(struct os_poll *poll) RT_NODISCARD;
void os_poll_free(struct os_poll *poll);

/* [fault] From now on os_poll_wait() tells each time that fd becomes ready for something,
   and at first if it is. token is not UINT64_MAX. Returns -EPERM if it can not be told
   for this kind of file, -EEXIST if fd is in the set, -ENOSPC or -ENOMEM. */
int os_poll_add(const struct os_poll *poll, int fd, uint64_t token) RT_NODISCARD;

/* Undoes that; nothing if fd is not in the set. What another thread has been told already
   may still be on its way. */
void os_poll_remove(const struct os_poll *poll, int fd);

/* [fault] Waits until there are events, until os_poll_wake(), until the monotonic clock
   reaches deadline_ns, or for no reason; a deadline at or below 0 only looks. Returns how
   many of max there are, or -EBADF if the program has closed what is not its own. Several
   threads may wait at once: each event goes to one of them. */
int os_poll_wait(const struct os_poll *poll, struct os_poll_event *events, int max,
                 int64_t deadline_ns);

/* One thread in os_poll_wait() returns, or the next one to come. Any thread. */
void os_poll_wake(const struct os_poll *poll);

/* Descriptors of the program. None of these waits for a descriptor that is non-blocking:
   they return -EAGAIN. Nor does any raise SIGPIPE. */

enum os_fd_kind {
    OS_FD_TCP,      /* a socket that carries bytes, by TCP */
    OS_FD_STREAM,   /* by something else, or perhaps by TCP */
    OS_FD_MESSAGES, /* a socket that carries messages */
    OS_FD_PIPE,
    OS_FD_OTHER,
};

struct os_fd_traits {
    enum os_fd_kind kind;
    bool pollable; /* os_poll_add() works for it */
};

/* The most pieces of a readv or writev. */
#define OS_IOV_MAX 1024

/* [fault] What fd is. -EBADF: nothing; or -EMFILE, -ENFILE or -ENOMEM if it takes more
   than there is to find out. */
int os_fd_learn(int fd, struct os_fd_traits *traits) RT_NODISCARD;

/* [fault] */
int os_fd_make_nonblocking(int fd) RT_NODISCARD;

/* [fault], all: a count of bytes or an error. */
int64_t os_fd_read(int fd, enum os_fd_kind kind, void *buffer, size_t bytes) RT_NODISCARD;
int64_t os_fd_readv(int fd, enum os_fd_kind kind, const struct iovec *iov, int count)
    RT_NODISCARD;
int64_t os_fd_write(int fd, enum os_fd_kind kind, const void *buffer, size_t bytes)
    RT_NODISCARD;
int64_t os_fd_writev(int fd, enum os_fd_kind kind, const struct iovec *iov, int count)
    RT_NODISCARD;
int64_t os_fd_recvfrom(int fd, void *buffer, size_t bytes, struct sockaddr *from,
                       uint32_t *from_bytes) RT_NODISCARD;
int64_t os_fd_sendto(int fd, const void *buffer, size_t bytes, const struct sockaddr *to,
                     uint32_t to_bytes) RT_NODISCARD;

/* [fault] how: as the kernel has it. */
int os_fd_shutdown(int fd, int how) RT_NODISCARD;

/* Closes it in any case. Returns what went wrong with what was written before, or 0. */
int os_fd_close(int fd);

/* [fault] What fd is ready for at the moment, without waiting: of the events, which are
   bits of <poll.h>, and POLLERR and POLLHUP. -EBADF: it is not open. -EINVAL: events has
   none of POLLIN, POLLOUT, POLLPRI and POLLRDHUP, or others. */
int os_fd_ready(int fd, int events) RT_NODISCARD;

/* [fault] Makes a descriptor that is ready for reading as long as fd is ready for one of
   the events or has an error. It does not keep fd's file open, and notices nothing any
   more when that is closed. Returns it, or -EPERM if it cannot be told for this kind of
   file, -EBADF, -ELOOP if fd watches others over too many steps itself, -EMFILE, -ENFILE,
   -ENOSPC or -ENOMEM. */
int os_fd_watcher(int fd, int events) RT_NODISCARD;

/* Sockets. Those that are made here are non-blocking, and programs that the process
   starts do not get them. */

enum os_family { OS_FAMILY_IPV4, OS_FAMILY_IPV6, OS_FAMILY_UNIX };

/* Of a name of OS_FAMILY_UNIX. A path is shorter by one. */
#define OS_UNIX_NAME_MAX 108

/* One address. What its family does not have is 0. */
struct os_address {
    enum os_family family;
    uint8_t ip[16]; /* the first four of it are an address of OS_FAMILY_IPV4 */
    uint32_t zone;  /* OS_FAMILY_IPV6: which interface's network is meant; 0: not said */
    uint16_t port;
    uint8_t name_bytes; /* OS_FAMILY_UNIX; 0: none, or one that the kernel makes up */
    char name[OS_UNIX_NAME_MAX]; /* a path, or a zero and an abstract name; no end mark */
};

/* [fault] kind: OS_FD_TCP, OS_FD_STREAM for OS_FAMILY_UNIX, or OS_FD_MESSAGES. One of TCP
   sends at once what is written, and finds out in time that its other end is gone: this
   one, and what it accepts. */
int os_socket_make(enum os_family family, enum os_fd_kind kind) RT_NODISCARD;

enum os_bind_flags {
    OS_BIND_AGAIN = 1, /* although connections of an earlier listener are still known */
    OS_BIND_BOTH = 2,  /* one of OS_FAMILY_IPV6 is for IPv4 as well */
};

/* [fault] */
int os_socket_bind(int fd, const struct os_address *address, unsigned flags) RT_NODISCARD;

/* [fault] With as many connections waiting as the system allows. */
int os_socket_listen(int fd) RT_NODISCARD;

/* [fault] Returns the next connection, or an error: -EAGAIN if there is none. Connections
   that have failed are passed over. */
int os_socket_accept(int fd) RT_NODISCARD;

/* [fault] Begins to connect, or looks how far that is, by the same call. Returns 0 if it
   is connected, -EINPROGRESS if it is on its way, which is over once fd is ready for
   writing, -EAGAIN if the listener, of OS_FAMILY_UNIX, has no room, or another error:
   then it has failed. */
int os_socket_connect(int fd, const struct os_address *address) RT_NODISCARD;

/* [fault], both: the address of this end, and of the other. -EAFNOSUPPORT: it is of
   another family. -ENOTSOCK: fd is no socket. -ENOTCONN: there is no other end. One of
   IPv4 that uses a socket of IPv6 is told as what it is. */
int os_socket_local(int fd, struct os_address *address) RT_NODISCARD;
int os_socket_remote(int fd, struct os_address *address) RT_NODISCARD;

/* The file that binding to address has made: for as long as the socket is open it can be
   told from a later one of the same name. */
struct os_socket_file {
    uint64_t device;
    uint64_t number;
    int process; /* that has found it */
};

/* [fault] -ENOENT: address has none, or it is gone. */
int os_socket_file_find(const struct os_address *address, struct os_socket_file *file)
    RT_NODISCARD;

/* Removes the file at address, unless it is another one, or this another process. */
void os_socket_file_remove(const struct os_address *address,
                           const struct os_socket_file *file);

/* Names. */

enum os_families { OS_FAMILIES_IPV4 = 1, OS_FAMILIES_IPV6 = 2, OS_FAMILIES_BOTH = 3 };

/* [fault] Asks the system for the addresses of the host with that name, of these
   families, the best first. Blocks, perhaps for many seconds, and needs much of the
   stack. Stores a list for rt_free() in *list and returns its length, which is above 0,
   or an error: -EADDRNOTAVAIL if the name is not known, -EAGAIN if those who know were
   not reached, -EIO if they failed, -ENOMEM, -EMFILE or -ENFILE if no descriptor is left
   to ask with. */
int os_host_find(const char *name, unsigned families, struct os_address **list)
    RT_NODISCARD;

/* [fault] The port that the system knows by that name, for OS_FD_MESSAGES of UDP, else of
   TCP. Returns it or an error, as above. Likewise blocks. */
int os_service_find(const char *name, enum os_fd_kind kind) RT_NODISCARD;

/* With the zero at its end. */
#define OS_INTERFACE_NAME_BYTES 16

/* [fault] The number of a network interface, which is above 0. -ENODEV: there is none of
   that name. */
int os_interface_find(const char *name) RT_NODISCARD;

/* [fault] And its name. -ENODEV: there is none of that number. */
int os_interface_name(uint32_t number, char name[OS_INTERFACE_NAME_BYTES]) RT_NODISCARD;

/* Asymmetric fences: see base/fence.h. */

/* [fault] Registers the process for os_fence_all_threads. False: this kernel or sandbox
   cannot. */
bool os_fence_register(void);

/* [fault] Every running thread of the process executes a full memory fence before this
   returns 0. -ENOMEM: perhaps none did, try again. Other errors: the kernel refuses it
   since, and will go on doing so. */
int os_fence_all_threads(void) RT_NODISCARD;

/* Faults. */

/* What a thread was doing when it touched forbidden memory. */
struct os_fault_info {
    void *address; /* what it touched */
    void *pc;
    void *sp;
};

/* Handles a fault; true: it was ours and is dealt with (the handler does not return then
   in practice); false: hand it to whoever handled the signal before. */
typedef bool os_fault_handler(const struct os_fault_info *info);

/* [fault] Installs handler for SIGSEGV and SIGBUS, run on the thread's alternate stack.
   Undone by _remove. */
int os_fault_handler_install(os_fault_handler *handler) RT_NODISCARD;
void os_fault_handler_remove(void);

/* Interruption of a thread, by SIGURG. */

/* On the interrupted thread. told: the signal was ours. Else the kernel had no room to
   keep what it carried, so that it may be anybody's: whoever expects it acts. */
typedef void os_interrupt_handler(bool told);

/* [fault] Has os_thread_interrupt() call handler on the interrupted thread, on its
   alternate stack, with errno kept. System calls that it interrupts go on by themselves
   where the kernel lets them. The signal from elsewhere, and one that may be from there,
   goes to who handled it before. Undone by _remove. */
int os_interrupt_install(os_interrupt_handler *handler) RT_NODISCARD;
void os_interrupt_remove(void);

/* Interrupts the thread of this process with that number, if there is one. It cannot fail
   in a way that matters: who wants it looks, and does it again. */
void os_thread_interrupt(int number);

/* [fault] Gives the calling thread an alternate signal stack that the handlers here can
   run on, unless it has one, and puts back what it had before. */
int os_signal_stack_install(void **token) RT_NODISCARD;
void os_signal_stack_remove(void *token);

/* The process. */

/* [fault] Writes all of it to the file descriptor, as far as it can be written. */
void os_write(int fd, const char *text, size_t bytes);

/* [fault] From now on, and for good, each child process of fork() calls fn before all
   else. */
int os_fork_watch(void (*fn)(void)) RT_NODISCARD;

/* Ends the process now, without running anything of the program. */
_Noreturn void os_exit(int status);

/* The value of an environment variable, or NULL. */
const char *os_env(const char *name);

/* [fault] Reads the start of a small text file into buffer and terminates it. Returns the
   length or an error. */
int os_read_text(const char *path, char *buffer, size_t bytes);

/* For longer files, a piece at a time. */

/* [fault] Opens a file for reading; programs that the process starts do not get it.
   Returns the descriptor or an error. */
int os_file_open(const char *path) RT_NODISCARD;

/* [fault] Reads on, at most so many bytes. Returns how many there were, 0 at the end, or
   an error. */
int os_file_read(int file, char *buffer, size_t bytes) RT_NODISCARD;
void os_file_close(int file);

#endif
