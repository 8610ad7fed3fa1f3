/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: each kernel call and each allocation in listen, accept, dial and wait may fail,
   one after the other: the caller gets the error, its result pointer stays unchanged, no
   descriptor or memory leaks, and later calls work. */
#include "fault.h"
#include "names.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 128
#define CALLS_MAX  400 /* more than the scenario makes of any kind */

static tuco_fd *const untouched = (tuco_fd *)&untouched;

static enum os_fault_kind kind;
static int call; /* 0: none fails */
static bool failed;
static char path[64];

/* Accepts only the planned error, and records it. */
static bool is_good(int rc, int good) {
    int expected = test_fault_usual_error(kind);
    if (rc != good) {
        ASSERT_NE(call, 0);
        ASSERT_EQ(rc, -expected);
        failed = true;
    }
    return rc == good;
}

static bool has_made(int rc, tuco_fd *const *f) {
    ASSERT_EQ(rc == 0, *f != untouched);
    return is_good(rc, 0);
}

static void talk(tuco_fd *listener, const char *network, const char *address) {
    tuco_fd *dialed = untouched;
    tuco_fd *accepted = untouched;
    char text[TEXT_BYTES];
    if (!has_made(tuco_dial(network, address, tuco_deadline(20 * TUCO_SECOND), &dialed),
                  &dialed)) {
        return;
    }
    (void)is_good(tuco_remote_address(dialed, text, sizeof text), 0);
    if (has_made(tuco_accept(listener, &accepted), &accepted)) {
        (void)is_good(tuco_fd_wait(tuco_fd_raw(accepted), POLLOUT, TUCO_NEVER), POLLOUT);
        ASSERT_EQ(tuco_fd_close(accepted), 0);
    }
    ASSERT_EQ(tuco_fd_close(dialed), 0);
}

static void listen_and_talk(const char *network, const char *address, const char *host) {
    tuco_fd *l = untouched;
    char at[TEXT_BYTES];
    char to[2 * TEXT_BYTES];
    if (!has_made(tuco_listen(network, address, &l), &l)) {
        return;
    }
    if (is_good(tuco_local_address(l, at, sizeof at), 0)) {
        snprintf(to, sizeof to, "%s%s", host, *host != '\0' ? strrchr(at, ':') : at);
        talk(l, network, to);
    }
    ASSERT_EQ(tuco_fd_close(l), 0);
}

static void wait_in_vain(void) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    /* If the deadline has passed, the runtime needs no watcher. */
    bool watched = kind == OS_FAULT_FD_WATCHER;
    tuco_time deadline =
        tuco_deadline(watched ? 200 * TUCO_MILLISECOND : TUCO_MICROSECOND);
    (void)is_good(tuco_fd_wait(fds[0], POLLIN, deadline), -ETIMEDOUT);
    close(fds[0]);
    close(fds[1]);
}

static int scenario_main(void *arg) {
    (void)arg;
    listen_and_talk("tcp4", "some.name:0", "some.name");
    listen_and_talk("unix", "@", "");
    listen_and_talk("unix", path, "");
    if (kind == OS_FAULT_SOCKET_FILE && call != 0) {
        unlink(path); // the file stays if the runtime cannot identify it
    }
    ASSERT_EQ(access(path, F_OK), -1);
    wait_in_vain();
    return 0;
}

static bool run_scenario(void) {
    int fds = test_count_fds();
    failed = false;
    int rc = tuco_run(scenario_main, NULL);
    bool started = rc == 0;
    if (!started) { // the runtime needed that allocation to start
        ASSERT(call != 0 && kind == OS_FAULT_ALLOC && rc == -ENOMEM);
    }
    ASSERT_EQ(test_count_fds(), fds);
    return !started || failed;
}

static void run_with_fault(void *arg) {
    (void)arg;
    test_fault_plan(kind, call, 1, test_fault_usual_error(kind));
    (void)run_scenario();
    bool reached = test_fault_calls(kind) >= call;
    test_fault_expect_balance();
    test_fault_clear();
    call = 0;
    ASSERT(!run_scenario());
    fprintf(stderr, reached ? "reached\n" : "not reached\n");
}

static void fail_each(enum os_fault_kind its_kind) {
    static struct test_child child;
    kind = its_kind;
    strcpy(path, "/tmp/tuco-test-XXXXXX");
    ASSERT(mkdtemp(path) != NULL && rmdir(path) == 0); // a name that is free
    for (call = 1; call < CALLS_MAX; call += 1 + call / 16) {
        test_child_run(&child, run_with_fault, NULL);
        if (child.status != 0) {
            fprintf(stderr, "%s, call %d:\n", test_fault_name(kind), call);
        }
        EXPECT_STATUS(&child, 0);
        if (strstr(child.text, "not reached") != NULL) {
            ASSERT_GT(call, 1); // at least one was made, or this proves nothing
            return;
        }
    }
    ASSERT(!"the scenario makes too many calls to try them all");
}

#define EACH(name, its_kind)            \
    TEST(name) {                        \
        fail_each(OS_FAULT_##its_kind); \
    }

EACH(socket, SOCKET)
EACH(bind, BIND)
EACH(accept, ACCEPT)
EACH(connect, CONNECT)
EACH(socket_name, SOCKET_NAME)
EACH(socket_file, SOCKET_FILE)
EACH(find_name, FIND_NAME)
EACH(fd_ready, FD_READY)
EACH(fd_watcher, FD_WATCHER)
EACH(poll_add, POLL_ADD)
EACH(alloc, ALLOC)
