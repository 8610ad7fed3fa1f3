/* SPDX-License-Identifier: MIT */
/* Proves: two goroutines that exchange values all the time, with system calls in between,
   both receive from their timers (SE-23). */
#include "chans.h"

#include <fcntl.h>
#include <unistd.h>

#define LIMIT (20 * TUCO_MILLISECOND)

static tuco_wg end;
static tuco_chan *c;
static int fd;

static void exchange_until_timer(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_timer *timer = tuco_timer_make(LIMIT);
    ASSERT_EQ(timer != NULL ? 0 : -ENOMEM, 0);
    int chosen;
    do {
        int value = 1;
        ASSERT_EQ(write(fd, "", 0), 0);
        tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(c, &value),
                             TUCO_RECV(tuco_timer_chan(timer), NULL)};
        chosen = tuco_select(cases, 3);
        ASSERT_GE(chosen, 0);
    } while (chosen != 2);
    ASSERT_GE(tuco_now() - begin, LIMIT);
    tuco_timer_free(timer);
}

static int run_main(void *arg) {
    (void)arg;
    c = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, exchange_until_timer, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&end, exchange_until_timer, NULL), 0);
    tuco_wg_wait(&end);
    tuco_chan_unref(c);
    return 0;
}

TEST(timers_are_not_starved) {
    fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    RUN(run_main);
    close(fd);
}
