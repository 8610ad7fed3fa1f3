/* SPDX-License-Identifier: MIT */
/* tuco/net.h: descriptors and connections, of which waiting parks the goroutine only. */
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
 * A tuco_fd is a handle of a kernel descriptor that it owns: a socket, a pipe, a
 * terminal, a file. An operation that cannot be done at once parks the goroutine until it
 * can, and the thread runs others; a foreign thread that calls it sleeps. What the kernel
 * cannot tell the readiness of, such as a regular file, is read and written by the thread
 * itself, as between tuco_blocking_enter() and tuco_blocking_exit().
 *
 * Any number of goroutines and threads may use a handle at the same time. Those who read
 * have their turns in the order in which they came, and those who write have theirs: what
 * one call writes is not mixed with what another writes. Reading and writing do not wait
 * for each other.
 *
 * Handles are reference counted. Whoever is in a call holds a reference for as long as
 * the call lasts. The kernel's descriptor is closed when the handle has been closed and
 * the last call has left it: its number is not reused while anybody may still use it.
 *
 * Errors, of all operations: -EBADF if the handle was closed before, -ECANCELED if it
 * gets closed meanwhile, -ETIMEDOUT if the deadline has passed, -ESRCH if the call would
 * have to wait and no runtime runs, -ENOMEM or -ENOSPC if the kernel has no room for the
 * wait, -EMFILE or -ENFILE if it is the first wait of a runtime, which takes two
 * descriptors, and there are none left, and what the kernel says, such as -ECONNRESET;
 * never -EINTR. Writing to where nobody reads is -EPIPE; it does not raise SIGPIPE,
 * whatever the program has set for that.
 */
typedef struct tuco_fd tuco_fd;

/* What <sys/socket.h> calls socklen_t. That header is left to programs that need it: it
   declares accept, bind, listen, recv, send and more, which others use as names of their
   own. */
typedef unsigned tuco_socklen;
struct sockaddr;

/* Makes a handle of fd, which belongs to the handle from here on, and gives the caller
   its only reference. If the kernel can tell when fd is ready, fd is made non-blocking:
   for all who share it, as is the kernel's way. Returns NULL if there is no memory, if fd
   is not an open descriptor, or if it is something other than a socket, a pipe or a file,
   such as a device, and there is no descriptor left to ask the kernel about it with; then
   fd still is the caller's, and as it was. Never blocks. */
TUCO_API tuco_fd *tuco_fd_wrap(int fd);

/* Returns the number of the kernel's descriptor, which stays the handle's: valid for as
   long as the handle is not closed. -EBADF if it is. Never blocks. */
TUCO_API int tuco_fd_raw(tuco_fd *f);

/* Takes another reference and returns f. NULL is allowed. */
TUCO_API tuco_fd *tuco_fd_ref(tuco_fd *f);

/* Gives a reference back; the last one closes what is not closed, and frees the handle.
   NULL is allowed. Blocks only if closing the kernel's descriptor does. */
TUCO_API void tuco_fd_unref(tuco_fd *f);

/* Reads up to n bytes into buf. Blocks until there is at least one. Returns how many
   there were, 0 at the end of the file, or an error. Of n = 0 it returns 0 without
   waiting. Of a datagram the part that does not fit is lost. */
TUCO_API ssize_t tuco_fd_read(tuco_fd *f, void *buf, size_t n);

/* Writes all n bytes of buf. Blocks until they are taken. Returns n, or an error: then an
   unknown part may have been written. */
TUCO_API ssize_t tuco_fd_write(tuco_fd *f, const void *buf, size_t n);

/* Reads as tuco_fd_read() does into the n pieces of iov, one after the other; those
   beyond 1024 are left alone. -EINVAL: n is negative. */
TUCO_API ssize_t tuco_fd_readv(tuco_fd *f, const struct iovec *iov, int n);

/* Writes all of the n pieces of iov, as tuco_fd_write() does. A socket that keeps
   messages apart gets them as one message, of 1024 pieces at most. Returns how many bytes
   that were, or an error. -EINVAL: n is negative, or the sum is too large for a
   ssize_t. */
TUCO_API ssize_t tuco_fd_writev(tuco_fd *f, const struct iovec *iov, int n);

/* Receives one datagram, or what a stream has, and where it came from: *len is the room
   at from, and then the length of the address, which is cut if it is longer than the
   room. from may be NULL, and len then too. Blocks until there is something. Returns how
   many bytes there were, which may be 0, or an error. What does not fit is lost. */
TUCO_API ssize_t tuco_fd_recvfrom(tuco_fd *f, void *buf, size_t n, struct sockaddr *from,
                                  tuco_socklen *len);

/* Sends one datagram to the address, or to where the socket is connected if to is NULL.
   Blocks until the kernel has taken it. Returns how many bytes were sent, which of a
   datagram are all, or an error. */
TUCO_API ssize_t tuco_fd_sendto(tuco_fd *f, const void *buf, size_t n,
                                const struct sockaddr *to, tuco_socklen len);

/* Sets the point in time from which on all operations fail with -ETIMEDOUT, those that
   wait now as well as later ones, even if they could be done at once. TUCO_NEVER takes it
   away. Returns 0, -EBADF if the handle is closed, or -EOPNOTSUPP if it is of a file that
   nobody can wait for. Never blocks. */
TUCO_API int tuco_fd_set_deadline(tuco_fd *f, tuco_time deadline);

/* The same for reading, receiving and accepting alone. */
TUCO_API int tuco_fd_set_read_deadline(tuco_fd *f, tuco_time deadline);

/* The same for writing and sending alone. */
TUCO_API int tuco_fd_set_write_deadline(tuco_fd *f, tuco_time deadline);

/* Ends one direction of a connection, or both: how is SHUT_RD, SHUT_WR or SHUT_RDWR. The
   handle stays open. Returns 0 or an error. Never blocks. */
TUCO_API int tuco_fd_shutdown(tuco_fd *f, int how);

/* Closes the handle: who waits in an operation is woken, which returns -ECANCELED, and
   later ones return -EBADF. Gives the caller's reference back in any case. Does not wait
   for the others: if some are still in an operation, the last of them closes the kernel's
   descriptor. Returns 0, or -EBADF if it was closed before. An error of the kernel's,
   which closes in any case, is returned if this call was the last. */
TUCO_API int tuco_fd_close(tuco_fd *f);

/* Waits until fd, which stays the caller's and need not be non-blocking, is ready for one
   of the events: POLLIN, POLLOUT, POLLPRI and POLLRDHUP of <poll.h>. Returns those of
   them that are there, together with POLLERR and POLLHUP, or an error: -ETIMEDOUT,
   -EBADF, -EINVAL if events has none or others, -EPERM if nobody can wait for this kind
   of file, which is for POLLPRI and POLLRDHUP alone of a file that can always be read and
   written, -EMFILE or -ENFILE if it would have to wait and no descriptor is left for
   that. What is there is returned even if the deadline has passed. Up to 500 goroutines
   and threads may wait for the same file at the same time, and up to 100 for a descriptor
   of epoll that watches others; then it is -ENOSPC. It must not be closed meanwhile. */
TUCO_API int tuco_fd_wait(int fd, int events, tuco_time deadline);

/*
 * Networks and addresses, of tuco_listen() and tuco_dial().
 *
 * "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6": the address is "host:port". The host is
 * - an IPv4 address: "127.0.0.1:80";
 * - an IPv6 address in brackets: "[::1]:80", if need be with the number or the name of a
 *   network interface: "[fe80::1%eth0]:80";
 * - a name, for which the system is asked: "localhost:80". This takes as long as it
 * takes,
 *   but tuco_dial() leaves at its deadline, if a runtime runs. Up to 16 threads ask,
 *   which do not count against max_threads: while the system answers none of them,
 *   others wait for their turn, or for their deadline. Anything that looks like a number is
 *   no name;
 * - empty, which stands for this machine: ":80". The port is a number up to 65535, or the
 * name of a service that the system knows. The networks with a 4 or a 6 use addresses of
 * that kind only; "[::ffff:127.0.0.1]:80", an IPv4 address that is written as one of
 * IPv6, is for those without alone.
 *
 * "unix": the address is a path of up to 107 bytes, or a "@" and an abstract name of up
 * to 107 bytes.
 *
 * Errors of both: -EINVAL if network or address makes no sense, -EADDRNOTAVAIL if a name
 * is not known, -EAGAIN or -EIO if those who know it could not be asked, -EMFILE or
 * -ENFILE if no descriptor is left, also to ask with. All that goes wrong leaves nothing
 * behind; only a lookup that the system has not answered goes on in its thread, and keeps
 * nobody from ending.
 *
 * A connection of TCP sends at once what is written to it (TCP_NODELAY), and asks whether
 * the other end is still there after 15 seconds without a word (SO_KEEPALIVE); after 9
 * questions without an answer, every 15 seconds, it is broken. Programs change that, as
 * any option, by setsockopt() on tuco_fd_raw(); what is set for a listener holds for what
 * it accepts. No socket is left open in programs that the process starts.
 */

/* Makes a socket that listens, or for "udp" one that receives, at the address. Stores a
   handle with one reference in *out and returns 0, or an error, which leaves *out alone.
   Blocks while a name is looked up.

   An empty host means all addresses of the machine: with "tcp" and "udp", then and for
   "[::]", those of IPv6 and IPv4, by a socket of IPv6, to which an address of IPv4 looks like
   ::ffff:127.0.0.1; where there is no IPv6, those of IPv4 alone. Of a name the first address
   that the machine has is used, IPv4 before IPv6. Port 0, and "@" alone, let the kernel
   choose: see tuco_local_address(). A port of TCP may be used again at once after an earlier
   listener has gone. As many connections may wait to be accepted as the system allows.

   The file at a path must not be there yet (-EADDRINUSE). It is removed when the handle is
   closed by the process that made it, unless another file is there by then; a relative path
   is looked for in the directory that the process is in then. A process that ends without
   closing leaves it. */
TUCO_API int tuco_listen(const char *network, const char *address, tuco_fd **out);

/* Waits for the next connection and stores a handle of it, with one reference, in *out.
   Connections that were given up before are passed over. Returns 0 or an error, which
   leaves *out alone. If no descriptor is left (-EMFILE, -ENFILE) the connection stays
   where it is, for a later call; one for which there is no memory is closed (-ENOMEM). */
TUCO_API int tuco_accept(tuco_fd *listener, tuco_fd **out);

/* Connects to the address, trying all that its host has, one after the other; an empty
   host has 127.0.0.1 and ::1. Stores a handle with one reference in *out and returns 0,
   or an error, which leaves *out alone: what the first of the addresses failed with, or
   at once what there is not enough of here, such as -EMFILE or -ENOMEM. The deadline
   holds for connecting only. If it has passed, that is -ETIMEDOUT, and nothing is sent;
   each address gets its share of the time, and at least two seconds if there are as many.
   Room at a listener of "unix" that has none is asked for every 10 ms at least. With
   "udp" nothing is sent in any case: it is set where the datagrams go to, and from where
   they are received. */
TUCO_API int tuco_dial(const char *network, const char *address, tuco_time deadline,
                       tuco_fd **out);

/* Writes the address of this end as text, such as "127.0.0.1:8080", "[::1]:8080",
   "/tmp/path" or "@name", and a zero into buf, which has room for n bytes; 128 are enough
   for any. One of IPv4 is shown as such, even if the socket is of IPv6; a socket of
   "unix" need not have a name. Returns 0 or an error: -ENOSPC if the room is too small,
   which leaves buf alone, -ENOTSOCK if it is no socket, -EAFNOSUPPORT if it is one of
   another kind. Never blocks. */
TUCO_API int tuco_local_address(tuco_fd *f, char *buf, size_t n);

/* The same for the other end. -ENOTCONN if there is none. */
TUCO_API int tuco_remote_address(tuco_fd *f, char *buf, size_t n);

#ifdef __cplusplus
}
#endif

#endif
