/* SPDX-License-Identifier: MIT */
/* os.h on Linux: reading and writing descriptors of the program. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "arch/call.h"
#include "os/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

_Static_assert(OS_IOV_MAX == IOV_MAX, "the kernel's limit");
_Static_assert(sizeof(socklen_t) == sizeof(uint32_t), "lengths of addresses");

/* Every socket call passes MSG_DONTWAIT: another owner of a shared socket may have made it
   blocking. */
#define SEND_FLAGS (MSG_NOSIGNAL | MSG_DONTWAIT)

/* Repeats the call while a signal interrupts it. */
#define RETRY(call)                                       \
    ({                                                    \
        ssize_t retry_n;                                  \
        do {                                              \
            retry_n = (call);                             \
        } while (retry_n < 0 && errno == EINTR);          \
        retry_n < 0 ? -(int64_t)errno : (int64_t)retry_n; \
    })

/* Kinds of descriptors */

/* Whether a device can be polled depends on its driver; only EPOLL_CTL_ADD reports it.
   Returns 1 or 0, or an error. */
static int ask_whether_pollable(int fd) {
    int error = os_fault(OS_FAULT_POLL_MAKE);
    int epoll = error != 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) {
        return error != 0 ? -error : -errno;
    }
    struct epoll_event event = {.events = EPOLLIN};
    int result = epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 1
                 : errno == EPERM                                 ? 0
                                                                  : -errno;
    close(epoll);
    return result;
}

static enum os_fd_kind socket_kind(int fd) {
    int type = SOCK_STREAM;
    socklen_t bytes = sizeof type;
    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes);
    return type == SOCK_STREAM ? OS_FD_STREAM : OS_FD_MESSAGES;
}

int os_fd_learn(int fd, struct os_fd_traits *traits) {
    OS_KEEP_ERRNO;
    struct stat st;
    int error = os_fault(OS_FAULT_FD_LEARN);
    if (error != 0) {
        return -error;
    }
    if (fstat(fd, &st) != 0) {
        return -errno;
    }
    *traits = (struct os_fd_traits){.kind = OS_FD_OTHER, .pollable = true};
    if (S_ISSOCK(st.st_mode)) {
        traits->kind = socket_kind(fd);
    } else if (S_ISFIFO(st.st_mode)) {
        traits->kind = OS_FD_PIPE;
    } else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)) {
        traits->pollable = false;
    } else {
        int result = ask_whether_pollable(fd);
        traits->pollable = result > 0;
        return result < 0 ? result : 0;
    }
    return 0;
}

int os_fd_make_nonblocking(int fd, struct os_fd_flag *flag) {
    OS_KEEP_ERRNO;
    struct stat st;
    int error = os_fault(OS_FAULT_FD_LEARN);
    if (error != 0) {
        return -error;
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &st) != 0) {
        return -errno;
    }
    *flag = (struct os_fd_flag){
        .number = fd, .process = getpid(), .device = st.st_dev, .file = st.st_ino};
    if ((flags & O_NONBLOCK) != 0) {
        return 1;
    }
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ? -errno : 0;
}

void os_fd_make_blocking(const struct os_fd_flag *flag) {
    OS_KEEP_ERRNO;
    int flags = flag->process == getpid() ? fcntl(flag->number, F_GETFL) : -1;
    if (flags >= 0) {
        fcntl(flag->number, F_SETFL, flags & ~O_NONBLOCK);
    }
}

/* Reopening
 *
 * Opening a pipe or a terminal by its name in /proc creates a new open file for it.
 * Nothing else is reopened: opening a device may have side effects, and opening a
 * pseudo-terminal master creates a new terminal. A pipe with O_DIRECT (packet mode) or
 * O_ASYNC would behave differently.
 */
static bool can_reopen(int fd, int flags) {
    struct stat st;
    unsigned number;
    if ((flags & (O_NONBLOCK | O_ASYNC | O_DIRECT)) != 0 || fstat(fd, &st) != 0) {
        return false;
    }
    return S_ISFIFO(st.st_mode) ||
           (S_ISCHR(st.st_mode) && isatty(fd) && ioctl(fd, TIOCGPTN, &number) != 0);
}

int os_fd_reopen(int fd) {
    OS_KEEP_ERRNO;
    char path[32];
    int error = os_fault(OS_FAULT_FD_REOPEN);
    if (error != 0) {
        return -error;
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || !can_reopen(fd, flags)) {
        return -EOPNOTSUPP;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again =
        open(path, (flags & (O_ACCMODE | O_APPEND)) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return again < 0 ? -errno : again;
}

int os_fd_move(int from, int to) {
    OS_KEEP_ERRNO;
    int flags = fcntl(to, F_GETFD);
    if (flags < 0) {
        return -errno;
    }
    if (RETRY(dup3(from, to, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0)) < 0) {
        return -errno;
    }
    close(from);
    return 0;
}

/* Without SIGPIPE
 *
 * A send on a socket suppresses SIGPIPE by a flag. A write to a pipe can do so from Linux
 * 6.18 on. On older kernels we block the signal, which goes to the writing thread, during
 * the write and then consume the pending one, unless one was pending before: that is the
 * program's. Ignoring SIGPIPE in the whole process would be cheaper, but that is the
 * program's decision: its other parts and the programs it starts would notice.
 */

/* RWF_NOSIGNAL of <linux/fs.h>. */
#define QUIET_FLAG 0x100

/* Cleared once the kernel rejects the flag. */
static rt_atomic(bool) quiet_writes = true;

static int64_t writev_blocking_signal(int fd, const struct iovec *iov, int count) {
    sigset_t pipe_only;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    sigpending(&pending);
    int64_t n = RETRY(writev(fd, iov, count));
    if (n == -EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        (void)RETRY(sigtimedwait(&pipe_only, NULL, &(struct timespec){.tv_sec = 0}));
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

static int64_t writev_pipe(int fd, const struct iovec *iov, int count) {
    /* relaxed: a thread that sees it late tries for itself */
    if (rt_load_rlx(&quiet_writes)) {
        int error = os_fault(OS_FAULT_FD_QUIET);
        int64_t n = error != 0 ? -error : RETRY(pwritev2(fd, iov, count, -1, QUIET_FLAG));
        if (n != -EOPNOTSUPP && n != -ENOSYS && n != -EPERM) {
            return n;
        }
        rt_store_rlx(&quiet_writes, false); /* relaxed: as above */
    }
    return writev_blocking_signal(fd, iov, count);
}

static int64_t writev_socket(int fd, const struct iovec *iov, int count) {
    struct msghdr message = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)count};
    return RETRY(sendmsg(fd, &message, SEND_FLAGS));
}

/* Reading and writing */

static bool is_socket(enum os_fd_kind kind) {
    return kind == OS_FD_TCP || kind == OS_FD_STREAM || kind == OS_FD_MESSAGES;
}

/* The calls made per message bypass the C library: its wrappers are cancellation points,
   which costs two locked instructions, and report errors in errno, which we would have to
   restore. Sanitizers intercept the wrappers to track the buffer, so those builds use
   them. */
#if RT_ASAN || RT_TSAN

static int64_t receive(int fd, void *buffer, size_t bytes, struct sockaddr *from,
                       uint32_t *from_bytes) {
    OS_KEEP_ERRNO_ONLY;
    return RETRY(recvfrom(fd, buffer, bytes, MSG_DONTWAIT, from, from_bytes));
}

static int64_t transmit(int fd, const void *buffer, size_t bytes,
                        const struct sockaddr *to, uint32_t to_bytes) {
    OS_KEEP_ERRNO_ONLY;
    return RETRY(sendto(fd, buffer, bytes, SEND_FLAGS, to, to_bytes));
}

#else

static int64_t receive(int fd, void *buffer, size_t bytes, struct sockaddr *from,
                       uint32_t *from_bytes) {
    int64_t n;
    do {
        n = arch_kernel_call(SYS_recvfrom, fd, (intptr_t)buffer, (int64_t)bytes,
                             MSG_DONTWAIT, (intptr_t)from, (intptr_t)from_bytes);
    } while (unlikely(n == -EINTR));
    return n;
}

static int64_t transmit(int fd, const void *buffer, size_t bytes,
                        const struct sockaddr *to, uint32_t to_bytes) {
    int64_t n;
    do {
        n = arch_kernel_call(SYS_sendto, fd, (intptr_t)buffer, (int64_t)bytes, SEND_FLAGS,
                             (intptr_t)to, to_bytes);
    } while (unlikely(n == -EINTR));
    return n;
}

#endif

int64_t os_fd_recvfrom(int fd, void *buffer, size_t bytes, struct sockaddr *from,
                       uint32_t *from_bytes) {
    int error = os_fault(OS_FAULT_FD_IO);
    return error != 0 ? -error : receive(fd, buffer, bytes, from, from_bytes);
}

int64_t os_fd_sendto(int fd, const void *buffer, size_t bytes, const struct sockaddr *to,
                     uint32_t to_bytes) {
    int error = os_fault(OS_FAULT_FD_IO);
    return error != 0 ? -error : transmit(fd, buffer, bytes, to, to_bytes);
}

static RT_NOINLINE int64_t read_no_socket(int fd, void *buffer, size_t bytes) {
    OS_KEEP_ERRNO_ONLY;
    int error = os_fault(OS_FAULT_FD_IO);
    return error != 0 ? -error : RETRY(read(fd, buffer, bytes));
}

int64_t os_fd_read(int fd, enum os_fd_kind kind, void *buffer, size_t bytes) {
    return likely(is_socket(kind)) ? os_fd_recvfrom(fd, buffer, bytes, NULL, NULL)
                                   : read_no_socket(fd, buffer, bytes);
}

int64_t os_fd_readv(int fd, enum os_fd_kind kind, const struct iovec *iov, int count) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    if (is_socket(kind)) {
        struct msghdr message = {.msg_iov = (struct iovec *)iov,
                                 .msg_iovlen = (size_t)count};
        return RETRY(recvmsg(fd, &message, MSG_DONTWAIT));
    }
    return RETRY(readv(fd, iov, count));
}

static int64_t writev_by_kind(int fd, enum os_fd_kind kind, const struct iovec *iov,
                              int count) {
    if (is_socket(kind)) {
        return writev_socket(fd, iov, count);
    }
    return kind == OS_FD_PIPE ? writev_pipe(fd, iov, count)
                              : RETRY(writev(fd, iov, count));
}

int64_t os_fd_writev(int fd, enum os_fd_kind kind, const struct iovec *iov, int count) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_FD_IO);
    return error != 0 ? -error : writev_by_kind(fd, kind, iov, count);
}

static RT_NOINLINE int64_t write_no_socket(int fd, enum os_fd_kind kind,
                                           const void *buffer, size_t bytes) {
    OS_KEEP_ERRNO;
    struct iovec iov = {.iov_base = (void *)buffer, .iov_len = bytes};
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    return kind == OS_FD_PIPE ? writev_pipe(fd, &iov, 1)
                              : RETRY(write(fd, buffer, bytes));
}

int64_t os_fd_write(int fd, enum os_fd_kind kind, const void *buffer, size_t bytes) {
    return likely(is_socket(kind)) ? os_fd_sendto(fd, buffer, bytes, NULL, 0)
                                   : write_no_socket(fd, kind, buffer, bytes);
}

int os_fd_shutdown(int fd, int how) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    return shutdown(fd, how) != 0 ? -errno : 0;
}

int os_fd_close(int fd) {
    OS_KEEP_ERRNO;
    /* EINTR: Linux has closed it anyway, and another thread may already reuse the
       number. */
    return close(fd) != 0 && errno != EINTR ? -errno : 0;
}
