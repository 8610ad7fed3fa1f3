/* SPDX-License-Identifier: MIT */
/* The program of README.md: an echo server, and a channel that reports what it has
   served. */
#include <stdio.h>
#include <tuco.h>

static tuco_chan *served; /* of ssize_t: the bytes of each connection */
static tuco_wg all;

static void echo(void *client) { /* a goroutine for each connection */
    char buf[512];
    ssize_t n, total = 0;
    while ((n = tuco_fd_read(client, buf, sizeof buf)) > 0) { /* parks no thread */
        total += n;
        tuco_fd_write(client, buf, (size_t)n);
    }
    tuco_fd_close(client);
    tuco_chan_send(served, &total);
}

static void serve(void *listener) {
    tuco_fd *client;
    while (tuco_accept(listener, &client) == 0) {
        if (tuco_wg_go(&all, echo, client) != 0) {
            tuco_fd_close(client); /* no memory for a goroutine */
        }
    }
    tuco_fd_unref(listener);
}

static int start(void *unused) {
    char address[128];
    ssize_t total;
    tuco_fd *listener, *server;
    served = tuco_chan_make(sizeof total, 0);
    if (tuco_listen("tcp", "127.0.0.1:0", &listener) != 0 ||
        tuco_local_address(listener, address, sizeof address) != 0 ||
        tuco_wg_go(&all, serve, tuco_fd_ref(listener)) != 0 ||
        tuco_dial("tcp", address, tuco_deadline(5 * TUCO_SECOND), &server) != 0) {
        return 1;
    }
    tuco_fd_write(server, "hello", 5);
    tuco_fd_close(server);
    tuco_chan_recv(served, &total);
    printf("served %zd bytes\n", total);
    tuco_fd_close(listener); /* ends the accept */
    tuco_wg_wait(&all);
    tuco_chan_unref(served);
    (void)unused;
    return 0;
}

int main(void) {
    return tuco_run(start, NULL);
}
