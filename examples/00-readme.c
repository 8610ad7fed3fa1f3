/* SPDX-License-Identifier: MIT */
/* The program of README.md: an echo server that reports on a channel, and a client. */
#include <stdio.h>
#include <tuco.h>

static tuco_chan *served; /* of ssize_t: the bytes of each connection */

static void echo(void *client) {
    char buf[512];
    ssize_t n, total = 0;
    while ((n = tuco_fd_read(client, buf, sizeof buf)) > 0 && /* blocks no thread */
           tuco_fd_write(client, buf, (size_t)n) == n) {
        total += n;
    }
    tuco_fd_close(client);
    tuco_chan_send(served, &total);
}

static void serve(void *listener) {
    for (tuco_fd *client; tuco_accept(listener, &client) == 0;) {
        if (tuco_go(echo, client) != 0) { /* a goroutine for each connection */
            echo(client);                 /* no memory for one */
        }
    }
}

static int start(void *unused) {
    char address[128], reply[5];
    ssize_t total;
    tuco_fd *listener, *server;
    (void)unused;
    served = tuco_chan_make(sizeof total, 0);
    if (served == NULL || tuco_listen("tcp", "127.0.0.1:0", &listener) != 0 ||
        tuco_local_address(listener, address, sizeof address) != 0 ||
        tuco_go(serve, listener) != 0 ||
        tuco_dial("tcp", address, tuco_deadline(5 * TUCO_SECOND), &server) != 0 ||
        tuco_fd_write(server, "hello", 5) != 5 || tuco_fd_read(server, reply, 5) != 5 ||
        tuco_fd_close(server) != 0 || tuco_chan_recv(served, &total) != 0) {
        return 1;
    }
    printf("served %zd bytes: %.5s\n", total, reply);
    return 0; /* and the other goroutines stop, as in Go */
}

int main(void) {
    return tuco_run(start, NULL);
}
