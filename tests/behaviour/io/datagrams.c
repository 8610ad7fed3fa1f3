/* SPDX-License-Identifier: MIT */
/* Proves: recvfrom stores the address of the sender, as far as there is room, and sendto
   sends a datagram to it. Both wait if they have to, and return the errors of the
   kernel. */
#include "net.h"

#define COUNT TEST_SIZE(500, 100)

static tuco_wg wg;

struct node {
    struct sockaddr_in address;
    tuco_fd *f;
};

static struct node node_make(void) {
    struct node node;
    node.f = net_wrap(net_bound_socket(SOCK_DGRAM, &node.address));
    return node;
}

static void send_to(struct node *from, struct node *to, const char *text) {
    ASSERT_EQ(tuco_fd_sendto(from->f, text, strlen(text), (struct sockaddr *)&to->address,
                             sizeof to->address),
              strlen(text));
}

/* Answers each sender, until a text begins with '.'. */
static void answer(void *raw) {
    struct node *node = raw;
    struct node other;
    char text[16] = {0};
    do {
        socklen_t size = sizeof other.address;
        ssize_t n = tuco_fd_recvfrom(node->f, text, sizeof text,
                                     (struct sockaddr *)&other.address, &size);
        ASSERT_GT(n, 0);
        ASSERT_EQ(size, sizeof other.address);
        send_to(node, &other, text);
    } while (text[0] != '.');
}

static void ask_and_answer(void) {
    struct node server = node_make();
    struct node clients[2] = {node_make(), node_make()};
    ASSERT_EQ(tuco_wg_go(&wg, answer, &server), 0);
    test_await_waiting(1);
    for (int i = 0; i <= COUNT; i++) {
        struct node *client = &clients[i % 2];
        send_to(client, &server, i < COUNT ? "?" : ".");
        net_hear(client->f, i < COUNT ? "?" : ".");
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(server.f), 0);
    ASSERT_EQ(tuco_fd_close(clients[0].f), 0);
    ASSERT_EQ(tuco_fd_close(clients[1].f), 0);
}

static void little_room(void) {
    struct node a = node_make();
    struct node b = node_make();
    char text[8];
    struct {
        struct sockaddr_in address;
        char guard;
    } room = {.guard = 77};
    memset(&room.address, 77, sizeof room.address);
    socklen_t size = 4;
    for (int i = 0; i < 3; i++) {
        send_to(&a, &b, "text");
    }
    ASSERT_EQ(tuco_fd_recvfrom(b.f, text, 2, (struct sockaddr *)&room, &size), 2);
    ASSERT_EQ(size, sizeof room.address); // the full size of the address
    ASSERT_EQ(room.address.sin_port, a.address.sin_port);
    ASSERT_EQ(((char *)&room)[4], 77);
    size = sizeof room;
    ASSERT_EQ(tuco_fd_recvfrom(b.f, text, 8, (struct sockaddr *)&room, &size), 4);
    ASSERT_EQ(size, sizeof room.address);
    ASSERT_EQ(room.guard, 77);
    ASSERT_EQ(tuco_fd_recvfrom(b.f, text, 8, NULL, NULL), 4);
    ASSERT_EQ(tuco_fd_close(a.f), 0);
    ASSERT_EQ(tuco_fd_close(b.f), 0);
}

static void what_the_kernel_says(void) {
    static const char large[70000];
    struct node a = node_make();
    struct node b = node_make();
    struct net_pair p = net_open(net_pipe);
    ASSERT_EQ(tuco_fd_sendto(a.f, "x", 1, NULL, 0), -EDESTADDRREQ);
    ASSERT_EQ(tuco_fd_sendto(a.f, large, sizeof large, (struct sockaddr *)&b.address,
                             sizeof b.address),
              -EMSGSIZE);
    ASSERT_EQ(tuco_fd_sendto(p.out, "x", 1, NULL, 0), -ENOTSOCK);
    ASSERT_EQ(tuco_fd_recvfrom(p.in, &(char){0}, 1, NULL, NULL), -ENOTSOCK);
    ASSERT_EQ(tuco_fd_close(a.f), 0);
    ASSERT_EQ(tuco_fd_close(b.f), 0);
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    ask_and_answer();
    little_room();
    what_the_kernel_says();
    return 0;
}

TEST(datagrams) {
    RUN(run_main);
}

#define TEXT_BYTES 1000

/* A stream may accept a part of the text; a message is accepted whole. */
static void send_many(void *f) {
    static const char text[TEXT_BYTES];
    size_t sent = 0;
    while (sent < COUNT * sizeof text) {
        size_t size = sizeof text - sent % sizeof text;
        ssize_t n = tuco_fd_sendto(f, text, size, NULL, 0);
        ASSERT_GT(n, 0);
        sent += (size_t)n;
    }
}

/* These sockets lose nothing, so that the sender has to wait; two of them are streams. */
static int full_main(void *arg) {
    net_kind *kinds[] = {net_messages, net_socketpair, net_tcp};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct net_pair p = net_open(kinds[i]);
        ASSERT_EQ(tuco_wg_go(&wg, send_many, p.out), 0);
        for (size_t got = 0; got < (size_t)COUNT * TEXT_BYTES;) {
            char text[TEXT_BYTES];
            ssize_t n = tuco_fd_recvfrom(p.in, text, sizeof text, NULL, NULL);
            ASSERT_GT(n, 0);
            ASSERT(n == sizeof text || kinds[i] != net_messages);
            got += (size_t)n;
        }
        tuco_wg_wait(&wg);
        net_close(&p);
    }
    return 0;
}

TEST(sender_waits_for_room) {
    RUN(full_main);
}
