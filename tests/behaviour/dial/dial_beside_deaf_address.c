/* SPDX-License-Identifier: MIT */
/* Proves: an address that does not answer delays a dial by 300 ms only, if the host has
   another address. This holds for either address, and for goroutines and threads. The
   losing attempt leaves nothing behind. If no address answers, the dial ends at its
   deadline. */
/* Faults are planned while goroutines run. */
/* not under tsan */
#include "loopback.h"
#include "deaf.h"
#include "fault.h"

/* Without a race of the addresses, the first would get half of this time. */
#define DEADLINE (30 * TUCO_SECOND)

/* How long the second address waits for the first, and how late a dial may end. Other load
   delays some dials, so the fastest one of several counts. */
#define DELAY  (300 * TUCO_MILLISECOND)
#define LATE   (100 * TUCO_MILLISECOND)
#define TRIALS 5

static char text[LO_TEXT];

/* Returns how long the dial takes. */
static tuco_duration expect_connected(const char *address, const char *remote) {
    char other[LO_TEXT];
    tuco_fd *f = NULL;
    tuco_time start = tuco_now();
    ASSERT_EQ(tuco_dial("tcp", address, start + DEADLINE, &f), 0);
    tuco_duration took = tuco_now() - start;
    ASSERT_EQ(strncmp(lo_remote(f, other), remote, strlen(remote)), 0);
    lo_close(f);
    return took;
}

/* Requires that a dial waits for so long and no longer. */
static void expect_delay(const char *address, const char *remote, tuco_duration delay) {
    tuco_duration least = TUCO_NEVER;
    for (int i = 0; i < TRIALS && least > delay + LATE; i++) {
        tuco_duration took = expect_connected(address, remote);
        ASSERT_GE(took, delay);
        least = took < least ? took : least;
    }
    ASSERT_LE(least, delay + LATE);
}

static void dial_port(void *unused) {
    (void)unused;
    expect_delay(text, "[::1]:", DELAY);
}

/* Listens at the same port of an address of the other family. */
static tuco_fd *listen_beside(const char *network, const char *host) {
    char address[LO_TEXT];
    snprintf(address, sizeof address, "%s%s", host, strrchr(text, ':'));
    return lo_listen(network, address);
}

static int deaf_first_main(void *unused) {
    (void)unused;
    struct deaf d = deaf_make(text);
    tuco_fd *l = listen_beside("tcp6", "[::1]");
    int fds = 0;
    snprintf(text, sizeof text, "%s", strrchr(text, ':'));
    for (int i = 0; i < 3; i++) {
        dial_port(NULL);
        ASSERT_EQ(tuco_count(), 1);
        fds = i == 0 ? test_count_fds() : fds; // with the runtime's own
        ASSERT_EQ(test_count_fds(), fds);
    }
    test_threads_run(2, dial_port, NULL);
    ASSERT_EQ(test_count_fds(), fds);
    lo_close(l);
    deaf_end(&d);
    return 0;
}

TEST(deaf_first) {
    lo_skip_without_ipv6();
    RUN(deaf_first_main);
}

/* "localhost" has the same two addresses, and 127.0.0.1 is the first. */
static int localhost_main(void *unused) {
    char address[LO_TEXT];
    (void)unused;
    struct deaf d = deaf_make(text);
    tuco_fd *l = listen_beside("tcp6", "[::1]");
    snprintf(address, sizeof address, "localhost%s", strrchr(text, ':'));
    expect_delay(address, "[::1]:", DELAY);
    lo_close(l);
    deaf_end(&d);
    d = deaf_make_ipv6(text);
    l = listen_beside("tcp4", "127.0.0.1");
    snprintf(address, sizeof address, "localhost%s", strrchr(text, ':'));
    expect_delay(address, "127.0.0.1:", 0);
    lo_close(l);
    deaf_end(&d);
    return 0;
}

TEST(localhost) {
    lo_skip_without_ipv6();
    RUN(localhost_main);
}

static int all_deaf_main(void *unused) {
    (void)unused;
    tuco_fd *f = NULL;
    struct deaf d = deaf_make(text);
    tuco_duration least = TUCO_NEVER;
    for (tuco_time ms = 1; ms <= 1000; ms *= 10) {
        tuco_time deadline = tuco_deadline(ms * TUCO_MILLISECOND);
        // the other address refuses; the error is that of the first
        ASSERT_EQ(tuco_dial("tcp", strrchr(text, ':'), deadline, &f), -ETIMEDOUT);
        tuco_duration late = tuco_now() - deadline;
        ASSERT_GE(late, 0);
        least = late < least ? late : least;
    }
    ASSERT_LE(least, LATE);
    deaf_end(&d);
    return 0;
}

TEST(deadline_is_kept) {
    int fds = test_count_fds();
    RUN(all_deaf_main);
    ASSERT_EQ(test_count_fds(), fds);
}

/* Both addresses are tried within a short deadline. */
static int short_main(void *unused) {
    (void)unused;
    tuco_fd *f = NULL;
    struct deaf d = deaf_make(text);
    tuco_fd *l = listen_beside("tcp6", "[::1]");
    int rc =
        tuco_dial("tcp", strrchr(text, ':'), tuco_deadline(100 * TUCO_MILLISECOND), &f);
    if (rc == -ETIMEDOUT) {
        SKIP("The machine is too busy to connect within the deadline.");
    }
    ASSERT_EQ(rc, 0);
    lo_close(f);
    lo_close(l);
    deaf_end(&d);
    return 0;
}

TEST(short_deadline) {
    lo_skip_without_ipv6();
    RUN(short_main);
}

/* Each system call of the race fails in turn; nothing is left behind. A sweep of faults
   adds -ENOMEM. */
static int refused_main(void *kind) {
    struct deaf d = deaf_make(text);
    tuco_fd *f = NULL;
    int rc = 0;
    for (int call = 1; rc != -ETIMEDOUT; call++) {
        test_fault_plan(*(enum os_fault_kind *)kind, call, 1, EMFILE);
        rc = tuco_dial("tcp", strrchr(text, ':'), tuco_deadline(20 * TUCO_MILLISECOND),
                       &f);
        ASSERT(rc == -EMFILE || rc == -ENOMEM || rc == -ETIMEDOUT);
        ASSERT(call < 10);
    }
    deaf_end(&d);
    return 0;
}

TEST(refused) {
    static enum os_fault_kind kinds[] = {OS_FAULT_FD_WATCHER, OS_FAULT_SOCKET};
    for (int i = 0; i < 2; i++) {
        int fds = test_count_fds();
        ASSERT_EQ(tuco_run(refused_main, &kinds[i]), 0);
        ASSERT_EQ(test_count_fds(), fds);
    }
}
