/* SPDX-License-Identifier: MIT */
/* tuco/net.h: descriptors and connections. A wait parks the goroutine, not the thread. */
#ifndef TUCO_NET_H
#define TUCO_NET_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <tuco/time.h>
#include <tuco/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A tuco_fd is a handle that owns a kernel descriptor: a socket, a pipe, a terminal or a
 * file. An operation that is not ready parks the goroutine and frees the thread for
 * others. epoll does not support some files, such as regular ones: there the operation
 * blocks the thread, as between tuco_blocking_enter() and tuco_blocking_exit().
 *
 * Goroutines and foreign threads may use a handle concurrently. Readers take turns in
 * FIFO order, and so do writers: the bytes of two writes are never mixed. Readers and
 * writers do not wait for each other.
 *
 * Handles are reference counted. The caller of a function must hold a reference until the
 * function returns. The kernel descriptor is closed when the handle is closed and no call
 * uses it, so its number is not reused before that.
 *
 * All operations return these errors: -EBADF if the handle is closed, -ECANCELED if it is
 * closed during the call, -ETIMEDOUT if the deadline has passed, -ESRCH if the call must
 * wait and no runtime runs, -ENOMEM, -ENOSPC, -EMFILE or -ENFILE if epoll lacks memory,
 * watches or descriptors, and the kernel's own errors, such as -ECONNRESET. They never
 * return -EINTR and never raise SIGPIPE. A NULL handle is misuse.
 */
typedef struct tuco_fd tuco_fd;

/* Same as socklen_t of <sys/socket.h>. This header does not include that one, because it
   declares common names such as accept, bind, listen, recv and send. */
typedef unsigned tuco_socklen;
struct sockaddr;

/* Makes a handle that owns fd and stores it, with one reference, in *out. Makes fd
   non-blocking if epoll supports it. Reopens a pipe or terminal through /proc/self/fd, so
   that other users of the same file do not see the flag. Returns 0; -EBADF if fd is not
   open; -ENOMEM; or -EMFILE or -ENFILE if fd is a device and no descriptor is left to
   test it with epoll. On error *out is unchanged and the caller still owns fd. Never
   blocks. */
TUCO_API TUCO_NODISCARD int tuco_fd_wrap(int fd, tuco_fd **out);

/* Returns the number of the kernel descriptor, valid until the handle is closed. It
   differs from the wrapped number if that was 0, 1 or 2 and a pipe or terminal. Returns
   -EBADF if the handle is closed. Never blocks. */
TUCO_API int tuco_fd_raw(tuco_fd *f);

/* Takes another reference and returns f. NULL is allowed. */
TUCO_API tuco_fd *tuco_fd_ref(tuco_fd *f);

/* Drops a reference; the last one closes the handle if it is open, and frees it. NULL is
   allowed. Blocks as tuco_fd_close() does. */
TUCO_API void tuco_fd_unref(tuco_fd *f);

/* Reads up to n bytes into buf. Blocks until there is at least one. Returns the number of
   bytes, 0 at end of file, or an error. Returns 0 at once if n is 0. */
TUCO_API ssize_t tuco_fd_read(tuco_fd *f, void *buf, size_t n);

/* Writes all n bytes of buf. Returns n, or an error; some bytes may be written even on
   error. */
TUCO_API ssize_t tuco_fd_write(tuco_fd *f, const void *buf, size_t n);

/* Writes as many of the n bytes of buf as the kernel accepts at once, at least one.
   Blocks until it accepts one. Returns the number of bytes, which is 0 only if n is 0, or
   an error; on error nothing was written. */
TUCO_API TUCO_NODISCARD ssize_t tuco_fd_write_some(tuco_fd *f, const void *buf, size_t n);

/* Same as tuco_fd_read(), into the n buffers of iov. Uses the first 1024 buffers. Returns
   -EINVAL if n is negative or the sum of their sizes does not fit into a ssize_t. */
TUCO_API ssize_t tuco_fd_readv(tuco_fd *f, const struct iovec *iov, int n);

/* Same as tuco_fd_write(), from the n buffers of iov. Returns -EINVAL if n is negative or
   the sum of the sizes does not fit into a ssize_t, and -EMSGSIZE if a datagram has more
   than 1024 buffers. */
TUCO_API ssize_t tuco_fd_writev(tuco_fd *f, const struct iovec *iov, int n);

/* Same as tuco_fd_write_some(), from the n buffers of iov. Returns -EINVAL and -EMSGSIZE
   as tuco_fd_writev() does. */
TUCO_API TUCO_NODISCARD ssize_t tuco_fd_writev_some(tuco_fd *f, const struct iovec *iov,
                                                    int n);

/* Receives a datagram, or bytes of a stream, and stores the sender's address in *from.
   *len is the size of *from, and on return the length of the address, which is truncated
   if it is longer. from and len may both be NULL. Blocks until there is data. Returns the
   number of bytes, possibly 0, or an error. The rest of a larger datagram is lost. */
TUCO_API ssize_t tuco_fd_recvfrom(tuco_fd *f, void *buf, size_t n, struct sockaddr *from,
                                  tuco_socklen *len);

/* Sends a datagram to an address, or to the connected peer if to is NULL. Blocks until
   the kernel accepts it. Returns the number of bytes, or an error. A stream may accept
   fewer than n bytes. */
TUCO_API ssize_t tuco_fd_sendto(tuco_fd *f, const void *buf, size_t n,
                                const struct sockaddr *to, tuco_socklen len);

/* Sets the deadline of both directions. Pending and later operations fail with -ETIMEDOUT
   once it has passed, even if they are ready. TUCO_NEVER removes it. Returns 0, -EBADF if
   the handle is closed, or -EOPNOTSUPP if epoll does not support the file. Never
   blocks. */
TUCO_API int tuco_fd_set_deadline(tuco_fd *f, tuco_time deadline);

/* Same as tuco_fd_set_deadline(), for read, receive and accept only. */
TUCO_API int tuco_fd_set_read_deadline(tuco_fd *f, tuco_time deadline);

/* Same as tuco_fd_set_deadline(), for write and send only. */
TUCO_API int tuco_fd_set_write_deadline(tuco_fd *f, tuco_time deadline);

/* Shuts down one or both directions of a connection: how is SHUT_RD, SHUT_WR or
   SHUT_RDWR. The handle stays open. Returns 0 or an error. Never blocks. */
TUCO_API int tuco_fd_shutdown(tuco_fd *f, int how);

/* Closes the handle and drops the caller's reference. Pending operations return
   -ECANCELED, later ones -EBADF. If operations park their goroutines, waits until all
   have returned, and then closes the kernel descriptor. If they block their threads, as
   on a regular file, returns without waiting, and the last of them closes it. Returns 0;
   -EBADF, at once, if the handle is already closed; or the error of close(), which closes
   the descriptor nevertheless. */
TUCO_API int tuco_fd_close(tuco_fd *f);

/* Waits until fd, which stays the caller's, is ready for one of the events: POLLIN,
   POLLOUT, POLLPRI and POLLRDHUP of <poll.h>. Returns the requested events that are
   ready, and POLLERR or POLLHUP if they apply. An event that is ready is returned even if
   the deadline has passed. Otherwise returns -ETIMEDOUT, -EBADF, -EINVAL if events is 0
   or has other bits, -EPERM if epoll does not support the file, also after the deadline,
   -EMFILE, -ENFILE, -ENOMEM or -ENOSPC. fd must not be closed during the call. */
TUCO_API int tuco_fd_wait(int fd, int events, tuco_time deadline);

/*
 * Networks and addresses of tuco_listen() and tuco_dial(); see tuco_listen(3) for more.
 *
 * "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6": the address is "host:port". The host is
 * - an IPv4 address: "127.0.0.1:80";
 * - an IPv6 address in brackets, optionally with a zone: "[fe80::1%eth0]:80";
 * - "localhost", which is 127.0.0.1 and ::1 without a lookup;
 * - a name that getaddrinfo() looks up: "example.org:80";
 * - empty, for this machine: ":80".
 * The port is a number up to 65535 or the name of a service.
 *
 * "unix": the address is a path, or "@" and an abstract name, of up to 107 bytes.
 *
 * Both functions return -EINVAL for a bad network or address, -EADDRNOTAVAIL for an
 * unknown name, -EAGAIN or -EIO if a lookup fails, and -EMFILE or -ENFILE if no
 * descriptor is left.
 *
 * TCP connections have TCP_NODELAY, and SO_KEEPALIVE with 15 seconds. UDP sockets have
 * SO_BROADCAST. All sockets are close-on-exec.
 */

/* Makes a socket that listens, or for UDP receives, at the address, and stores a handle
   with one reference in *out. Port 0 and the address "@" let the kernel choose. An
   existing file at a "unix" path is -EADDRINUSE; closing the handle removes the file.
   Blocks during a lookup. Returns 0, or an error, which leaves *out unchanged. */
TUCO_API TUCO_NODISCARD int tuco_listen(const char *network, const char *address,
                                        tuco_fd **out);

/* Waits for the next connection and stores a handle with one reference in *out. Returns
   0, or an error, which leaves *out unchanged. On -EMFILE and -ENFILE the connection
   stays in the queue of the listener; on -ENOMEM it may have been closed. */
TUCO_API TUCO_NODISCARD int tuco_accept(tuco_fd *listener, tuco_fd **out);

/* Connects to the address and stores a handle with one reference in *out. Tries all
   addresses of the host in parallel, 300 ms apart, as RFC 8305 describes, and uses the
   first that connects. Returns 0, -ETIMEDOUT if the deadline passes first, or the error
   of the first address, and then leaves *out unchanged. */
TUCO_API TUCO_NODISCARD int tuco_dial(const char *network, const char *address,
                                      tuco_time deadline, tuco_fd **out);

/* Writes the address of this end as text into buf, which has n bytes; 128 are always
   enough. An unnamed "unix" socket gives an empty string. Returns 0 or an error, which
   leaves buf unchanged: -ENOSPC if buf is too small, -ENOTSOCK if f is not a socket,
   -EAFNOSUPPORT if the address family is not known. Never blocks. */
TUCO_API int tuco_local_address(tuco_fd *f, char *buf, size_t n);

/* Same as tuco_local_address(), for the other end. Returns -ENOTCONN if there is none. */
TUCO_API int tuco_remote_address(tuco_fd *f, char *buf, size_t n);

#ifdef __cplusplus
}
#endif

#endif
