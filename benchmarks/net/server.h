/* SPDX-License-Identifier: MIT */
/* The server under load, in its own process: start, settle, measure and end it. */
#ifndef BENCH_NET_SERVER_H
#define BENCH_NET_SERVER_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Immutable after bench_server_start(). */
struct bench_server {
    pid_t pid;
    int to_fd; /* its standard input: a byte requests it to settle, end of file to exit */
    int from_fd; /* its standard output: a line with its address, then a byte per request */
    struct sockaddr_in address;
};

/* Starts the command and returns when it accepts connections. The last word of the first
   line that it prints must be its IPv4 address and port. Ends this process with a message
   if it does not start. */
void bench_server_start(struct bench_server *s, char *const command[]);

/* Requests the server to exit. Checks that it had not exited before and exits as
   requested. */
void bench_server_end(struct bench_server *s);

/* Makes it do deferred work now, such as a garbage collection. */
void bench_server_settle(const struct bench_server *s);

/* CPU time of all its threads, including those that have exited, and of its children. The
   kernel charges work on a socket to the process in whose system call it is done. */
int64_t bench_server_cpu_ns(const struct bench_server *s);

/* Connects to it. Blocks; ends this process with a message on failure. */
int bench_server_connect(const struct bench_server *s);

/* Closes a connection with a reset, so that neither side keeps state. Otherwise the kernel
   reserves its pair of ports for a minute, and ports run out. */
void bench_server_disconnect(int fd);

/* Sends all bytes. */
void bench_server_send(int fd, const void *bytes, size_t count);

/* Receives count bytes; blocks until all have arrived. */
void bench_server_receive(int fd, void *bytes, size_t count);

#endif
