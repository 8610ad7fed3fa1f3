/* SPDX-License-Identifier: MIT */
/* A TCP server that sends back what it reads, and its client. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <tuco.h>

static void echo(void *arg) {
    tuco_fd *client = arg;
    char buf[4096];
    ssize_t n;
    while ((n = tuco_fd_read(client, buf, sizeof buf)) > 0 &&
           tuco_fd_write(client, buf, (size_t)n) == n) {
    }
    tuco_fd_close(client);
}

static void serve(void *arg) {
    tuco_fd *listener = arg;
    tuco_fd *client;
    tuco_wg clients = {0};
    while (tuco_accept(listener, &client) == 0) {
        if (tuco_wg_go(&clients, echo, client) != 0) {
            tuco_fd_close(client); /* no memory for a goroutine */
        }
    }
    tuco_wg_wait(&clients);
    tuco_fd_unref(listener); /* main has closed it */
}

/* Sends the text, and prints what comes back. */
static int talk(const char *address, const char *text) {
    char buf[64];
    size_t n = 0;
    ssize_t got;
    tuco_fd *server;
    if (tuco_dial("tcp", address, tuco_deadline(5 * TUCO_SECOND), &server) != 0) {
        return 1;
    }
    tuco_fd_write(server, text, strlen(text));
    tuco_fd_shutdown(server, SHUT_WR);
    while ((got = tuco_fd_read(server, buf + n, sizeof buf - n)) > 0) {
        n += (size_t)got;
    }
    tuco_fd_close(server);
    printf("%.*s\n", (int)n, buf);
    return got == 0 ? 0 : 1;
}

static int main_goroutine(void *arg) {
    (void)arg;
    char address[128];
    tuco_fd *listener;
    tuco_wg server = {0};
    if (tuco_listen("tcp", "127.0.0.1:0", &listener) != 0) {
        return 1;
    }
    int error = tuco_local_address(listener, address, sizeof address);
    if (error == 0) {
        error = tuco_wg_go(&server, serve, tuco_fd_ref(listener));
    }
    if (error == 0) {
        error = talk(address, "hello");
    }
    tuco_fd_close(listener); /* ends serve() */
    tuco_wg_wait(&server);
    return error == 0 ? 0 : 1;
}

int main(void) {
    return tuco_run(main_goroutine, NULL) == 0 ? 0 : 1;
}
