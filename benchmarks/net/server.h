/* SPDX-License-Identifier: MIT */
/* The server under load, a process of its own: started, asked, measured and ended. */
#ifndef BENCH_NET_SERVER_H
#define BENCH_NET_SERVER_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Immutable after bench_server_start(). */
struct bench_server {
    pid_t pid;
    int to_fd;   /* its standard input: a byte asks it to settle, the end to end */
    int from_fd; /* its standard output: a line with its address, then a byte for each */
    struct sockaddr_in address;
};

/* Starts the command, and returns when it accepts connections. It says where in the first
   line that it prints, by an IPv4 address and a port as the last word. Ends this process
   with a message if that does not happen. */
void bench_server_start(struct bench_server *s, char *const command[]);

/* Asks it to end, and checks that it had not ended before, and ends as it was asked to. */
void bench_server_end(struct bench_server *s);

/* Has it do what it otherwise does at a time of its own: a collector collects. */
void bench_server_settle(const struct bench_server *s);

/* CPU time of all its threads, also those that have ended, and of its children. What the
   kernel does for a socket counts for the one in whose system call it does it. */
int64_t bench_server_cpu_ns(const struct bench_server *s);

/* A connection to it. Blocks; ends this process with a message if there is none. */
int bench_server_connect(const struct bench_server *s);

/* Closes a connection with a reset, so that nothing is left of it on either side. Otherwise
   the kernel keeps its pair of ports for a minute, and the ports are soon used up. */
void bench_server_disconnect(int fd);

/* Sends all of it. */
void bench_server_send(int fd, const void *bytes, size_t count);

/* Receives that much, and blocks until all of it is there. */
void bench_server_receive(int fd, void *bytes, size_t count);

#endif
