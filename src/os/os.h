/* SPDX-License-Identifier: MIT */
/* The only interface to the kernel: the calls that the runtime makes and how they fail. */
#ifndef RT_OS_H
#define RT_OS_H

/*
 * Contract.
 *
 * Errors are negative errno values. Every call leaves errno unchanged, because the program
 * on the calling goroutine may be about to read it. EINTR is handled here: no function
 * returns it. A futex wait may return spuriously, so every caller re-checks its word in a
 * loop.
 *
 * Tests can make functions marked [fault] fail: see os/fault.h. The others cannot fail;
 * os/faults.def says why.
 *
 * The simulation implements the same functions with coroutines as threads. No code
 * bypasses this interface: scripts/check_kernel_door.sh.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/race.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;
struct rt_m;
struct sockaddr;

/* The maximum time: a wait without a deadline. Equal to TUCO_NEVER. */
#define OS_NEVER INT64_MAX

/* At the top of a function that calls the C library or the kernel: restores errno when the
   function returns, and hides the runtime's memory and descriptors from ThreadSanitizer
   (race.h). */
#define OS_KEEP_ERRNO  \
    RT_RACE_IGNORED(); \
    OS_KEEP_ERRNO_ONLY

/* The same for calls that access the program's memory, which ThreadSanitizer must see. */
#define OS_KEEP_ERRNO_ONLY                                                  \
    __attribute__((cleanup(os_errno_restore), unused)) int os_errno_saved = \
        *os_errno_address()

void os_errno_restore(const int *saved);

/* Futexes. */

/* [fault] Sleeps while *word == expected, until woken, until the monotonic clock reaches
   deadline_ns, or spuriously. Returns 0, or -ETIMEDOUT once the deadline has passed. Any
   other error counts as a spurious wake-up. */
int os_futex_wait(rt_atomic(uint32_t) *word, uint32_t expected, int64_t deadline_ns);

/* Wakes up to count threads that sleep on word. The memory of word may already be reused
   or unmapped: a late wake is harmless, since every sleeper re-checks. No failure
   matters. */
void os_futex_wake(rt_atomic(uint32_t) *word, int count);

/* Threads. */

typedef struct os_thread {
    uintptr_t handle;
} os_thread;

/* Saves the calling thread's signal mask, which all threads started later get. Computes
   how much of a thread's stack the C library takes for thread-local variables. */
void os_threads_prepare(void);

/* [fault] Starts fn(arg) on a new thread. Returns -EAGAIN or -ENOMEM if the system cannot
   create it. */
int os_thread_start(os_thread *thread, const char *name, void (*fn)(void *), void *arg)
    RT_NODISCARD;

/* The same with the stack size of the program's own threads, to run code of the program or
   the C library. */
int os_thread_start_large(os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg) RT_NODISCARD;
void os_thread_join(os_thread thread);

/* Has fn called on each watched thread that exits, for instance by pthread_exit(). Not
   called if the C library has no key left. */
void os_thread_end_prepare(void (*fn)(void));

/* Sets whether the calling thread is watched. */
void os_thread_end_watch(bool on);

/* Joins thread if it has exited. False: it has not, and must be joined later. */
bool os_thread_try_join(os_thread thread) RT_NODISCARD;
void os_thread_detach(os_thread thread);
void os_thread_yield(void);

/* [fault] The bounds of the calling thread's own stack; both NULL if unknown. */
void os_thread_stack(void **low, void **high);

/* Makes the calling thread's timed waits precise; by default the kernel may delay them by
   50 microseconds. Returns the previous slack in nanoseconds, for _restore. */
unsigned long os_timer_slack_remove(void);
void os_timer_slack_restore(unsigned long slack_ns);

/* Requests a short time slice for the calling thread: when it wakes up, it preempts threads
   that compute. Since Linux 6.12; no effect on older kernels, or where it is forbidden. */
void os_thread_shorten_slice(void);

/* The calling thread. Joinable only if os_thread_start() created it. */
os_thread os_thread_self(void);

/* The calling thread's kernel thread id; above 0. */
int os_thread_number(void);

/* The resource limits of the process: threads of its user, bytes of address space, bytes of
   locked memory. */
enum os_limit { OS_LIMIT_THREADS, OS_LIMIT_MEMORY, OS_LIMIT_LOCKED };
#define OS_UNLIMITED UINT64_MAX
uint64_t os_limit(enum os_limit kind);

/* [fault] The number of threads of the process, or an error: /proc is not mounted. */
int os_thread_count(void);

/* Whether the C library guarantees that the process has no other thread. The kernel may
   still count one that has been joined. */
bool os_thread_is_alone(void);

/* Stores the ids of the other threads of the process, at most max, and returns how many it
   has stored. Calls malloc. */
int os_thread_list_others(int *numbers, int max);

/* Whether os_thread_count() counts a thread with that id. */
bool os_thread_exists(int number);

/* [fault] CPU time of the thread of this process with that id; 0 if unknown, for instance
   because it has exited or number is below 1. */
int64_t os_thread_cpu(int number);

/* The address of the calling thread's errno. It is constant for a thread, so a thread
   needs it only once. */
int *os_errno_address(void);

/* [fault] The CPU that the calling thread is on, as a hint; 0 if unknown. */
int os_cpu_current(void);

/* [fault] How many CPUs the process may use, by its affinity mask. At least 1; 1 if
   unknown. */
int os_cpu_count(void);

/* The clock: monotonic nanoseconds, always positive. */
int64_t os_now(void);

/* Memory. Sizes and addresses are multiples of OS_PAGE_BYTES. */

#define OS_PAGE_BYTES ((size_t)4096)

/* A range of memory, for calls that take several. */
struct os_range {
    void *start;
    size_t bytes;
};

/* [fault] Reserves zeroed memory that costs nothing until it is touched, aligned to align
   (a power of two), without huge pages. If the program locks its memory, each page is
   locked when it is touched. NULL: no memory, no address space, or over the limit of
   locked memory. */
void *os_reserve(size_t bytes, size_t align);

/* [fault] Unmaps a reservation. If the kernel cannot split a mapping, only the memory is
   freed and the addresses stay reserved. */
void os_release(void *start, size_t bytes);

/* Makes the range zero again, as newly reserved; for the sanitizers too. */
void os_renew(void *start, size_t bytes);

/* [fault] Makes each range fault on access for the lifetime of the reservation, without a
   mapping of its own. Returns -EINVAL where the kernel does not support it (before Linux
   6.13), or -ENOMEM; then none of the ranges has a guard. */
int os_guard_install(const struct os_range *ranges, int count) RT_NODISCARD;

/* [fault] Whether os_guard_install() really makes memory fault: emulators and old kernels
   may accept the call and do nothing. Tries it; called once. */
bool os_guard_works(void);

/* [fault] Removes access to the range by mprotect(), which costs extra mappings. */
int os_protect_none(void *start, size_t bytes) RT_NODISCARD;

/* [fault] Populates the ranges, which is cheaper than a page fault for each page. A hint:
   it may do nothing. */
void os_populate(const struct os_range *ranges, int count);

/* [fault] Frees the pages of the ranges; they read as zero afterwards. Guards in them
   stay. A hint: it may do nothing, and then the contents stay. */
void os_discard(const struct os_range *ranges, int count);

/* [fault] The limit on mappings of a process; the kernel's default if unknown. */
long os_max_mappings(void);

/* [fault] The address space that the process uses, in bytes; 0 if unknown. */
size_t os_memory_mapped(void);

/* Readiness of descriptors. */

enum os_poll_events {
    OS_POLL_READ = 1,  /* data, end of stream, or an error */
    OS_POLL_WRITE = 2, /* room, a closed read end, or an error */
    /* After a read there may be more to report: end of stream, an error, or what follows
       urgent data. */
    OS_POLL_MORE = 4,
};

/* Written by os_poll_make(), then immutable. */
struct os_poll {
    int watch; /* the epoll set */
    int waker; /* the eventfd in it */
};

struct os_poll_event {
    uint64_t token;
    uint32_t events; /* enum os_poll_events */
};

/* The most events that one os_poll_wait() returns. */
#define OS_POLL_EVENTS_MAX 256

/* [fault] Creates an empty set. Returns -EMFILE, -ENFILE or -ENOMEM if the system cannot
   create it. */
int os_poll_make(struct os_poll *poll) RT_NODISCARD;
void os_poll_free(struct os_poll *poll);

/* [fault] Adds fd: from now on os_poll_wait() reports each time that fd becomes ready
   (edge-triggered), and first if it already is. token is not UINT64_MAX. Returns -EPERM if
   this kind of file does not support it, -EEXIST if fd is in the set, -ENOSPC or
   -ENOMEM. */
int os_poll_add(const struct os_poll *poll, int fd, uint64_t token) RT_NODISCARD;

/* Removes fd; does nothing if fd is not in the set. An event that another thread has
   already received may still be in flight. */
void os_poll_remove(const struct os_poll *poll, int fd);

/* [fault] Waits until there are events, until os_poll_wake(), until the monotonic clock
   reaches deadline_ns, or spuriously; a deadline at or below 0 does not wait. Returns the
   number of events, at most max, or -EBADF if the program has closed the runtime's
   descriptor. Several threads may wait at once: each event goes to one of them. */
int os_poll_wait(const struct os_poll *poll, struct os_poll_event *events, int max,
                 int64_t deadline_ns);

/* Makes one thread in os_poll_wait() return, or the next one that calls it. Any thread. */
void os_poll_wake(const struct os_poll *poll);

/* Descriptors of the program. No call here blocks on a non-blocking descriptor: it returns
   -EAGAIN. No call raises SIGPIPE. */

enum os_fd_kind {
    OS_FD_TCP,      /* a stream socket, known to be TCP */
    OS_FD_STREAM,   /* a stream socket of any protocol, perhaps TCP */
    OS_FD_MESSAGES, /* a socket that carries messages */
    OS_FD_PIPE,
    OS_FD_OTHER,
};

struct os_fd_traits {
    enum os_fd_kind kind;
    bool pollable; /* os_poll_add() works for it */
};

/* The most buffers of a readv or writev. */
#define OS_IOV_MAX 1024

/* [fault] Finds out what fd is. -EBADF: it is not open. -EMFILE, -ENFILE or -ENOMEM: out
   of resources to find out. */
int os_fd_learn(int fd, struct os_fd_traits *traits) RT_NODISCARD;

/* Identifies an open file whose O_NONBLOCK we have set; several descriptors and processes
   may share it. Two with the same device and file share the flag or cannot be told
   apart. */
struct os_fd_flag {
    int number;
    int process; /* the process that set the flag */
    uint64_t device;
    uint64_t file;
};

/* [fault] Makes fd non-blocking and fills *flag. Returns 0, 1 if fd already was
   non-blocking, or an error. */
int os_fd_make_nonblocking(int fd, struct os_fd_flag *flag) RT_NODISCARD;

/* Undoes that, if called by the same process. */
void os_fd_make_blocking(const struct os_fd_flag *flag);

/* The descriptors up to this one are standard input, output and error. */
#define OS_FD_STANDARD_LAST 2

/* [fault] Opens a blocking pipe or terminal again: the new descriptor has its own flags
   and is non-blocking. -EOPNOTSUPP if fd is something else or non-blocking already;
   otherwise the kernel's error. */
int os_fd_reopen(int fd) RT_NODISCARD;

/* Makes descriptor to refer to the file of from, and closes from. On error changes
   neither. */
int os_fd_move(int from, int to) RT_NODISCARD;

/* Sets the TCP options of os_socket_make() on a connection accepted from a listener of the
   program, except those that it inherited. False: fd is not TCP. */
bool os_socket_tune(int fd);

/* Whether fd is a listening socket. */
bool os_socket_listens(int fd);

/* [fault], all: return a count of bytes or an error. */
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

/* [fault] how: as in shutdown(2). */
int os_fd_shutdown(int fd, int how) RT_NODISCARD;

/* Closes fd in any case. Returns the error of earlier writes, or 0. */
int os_fd_close(int fd);

/* [fault] Reports without waiting which of events fd is ready for, and POLLERR and
   POLLHUP. events are bits of <poll.h>. -EBADF: fd is not open. -EINVAL: events is empty,
   or has bits other than POLLIN, POLLOUT, POLLPRI and POLLRDHUP. */
int os_fd_ready(int fd, int events) RT_NODISCARD;

/* [fault] Creates a descriptor that is readable while fd is ready for one of the events or
   has an error. It does not keep fd's file open, and reports nothing once that file is
   closed. Returns the descriptor, -EPERM if this kind of file does not support it, -EBADF,
   -ELOOP if fd is itself a watcher nested too deeply, -EMFILE, -ENFILE, -ENOSPC or
   -ENOMEM. */
int os_fd_watcher(int fd, int events) RT_NODISCARD;

/* [fault] Whether fd, which is not ready for the events, never will be, because this kind
   of file does not support a watcher. Such a file is always ready to read and write; only
   if fd is, this opens a descriptor for a moment, and returns false if none is left. */
bool os_fd_is_unwatchable(int fd, int events);

/* Sockets. All that are created here are non-blocking and close-on-exec. */

enum os_family { OS_FAMILY_IPV4, OS_FAMILY_IPV6, OS_FAMILY_UNIX };

/* The size of a name of OS_FAMILY_UNIX; a path is one byte shorter. */
#define OS_UNIX_NAME_MAX 108

/* One address. Fields that its family does not use are 0. */
struct os_address {
    enum os_family family;
    uint8_t ip[16]; /* OS_FAMILY_IPV4 uses the first four bytes */
    uint32_t zone;  /* OS_FAMILY_IPV6: the interface of a link-local address; 0: none */
    uint16_t port;
    uint8_t name_bytes; /* OS_FAMILY_UNIX; 0: unnamed, or the kernel chooses a name */
    /* A path, or a zero and an abstract name. Not terminated. */
    char name[OS_UNIX_NAME_MAX];
};

/* [fault] kind: OS_FD_TCP, OS_FD_STREAM for OS_FAMILY_UNIX, or OS_FD_MESSAGES. A TCP
   socket, and every connection that it accepts, sends without delay (TCP_NODELAY) and
   detects a dead peer (keepalive). */
int os_socket_make(enum os_family family, enum os_fd_kind kind) RT_NODISCARD;

enum os_bind_flags {
    OS_BIND_AGAIN = 1, /* SO_REUSEADDR: connections of an earlier listener may remain */
    OS_BIND_BOTH = 2,  /* an OS_FAMILY_IPV6 socket also accepts IPv4 */
};

/* [fault] */
int os_socket_bind(int fd, const struct os_address *address, unsigned flags) RT_NODISCARD;

/* [fault] Listens with the largest backlog that the system allows. */
int os_socket_listen(int fd) RT_NODISCARD;

/* [fault] Returns the next connection, or an error: -EAGAIN if there is none. Skips
   connections that have failed. */
int os_socket_accept(int fd) RT_NODISCARD;

/* [fault] Begins to connect; called again, reports the progress. Returns 0 if connected;
   -EINPROGRESS if the attempt is under way, which ends when fd is writable; -EAGAIN if the
   queue of an OS_FAMILY_UNIX listener is full; or another error: the attempt has
   failed. */
int os_socket_connect(int fd, const struct os_address *address) RT_NODISCARD;

/* [fault], both. Creates a descriptor that is readable once os_socket_connect() of fd has
   finished, as os_fd_watcher() does; and adds another socket to it. */
int os_socket_watcher(int fd) RT_NODISCARD;
int os_socket_watch(int watcher, int fd) RT_NODISCARD;

/* [fault], both: the address of this end and of the peer. -EAFNOSUPPORT: another family.
   -ENOTSOCK: fd is not a socket. -ENOTCONN: there is no peer. An IPv4 address mapped into
   IPv6 is reported as IPv4. */
int os_socket_local(int fd, struct os_address *address) RT_NODISCARD;
int os_socket_remote(int fd, struct os_address *address) RT_NODISCARD;

/* The file that bind() created for an OS_FAMILY_UNIX address. While the socket is open,
   its inode number distinguishes it from a later file of the same name. */
struct os_socket_file {
    uint64_t device;
    uint64_t number;
    int process; /* the process that looked it up */
};

/* [fault] -ENOENT: address has no file, or it is gone. */
int os_socket_file_find(const struct os_address *address, struct os_socket_file *file)
    RT_NODISCARD;

/* Removes the file at address if it is still that file and this is the same process. */
void os_socket_file_remove(const struct os_address *address,
                           const struct os_socket_file *file);

/* Names. */

enum os_families { OS_FAMILIES_IPV4 = 1, OS_FAMILIES_IPV6 = 2, OS_FAMILIES_BOTH = 3 };

/* [fault] Looks up the addresses of a host, of these families, the best first. Blocks,
   perhaps for many seconds, and needs much stack. Stores a list for rt_free() in *list and
   returns its length, above 0, or an error: -EADDRNOTAVAIL if the name does not exist,
   -EAGAIN if no name server answered, -EIO if the servers failed, -ENOMEM, or -EMFILE or
   -ENFILE if no descriptor was left. */
int os_host_find(const char *name, unsigned families, struct os_address **list)
    RT_NODISCARD;

/* [fault] Looks up a service: for OS_FD_MESSAGES the UDP port, otherwise the TCP port.
   Returns the port, or an error as above. Blocks too. */
int os_service_find(const char *name, enum os_fd_kind kind) RT_NODISCARD;

/* Includes the terminating zero. */
#define OS_INTERFACE_NAME_BYTES 16

/* [fault] Returns the index of a network interface, above 0. -ENODEV: there is no
   interface of that name. */
int os_interface_find(const char *name) RT_NODISCARD;

/* [fault] Returns the interface's name. -ENODEV: there is no interface of that index. */
int os_interface_name(uint32_t number, char name[OS_INTERFACE_NAME_BYTES]) RT_NODISCARD;

/* Asymmetric fences: see base/fence.h. */

/* [fault] Registers the process for os_fence_all_threads(). False: the kernel does not
   support membarrier, or a sandbox forbids it. */
bool os_fence_register(void);

/* [fault] Every running thread of the process executes a full memory fence before this
   returns 0. -ENOMEM: perhaps none did; try again. Other errors: the kernel now refuses
   the call, permanently. */
int os_fence_all_threads(void) RT_NODISCARD;

/* Faults. */

/* The state of a thread that touched forbidden memory. */
struct os_fault_info {
    void *address; /* the address it touched */
    void *pc;
    void *sp;
};

/* Returns true if it handled the fault (in practice it ends the process instead). False:
   the previously installed handler gets the fault. */
typedef bool os_fault_handler(const struct os_fault_info *info);

/* [fault] Installs handler for SIGSEGV and SIGBUS, run on the alternate signal stack.
   Undone by _remove. */
int os_fault_handler_install(os_fault_handler *handler) RT_NODISCARD;
void os_fault_handler_remove(void);

/* Interruption of a thread, by SIGURG. */

/* Runs on the interrupted thread. marked: the runtime sent the signal. Otherwise the kernel
   dropped the signal's payload, so the sender is unknown: the handler acts only if it
   expects a signal. yields: the thread was in sched_yield(). */
typedef void os_interrupt_handler(bool marked, bool yields);

/* [fault] Makes os_thread_interrupt() call handler on the interrupted thread, on its
   alternate signal stack; errno is preserved. Interrupted system calls restart where the
   kernel supports it (SA_RESTART). A SIGURG that the runtime did not send, or perhaps did
   not, also goes to the previously installed handler. Undone by _remove. */
int os_interrupt_install(os_interrupt_handler *handler) RT_NODISCARD;
void os_interrupt_remove(void);

/* Sends SIGURG to the thread of this process with that id if it is running on a CPU, that
   is, if os_thread_cpu() differs from cpu_ns; cpu_ns 0: unconditionally. Returns false if
   it is not running. Other failures do not matter: the caller checks and retries. */
bool os_thread_interrupt(int number, int64_t cpu_ns) RT_NODISCARD;

/* Unblocks SIGURG on the calling thread. Returns whether it was blocked. */
bool os_interrupt_unblock(void);

/* Blocks SIGURG on the calling thread again, after any pending one has been handled. No
   thread may call os_thread_interrupt() for this thread any more. */
void os_interrupt_block(void);

/* [fault] Gives the calling thread an alternate signal stack large enough for the handlers
   here, unless it has one. _remove restores the previous one. */
int os_signal_stack_install(void **token) RT_NODISCARD;
void os_signal_stack_remove(void *token);

/* The process. */

/* [fault] Writes text to fd; on an error the rest is lost. */
void os_write(int fd, const char *text, size_t bytes);

/* [fault] Makes every child created by fork() call fn first. Permanent. */
int os_fork_watch(void (*fn)(void)) RT_NODISCARD;

/* Registers fn with atexit(); child processes of fork() inherit it. Failure is ignored. */
void os_at_exit(void (*fn)(void));

/* Ends the process now, without atexit() handlers. */
_Noreturn void os_exit(int status);

/* Ends the process by SIGABRT, for a core dump. */
_Noreturn void os_abort(void);

/* For a process that is about to end: flushes the C library's streams. If that faults, or
   takes longer than limit_ns because a stream is locked or its reader does not read, calls
   end(), which does not return. Takes over SIGALRM, SIGSEGV and SIGBUS for good. */
void os_streams_flush(int64_t limit_ns, void (*end)(void));

/* The value of an environment variable, or NULL. Always NULL in a setuid program, whose
   caller chose the environment. */
const char *os_env(const char *name);

/* [fault] Reads the start of a small text file into buffer and terminates it. Returns the
   length or an error. */
int os_read_text(const char *path, char *buffer, size_t bytes);

/* For longer files, piece by piece. */

/* [fault] Opens a file for reading, close-on-exec. Returns the descriptor or an error. */
int os_file_open(const char *path) RT_NODISCARD;

/* [fault] Reads up to bytes bytes. Returns how many, 0 at the end, or an error. */
int os_file_read(int file, char *buffer, size_t bytes) RT_NODISCARD;
void os_file_close(int file);

#endif
