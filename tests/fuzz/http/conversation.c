/* SPDX-License-Identifier: MIT */
/* A connection of the server with a client that sends arbitrary bytes. */
#include "http/conversation.h"
#include "http/connection.h"
#include "http/settings.h"

#include <http_parser.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Lower limits than the server has, so that short inputs reach them. */
#define HEAD_MAX  1024
#define BODY_MAX  1024
#define READ_STEP 65536 // above what the server writes at a time

struct answers {
    size_t length;
    size_t room;
    char *text;
};

struct conversation {
    const uint8_t *bytes;
    size_t length;
    size_t piece;
    tuco_fd *client;
    tuco_fd *server;
    struct answers answers;
};

static struct http_settings settings = {
    .idle = 60 * TUCO_SECOND,
    .head = 60 * TUCO_SECOND,
    .body = 60 * TUCO_SECOND,
    .write = 60 * TUCO_SECOND,
    .linger = 60 * TUCO_SECOND,
    .body_max = BODY_MAX,
};

static struct server server = {.settings = &settings};

_Noreturn static void fail(const struct conversation *c, const char *reason) {
    fprintf(stderr, "%s, of pieces of %zu bytes: \"", reason, c->piece);
    for (size_t i = 0; i < c->length; i++) {
        int byte = c->bytes[i];
        fprintf(stderr, byte >= ' ' && byte <= '~' ? "%c" : "\\x%02x", byte);
    }
    fprintf(stderr, "\"\n");
    abort();
}

/* The three goroutines */

static void serve(void *arg) {
    struct conversation *c = arg;
    struct connection connection = {.server = &server, .fd = c->server};
    http_serve(&connection);
    tuco_fd_close(c->server);
}

/* Returns when the server has read everything, or has ended. Called before the shutdown:
   the kernel checks for messages first and for the end afterwards, so that a read in
   between could return the end before a message that arrived meanwhile. */
static void await_read(tuco_fd *client) {
    int unread;
    while (ioctl(tuco_fd_raw(client), SIOCOUTQ, &unread) == 0 && unread > 0) {
        tuco_yield();
    }
}

static void speak(void *arg) {
    struct conversation *c = arg;
    size_t said = 0;
    while (said < c->length) {
        size_t left = c->length - said;
        size_t n = left < c->piece ? left : c->piece;
        if (tuco_fd_write(c->client, c->bytes + said, n) < 0) {
            return; /* the server has closed */
        }
        said += n;
    }
    await_read(c->client);
    tuco_fd_shutdown(c->client, SHUT_WR);
}

static void listen_to(struct conversation *c) {
    struct answers *a = &c->answers;
    ssize_t n;
    do {
        if (a->room - a->length < READ_STEP) {
            a->room = a->room * 2 + READ_STEP;
            a->text = realloc(a->text, a->room + 1);
        }
        n = a->text != NULL ? tuco_fd_read(c->client, a->text + a->length, READ_STEP)
                            : -1;
        a->length += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    if (n < 0) {
        fail(c, "the answers could not be read");
    }
    a->text[a->length] = '\0';
}

static void hold(struct conversation *c) {
    int fds[2];
    tuco_wg others = {0};
    c->answers = (struct answers){0};
    /* The socket keeps the boundaries between writes. */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        fail(c, "there is no socket");
    }
    if (tuco_fd_wrap(fds[0], &c->client) != 0 || tuco_fd_wrap(fds[1], &c->server) != 0 ||
        tuco_wg_go(&others, serve, c) != 0 || tuco_wg_go(&others, speak, c) != 0) {
        fail(c, "there is no memory");
    }
    listen_to(c);
    tuco_wg_wait(&others);
    tuco_fd_close(c->client);
}

/* The answers of the server */

/* Removes what may differ: the date, and "100 Continue", which depends on whether the
   body has arrived already. */
static void normalise(struct answers *a) {
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    static const char date[] = "\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT";
    size_t kept = 0;
    for (size_t i = 0; i < a->length;) {
        if (strncmp(a->text + i, go_on, sizeof(go_on) - 1) == 0) {
            i += sizeof(go_on) - 1;
        } else if (a->length - i >= sizeof(date) && memcmp(a->text + i, date, 8) == 0) {
            i += sizeof(date) - 1;
        } else {
            a->text[kept++] = a->text[i++];
        }
    }
    a->length = kept;
    a->text[kept] = '\0';
}

/* Returns where a response begins that refuses a request and ends the connection; the
   length, if the last one does not. A request with two mistakes may be refused for
   either, depending on how much of it the parser has seen. */
static size_t refusal_in(const struct answers *a) {
    static const char start[] = "HTTP/1.1 ";
    for (size_t at = a->length; at > 0; at--) {
        const char *text = a->text + at - 1;
        if (strncmp(text, start, sizeof(start) - 1) == 0) {
            bool refuses = text[9] == '4' || text[9] == '5';
            return refuses && strstr(text, "\r\nConnection: close\r\n") != NULL
                       ? at - 1
                       : a->length;
        }
    }
    return a->length;
}

static bool are_same(const struct answers *a, const struct answers *b) {
    size_t length = refusal_in(a);
    return length == refusal_in(b) && (length < a->length) == (length < b->length) &&
           memcmp(a->text, b->text, length) == 0;
}

/* A number that depends on the input alone, so that a failure can be repeated. */
static size_t piece_of(const uint8_t *bytes, size_t length) {
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 16777619U;
    }
    return hash % 4 == 0 ? 1 : 1 + hash % (length + 1);
}

void conversation_init(void) {
    http_parser_set_max_header_size(HEAD_MAX);
    server.life = tuco_ctx_with_cancel(tuco_ctx_background());
    if (server.life == NULL) {
        abort();
    }
    tuco_ctx_cancel(server.life); /* routes do not wait for time to pass */
}

void conversation_exit(void) {
    tuco_ctx_unref(server.life);
}

void conversation_try(const uint8_t *bytes, size_t length) {
    length = length < CONVERSATION_MAX_BYTES ? length : CONVERSATION_MAX_BYTES;
    struct conversation whole = {.bytes = bytes, .length = length, .piece = length};
    struct conversation cut = whole;
    cut.piece = piece_of(bytes, length);
    hold(&whole);
    normalise(&whole.answers);
    hold(&cut);
    normalise(&cut.answers);
    if (whole.answers.length > 0 && strncmp(whole.answers.text, "HTTP/1.1 ", 9) != 0) {
        fail(&whole, "no response");
    }
    if (!are_same(&whole.answers, &cut.answers)) {
        fprintf(stderr, "--- whole:\n%s\n--- cut:\n%s\n---\n", whole.answers.text,
                cut.answers.text);
        fail(&cut, "other answers than at once");
    }
    free(whole.answers.text);
    free(cut.answers.text);
}
