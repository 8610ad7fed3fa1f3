/* SPDX-License-Identifier: MIT */
/* The time over UDP: a server that answers every datagram with the time of day, and a
   client that sends requests until it gets an answer.

       build/release/examples/udp serve 127.0.0.1:3700 &
       build/release/examples/udp ask 127.0.0.1:3700

   A datagram can get lost, so the client waits only for a while, and sends another
   request. Each request has a number, which the answer repeats: so the client can
   recognise a late answer. SIGTERM or ^C ends the server. */
#include "common/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define DATAGRAM_BYTES 512
#define ADDRESS_BYTES  128
#define TIME_BYTES     32
#define TRIES          5
#define ERROR_PAUSE    (100 * TUCO_MILLISECOND)
#define PATIENCE       (200 * TUCO_MILLISECOND) // for the first request; then doubled

static int fail(const char *what, int error) {
    char meaning[64] = "";
    strerror_r(-error, meaning, sizeof(meaning));
    fprintf(stderr, "udp: %s: %s\n", what, meaning);
    return 1;
}

/* The server */

/* Returns the length of the text with the time; 0: it does not fit. */
static size_t add_time(char *text, size_t length, size_t room) {
    char now[TIME_BYTES];
    struct tm parts;
    time_t seconds = time(NULL);
    gmtime_r(&seconds, &parts);
    strftime(now, sizeof(now), " %Y-%m-%dT%H:%M:%SZ", &parts);
    size_t n = strlen(now);
    if (n > room - length) {
        return 0;
    }
    memcpy(text + length, now, n);
    return length + n;
}

/* A goroutine: one is enough, because it never waits for a client. */
static void answer_all(void *arg) {
    tuco_fd *socket = arg;
    char datagram[DATAGRAM_BYTES];
    for (;;) {
        struct sockaddr_storage client;
        socklen_t length = sizeof(client);
        ssize_t n = tuco_fd_recvfrom(socket, datagram, sizeof(datagram),
                                     (struct sockaddr *)&client, &length);
        if (n == -ECANCELED || n == -EBADF) {
            return;
        }
        if (n < 0) {
            fail("receiving", (int)n);
            tuco_sleep(ERROR_PAUSE); /* for example a lack of memory, which may pass */
            continue;
        }
        /* An answer that cannot be sent is lost: the client sends another request. */
        size_t size = add_time(datagram, (size_t)n, sizeof(datagram));
        if (size > 0) {
            tuco_fd_sendto(socket, datagram, size, (struct sockaddr *)&client, length);
        }
    }
}

static int serve(const char *address, tuco_fd *signals) {
    char name[ADDRESS_BYTES] = "?";
    tuco_wg answering = {0};
    tuco_fd *socket;
    int error = tuco_listen("udp", address, &socket);
    if (error != 0) {
        return fail(address, error);
    }
    error = tuco_wg_go(&answering, answer_all, socket);
    if (error == 0) {
        tuco_local_address(socket, name, sizeof(name));
        printf("udp: listening on %s\n", name);
        fflush(stdout);
        stop_wait(signals);
    }
    tuco_fd_close(socket); /* the goroutine returns from its wait */
    tuco_wg_wait(&answering);
    return error != 0 ? fail(address, error) : 0;
}

/* The client */

/* Waits for the answer that begins with the question. Returns 0, -ETIMEDOUT, or the error
   of the socket: -ECONNREFUSED if there is no server at the port. */
static int await_answer(tuco_fd *socket, const char *question, char *answer,
                        size_t size) {
    size_t length = strlen(question);
    ssize_t n;
    do {
        n = tuco_fd_read(socket, answer, size - 1);
        answer[n > 0 ? n : 0] = '\0';
    } while (n >= 0 && strncmp(answer, question, length) != 0);
    return n < 0 ? (int)n : 0;
}

static int ask_once(tuco_fd *socket, int number, tuco_time patience) {
    char question[TIME_BYTES];
    char answer[DATAGRAM_BYTES];
    int length = snprintf(question, sizeof(question), "question %d:", number);
    tuco_fd_set_deadline(socket, tuco_deadline(patience));
    ssize_t sent = tuco_fd_write(socket, question, (size_t)length);
    int error =
        sent < 0 ? (int)sent : await_answer(socket, question, answer, sizeof(answer));
    if (error == 0) {
        puts(answer + length + 1);
    }
    return error;
}

static int ask(const char *address) {
    tuco_fd *socket;
    int error = tuco_dial("udp", address, TUCO_NEVER, &socket);
    if (error != 0) {
        return fail(address, error);
    }
    tuco_time patience = PATIENCE;
    error = -ETIMEDOUT;
    for (int number = 1; number <= TRIES && error == -ETIMEDOUT; number++) {
        error = ask_once(socket, number, patience);
        patience *= 2;
    }
    tuco_fd_close(socket);
    return error != 0 ? fail(address, error) : 0;
}

/* The program */

struct arguments {
    const char *address;
    tuco_fd *signals; /* NULL: runs the client */
};

static int run(void *arg) {
    struct arguments *a = arg;
    return a->signals != NULL ? serve(a->address, a->signals) : ask(a->address);
}

int main(int argc, char **argv) {
    bool serves = argc == 3 && strcmp(argv[1], "serve") == 0;
    if (!serves && !(argc == 3 && strcmp(argv[1], "ask") == 0)) {
        fprintf(stderr, "usage: udp serve|ask ADDRESS\n");
        return 2;
    }
    struct arguments a = {.address = argv[2]};
    if (serves) {
        a.signals = stop_open(); /* before other threads exist */
        if (a.signals == NULL) {
            return fail("signals", -ENOMEM);
        }
    }
    int status = tuco_run(run, &a);
    tuco_fd_unref(a.signals);
    return status < 0 ? fail("tuco_run", status) : status;
}
