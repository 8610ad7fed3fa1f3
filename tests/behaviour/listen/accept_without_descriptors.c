/* SPDX-License-Identifier: MIT */
/* Proves: tuco_accept() returns -EMFILE each time while no descriptor is free. The
   connection stays in the backlog and is accepted once a descriptor is free, although
   epoll reports it only once. */
#include "loopback.h"

#include <fcntl.h>
#include <sys/resource.h>

static tuco_fd *listener;
static atomic_int refused;
static atomic_bool have_room;

/* Waits for a free descriptor and tries again, as a server does. */
static void accept_one(void *arg) {
    tuco_fd *f = NULL;
    int rc;
    while ((rc = tuco_accept(listener, &f)) == -EMFILE) {
        ASSERT(f == NULL);
        atomic_fetch_add(&refused, 1);
        while (atomic_load(&refused) >= 3 && !atomic_load(&have_room)) {
            tuco_yield();
        }
    }
    ASSERT_EQ(rc, 0);
    lo_expect_talk(f, arg);
    lo_close(f);
}

/* Lowers the limit, so that no descriptor is free. */
static void take_all(rlim_t *before) {
    struct rlimit limit;
    int next = dup(0);
    ASSERT_GE(next, 0);
    close(next);
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    *before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)next;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void give_back(rlim_t before) {
    struct rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = before;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int run_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    tuco_wg wg = {0};
    rlim_t before;
    listener = lo_listen("tcp", "127.0.0.1:0");
    tuco_fd *f = lo_dial("tcp", lo_local(listener, text));
    lo_close(lo_accept(listener)); // the runtime has all its descriptors
    lo_close(f);
    f = lo_dial("tcp", lo_local(listener, text));
    take_all(&before);
    ASSERT_EQ(tuco_wg_go(&wg, accept_one, f), 0);
    test_await(&refused, 3);
    give_back(before);
    atomic_store(&have_room, true);
    tuco_wg_wait(&wg);
    lo_close(f);
    lo_close(listener);
    return 0;
}

TEST(without_descriptors) {
    int in = open("/dev/null", O_RDONLY);
    ASSERT_GE(in, 0);
    ASSERT_EQ(dup2(in, 0), 0);
    RUN(run_main);
}
