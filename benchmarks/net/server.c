/* SPDX-License-Identifier: MIT */
/* The server under load, in its own process: start, settle, measure and end it. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define START_MS         10000
#define END_MS           10000
#define LISTEN_POLL_MS   5
#define FIRST_LINE_BYTES 256

/* The process */

/* The server ends with the measuring process, however that ends. By a signal that can be
   caught, because a server may have child processes to end. */
static _Noreturn void become_server(int in_fd, int out_fd, char *const command[]) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    if (dup2(in_fd, STDIN_FILENO) < 0 || dup2(out_fd, STDOUT_FILENO) < 0) {
        bench_die("dup2: %m");
    }
    execvp(command[0], command);
    bench_die("%s: %m", command[0]);
}

static void start_process(struct bench_server *s, char *const command[]) {
    int to[2];
    int from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        bench_die("pipe2: %m");
    }
    s->pid = fork();
    if (s->pid < 0) {
        bench_die("fork: %m");
    }
    if (s->pid == 0) {
        become_server(to[0], from[1], command);
    }
    close(to[0]);
    close(from[1]);
    s->to_fd = to[1];
    s->from_fd = from[0];
    /* After the fork, so that the server starts with the default disposition. */
    signal(SIGPIPE, SIG_IGN);
}

/* Returns false if nothing arrived in time. */
static bool wait_for_output(const struct bench_server *s, int timeout_ms) {
    struct pollfd p = {.fd = s->from_fd, .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

static void read_first_line(const struct bench_server *s, char *line, size_t room) {
    size_t length = 0;
    for (char c = 0; c != '\n';) {
        if (!wait_for_output(s, START_MS) || read(s->from_fd, &c, 1) != 1) {
            bench_die("the server did not print its address");
        }
        if (length + 1 == room) {
            bench_die("the first line of the server is too long");
        }
        line[length++] = c;
    }
    line[length - 1] = '\0';
}

/* The address */

static void parse_address(struct bench_server *s, char *line) {
    char *word = strrchr(line, ' ');
    word = word ? word + 1 : line;
    char *colon = strrchr(word, ':');
    s->address = (struct sockaddr_in){.sin_family = AF_INET};
    if (!colon) {
        bench_die("the server is at no address: '%s'", line);
    }
    *colon = '\0';
    char *end;
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (inet_pton(AF_INET, word, &s->address.sin_addr) != 1 || port == 0 ||
        port > UINT16_MAX || *end != '\0') {
        bench_die("the server is at no IPv4 address: '%s:%s'", word, colon + 1);
    }
    s->address.sin_port = htons((uint16_t)port);
}

/* Returns the descriptor, or -1 with errno set. */
static int try_to_connect(const struct bench_server *s) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        bench_die("socket: %m");
    }
    if (connect(fd, (const struct sockaddr *)&s->address, sizeof s->address) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* A server that cannot report its address is announced before it listens. */
static void wait_until_it_listens(const struct bench_server *s) {
    int64_t end_ns = bench_now_ns() + START_MS * INT64_C(1000000);
    int fd;
    while ((fd = try_to_connect(s)) < 0) {
        if (errno != ECONNREFUSED || bench_now_ns() > end_ns) {
            bench_die("the server does not accept connections: %m");
        }
        if (waitpid(s->pid, NULL, WNOHANG) != 0) {
            bench_die("the server has ended");
        }
        poll(NULL, 0, LISTEN_POLL_MS);
    }
    close(fd);
}

void bench_server_start(struct bench_server *s, char *const command[]) {
    char line[FIRST_LINE_BYTES];
    start_process(s, command);
    read_first_line(s, line, sizeof line);
    parse_address(s, line);
    wait_until_it_listens(s);
}

/* The output ends when every process that has it open has exited. */
void bench_server_end(struct bench_server *s) {
    char byte;
    int status;
    if (waitpid(s->pid, NULL, WNOHANG) != 0) {
        bench_die("the server has ended before it was asked to");
    }
    kill(s->pid, SIGTERM);
    while (wait_for_output(s, END_MS)) {
        if (read(s->from_fd, &byte, 1) <= 0) {
            break;
        }
    }
    kill(-s->pid, SIGKILL); /* in case SIGTERM did not end the whole group */
    if (waitpid(s->pid, &status, 0) != s->pid) {
        bench_die("waitpid: %m");
    }
    bool as_asked = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    if (!as_asked && status != 0) {
        bench_die("the server ended with status %#x", (unsigned)status);
    }
    close(s->to_fd);
    close(s->from_fd);
}

void bench_server_settle(const struct bench_server *s) {
    char byte = 's';
    if (write(s->to_fd, &byte, 1) != 1 || !wait_for_output(s, START_MS) ||
        read(s->from_fd, &byte, 1) != 1) {
        bench_die("the server did not settle");
    }
}

/* CPU time */

static int64_t cpu_ns_of(pid_t pid) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        bench_die("the CPU time of process %d cannot be read", (int)pid);
    }
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t bench_server_cpu_ns(const struct bench_server *s) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)s->pid, (int)s->pid);
    FILE *children = fopen(path, "re");
    if (!children) {
        bench_die("%s: %m", path);
    }
    int64_t sum_ns = cpu_ns_of(s->pid);
    int child;
    while (fscanf(children, "%d", &child) == 1) {
        sum_ns += cpu_ns_of(child);
    }
    fclose(children);
    return sum_ns;
}

/* Connections */

int bench_server_connect(const struct bench_server *s) {
    int fd = try_to_connect(s);
    int on = 1;
    if (fd < 0) {
        bench_die("connect: %m");
    }
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        bench_die("setsockopt: %m");
    }
    return fd;
}

void bench_server_disconnect(int fd) {
    struct linger reset = {.l_onoff = 1};
    if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) != 0) {
        bench_die("setsockopt: %m");
    }
    close(fd);
}

void bench_server_send(int fd, const void *bytes, size_t count) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) {
        bench_die("send: %m");
    }
    if ((size_t)sent != count) {
        bench_die("send: %zd bytes, not %zu", sent, count);
    }
}

void bench_server_receive(int fd, void *bytes, size_t count) {
    ssize_t got = recv(fd, bytes, count, MSG_WAITALL);
    if (got < 0) {
        bench_die("recv: %m");
    }
    if ((size_t)got != count) {
        bench_die("the server closed the connection");
    }
}
