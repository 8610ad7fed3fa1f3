/* SPDX-License-Identifier: MIT */
/* The clients that no tool is: many, one that waits for the server to end, one that is
   slow, one that never reads.

       unruly crowd ADDRESS COUNT   opens so many connections and prints "ready"; for each
                                    line of standard input, makes a request on every one,
                                    reads the responses and prints "served"; resets them
                                    at the end of the input
       unruly mute ADDRESS COUNT    the same without requests: it only holds them
       unruly patient ADDRESS       sends standard input, and prints what the server says
                                    until that ends the connection; has room for little
                                    at a time
       unruly trickle ADDRESS MS    sends standard input a byte at a time, with that
                                    pause, until the server ends the connection; prints
                                    what that said
       unruly deaf ADDRESS          sends standard input again and again and never reads,
                                    until the server gives up; prints "given up"

   ADDRESS is that of an IPv4 host with its port. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT_BYTES    65536
#define RESPONSE_BYTES 4096
#define SPARE_FDS      64
#define SMALL_ROOM     4096

/* The server could not be reached, or did what it should not. */
_Noreturn static void fail(const char *what) {
    fprintf(stderr, "unruly: %s: %s\n", what, strerror(errno));
    exit(1);
}

static long number(const char *text) {
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || n < 1) {
        errno = EINVAL;
        fail(text);
    }
    return n;
}

/* room: for what is received and not read yet; 0: as much as the kernel likes. It has to
   be known before the server is told how much it may send. */
static int dial(const char *address, int room) {
    char host[INET_ADDRSTRLEN + 1] = "";
    int port = 0;
    struct sockaddr_in to = {.sin_family = AF_INET};
    errno = EINVAL;
    if (sscanf(address, "%16[^:]:%d", host, &port) != 2 ||
        inet_pton(AF_INET, host, &to.sin_addr) != 1) {
        fail(address);
    }
    to.sin_port = htons((uint16_t)port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (room > 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        fail(address);
    }
    return fd;
}

/* Standard input, at most as much as there is room for. */
static char input[INPUT_BYTES];

static size_t read_input(void) {
    return fread(input, 1, sizeof(input), stdin);
}

static void say(const char *word) {
    puts(word);
    fflush(stdout);
}

/* Many */

static void raise_descriptor_limit(long count) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur < (rlim_t)(count + SPARE_FDS)) {
        errno = EMFILE;
        fail("the limit of descriptors");
    }
}

/* All requests are under way before the first response is read. */
static void request_on_all(const int *fds, long count) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: crowd\r\n\r\n";
    char response[RESPONSE_BYTES];
    for (long i = 0; i < count; i++) {
        if (write(fds[i], request, sizeof(request) - 1) != (ssize_t)sizeof(request) - 1) {
            fail("request");
        }
    }
    for (long i = 0; i < count; i++) {
        ssize_t n = read(fds[i], response, sizeof(response));
        if (n < 15 || memcmp(response, "HTTP/1.1 200 OK", 15) != 0) {
            fail("response");
        }
    }
}

/* Resets leave no connections in TIME_WAIT, whose ports the next crowd would lack. */
static int crowd(const char *address, long count, bool speaks) {
    raise_descriptor_limit(count);
    int *fds = malloc((size_t)count * sizeof(*fds));
    if (fds == NULL) {
        fail("memory");
    }
    for (long i = 0; i < count; i++) {
        struct linger reset = {.l_onoff = 1};
        fds[i] = dial(address, 0);
        setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    }
    say("ready");
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (c == '\n' && speaks) {
            request_on_all(fds, count);
            say("served");
        }
    }
    free(fds);
    return 0;
}

/* Patient and slow */

static void print_answers(int fd) {
    ssize_t n;
    while ((n = read(fd, input, sizeof(input))) > 0) {
        fwrite(input, 1, (size_t)n, stdout);
        fflush(stdout); /* the caller may wait for it */
    }
}

static int patient(const char *address) {
    size_t length = read_input();
    int fd = dial(address, SMALL_ROOM);
    if (send(fd, input, length, MSG_NOSIGNAL) != (ssize_t)length) {
        fail("send");
    }
    print_answers(fd);
    return 0;
}

/* True if the server says no more, before the time is over. */
static bool is_ended(int fd, long ms) {
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, (int)ms) > 0;
}

static int trickle(const char *address, long ms) {
    size_t length = read_input();
    int fd = dial(address, 0);
    for (size_t i = 0; i < length; i++) {
        if (send(fd, input + i, 1, MSG_NOSIGNAL) != 1 || is_ended(fd, ms)) {
            break;
        }
    }
    print_answers(fd);
    return 0;
}

/* Deaf */

static int deaf(const char *address) {
    size_t length = read_input();
    int fd = dial(address, 0);
    while (send(fd, input, length, MSG_NOSIGNAL) > 0) {
    }
    if (errno != EPIPE && errno != ECONNRESET) {
        fail("send");
    }
    say("given up");
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(what, "crowd") == 0) {
        return crowd(argv[2], number(argv[3]), true);
    }
    if (argc == 4 && strcmp(what, "mute") == 0) {
        return crowd(argv[2], number(argv[3]), false);
    }
    if (argc == 4 && strcmp(what, "trickle") == 0) {
        return trickle(argv[2], number(argv[3]));
    }
    if (argc == 3 && strcmp(what, "patient") == 0) {
        return patient(argv[2]);
    }
    if (argc == 3 && strcmp(what, "deaf") == 0) {
        return deaf(argv[2]);
    }
    fprintf(stderr, "usage: unruly crowd|mute ADDRESS COUNT | patient|deaf ADDRESS | "
                    "trickle ADDRESS MS\n");
    return 2;
}
