/* SPDX-License-Identifier: MIT */
/* A store of keys and values behind a Unix socket: connections read lines, and one
   goroutine owns the data; channels connect them, without locks.

       build/release/examples/unix /tmp/store &
       printf 'set sky blue\nget sky\n' | nc -NU /tmp/store

   A line is a command:

       set KEY VALUE
       get KEY
       delete KEY
       count

   The answer is a line: ok, a value, a number, or one that begins with "error". */
#include "common/server.h"
#include "unix/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048

struct settings {
    order_chan *orders;
};

/* Commands */

static const struct command {
    const char *name;
    enum order_kind kind;
    bool has_key;
    bool has_value; /* the rest of the line */
} commands[] = {
    {"set", ORDER_SET, true, true},
    {"get", ORDER_GET, true, false},
    {"delete", ORDER_DELETE, true, false},
    {"count", ORDER_COUNT, false, false},
};

static const struct command *command_of(const char *name) {
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

/* Returns false if there is no word, or it is longer than max. */
static bool take(const char *word, char *out, size_t max) {
    size_t length = word != NULL ? strlen(word) : 0;
    if (length == 0 || length > max) {
        return false;
    }
    memcpy(out, word, length + 1);
    return true;
}

/* Parses the line into an order. Returns NULL, or the error message. */
static const char *parse(char *line, struct order *o) {
    const struct command *command = command_of(strsep(&line, " "));
    if (command == NULL) {
        return "error: no such command\n";
    }
    if (command->has_key && !take(strsep(&line, " "), o->key, STORE_KEY_MAX)) {
        return "error: no key, or one that is too long\n";
    }
    if (command->has_value && !take(strsep(&line, ""), o->value, STORE_VALUE_MAX)) {
        return "error: no value, or one that is too long\n";
    }
    if (line != NULL) {
        return "error: more words than the command takes\n";
    }
    o->kind = command->kind;
    return NULL;
}

/* Writes the answer to the line. Returns false if the client has gone. */
static bool obey(struct connection *c, char *line, struct order *o) {
    const struct settings *settings = c->server->settings;
    char answer[STORE_VALUE_MAX + 2];
    const char *wrong = parse(line, o);
    int error = wrong == NULL ? store_ask(settings->orders, o) : 0;
    if (wrong != NULL) {
        snprintf(answer, sizeof(answer), "%s", wrong);
    } else if (error != 0) {
        snprintf(answer, sizeof(answer), "error: %s\n",
                 error == -ENOENT ? "no such key" : "no memory");
    } else if (o->kind == ORDER_GET) {
        snprintf(answer, sizeof(answer), "%s\n", o->value);
    } else if (o->kind == ORDER_COUNT) {
        snprintf(answer, sizeof(answer), "%zu\n", o->count);
    } else {
        snprintf(answer, sizeof(answer), "ok\n");
    }
    return tuco_fd_write(c->fd, answer, strlen(answer)) > 0;
}

/* Connections */

/* Executes the lines in the buffer. Returns how much of it is left, moved to its
   beginning, or -1 if the connection must end. */
static ssize_t obey_lines(struct connection *c, char *buffer, size_t length,
                          struct order *o) {
    char *line = buffer;
    char *newline;
    while ((newline = memchr(line, '\n', length)) != NULL) {
        *newline = '\0';
        length -= (size_t)(newline + 1 - line);
        if (!obey(c, line, o)) {
            return -1;
        }
        line = newline + 1;
    }
    memmove(buffer, line, length);
    return length < LINE_BYTES ? (ssize_t)length : -1;
}

static void serve(struct connection *c) {
    char buffer[LINE_BYTES];
    ssize_t length = 0;
    ssize_t n;
    struct order o = {.done = tuco_chan_make(0, 0)};
    if (o.done == NULL) {
        return;
    }
    do {
        n = tuco_fd_read(c->fd, buffer + length, sizeof(buffer) - (size_t)length);
        if (n > 0) {
            length = obey_lines(c, buffer, (size_t)(length + n), &o);
        }
    } while (n > 0 && length >= 0);
    tuco_chan_unref(o.done);
}

/* The program */

/* The main goroutine: the store begins before the first connection and ends after the
   last. */
static int serve_with_store(struct server *s) {
    struct settings settings = {.orders = order_make(0)};
    tuco_wg store = {0};
    if (settings.orders == NULL) {
        return -ENOMEM;
    }
    int error = tuco_wg_go(&store, store_run, settings.orders);
    if (error == 0) {
        s->settings = &settings;
        error = server_run(s);
        order_close(settings.orders);
        tuco_wg_wait(&store);
    }
    order_unref(settings.orders);
    return error;
}

int main(int argc, char **argv) {
    struct server server = {
        .program = "unix",
        .network = "unix",
        .grace = TUCO_SECOND,
        .serve = serve,
        .around = serve_with_store,
    };
    if (argc != 2) {
        fprintf(stderr, "usage: unix PATH\n");
        return 2;
    }
    server.address = argv[1];
    return server_main(&server);
}
