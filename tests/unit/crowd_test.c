/* SPDX-License-Identifier: MIT */
/* Proves: a thread that has work and no CPU lowers the limit, for longer each time; one that
   waits for something else does not; and descriptors are served at the lowest limit too. */
#include "test.h"
#include "fault.h"
#include "os/os.h"
#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/m.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>
#include <tuco/net.h>

#define MS INT64_C(1000000)

#define FIRST_RESPITE (16 * MS)
#define LAST_RESPITE  (1024 * MS)

#define ALL_MISSING  8 * MS, 0
#define NONE_MISSING 8 * MS, 8 * MS

/* relaxed, all: nobody else is there. */

static uint32_t limit(void) {
    return rt_load_rlx(&rt_crowd.limit);
}

static int64_t until(void) {
    return rt_load_rlx(&rt_crowd.until_ns);
}

static int64_t respite(void) {
    return rt_load_rlx(&rt_crowd.respite_ns);
}

static struct rt_m m;

/* Of a thread that has begun to look just now. */
static void judge(int64_t now_ns, int64_t awake_ns, int64_t cpu_ns, uint32_t busy) {
    m.crowd.began_ns = now_ns;
    m.crowd.busy = busy;
    rt_crowd_judge(&m, now_ns, awake_ns, cpu_ns);
}

static void begin(void) {
    rt_crowd_init();
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    ASSERT_EQ(respite(), FIRST_RESPITE);
    ASSERT(!rt_crowded(1024));
}

// Judging

TEST(an_eighth_is_missing) {
    begin();
    judge(100 * MS, 8 * MS, 7 * MS + 1, 4);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    judge(100 * MS, 8 * MS, 7 * MS, 4);
    ASSERT_EQ(limit(), 3);
    ASSERT(rt_crowded(3) && !rt_crowded(2));
    ASSERT_EQ(until(), 100 * MS + FIRST_RESPITE);
}

TEST(more_than_all_is_not_missing) {
    begin();
    judge(100 * MS, 8 * MS, 9 * MS, 4); // what follows the last look counts too
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(limit_goes_down_one_by_one) {
    begin();
    for (uint32_t left = 3; left > 0; left--) {
        judge(0, ALL_MISSING, 4);
        ASSERT_EQ(limit(), left);
    }
    judge(0, ALL_MISSING, 4);
    ASSERT_EQ(limit(), 1);
}

TEST(limit_is_below_those_that_are_busy) {
    begin();
    judge(0, ALL_MISSING, 9);
    judge(0, ALL_MISSING, 3);
    ASSERT_EQ(limit(), 2);
}

TEST(one_alone_says_nothing) {
    begin();
    judge(100 * MS, ALL_MISSING, 1);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    judge(100 * MS, ALL_MISSING, 2);
    judge(109 * MS, ALL_MISSING, 2); // the limit is 1: that time is not made longer
    ASSERT_EQ(until(), 100 * MS + FIRST_RESPITE);
}

TEST(the_time_before_counts_once) {
    begin();
    judge(100 * MS, ALL_MISSING, 4);
    m.crowd.began_ns = 99 * MS;
    rt_crowd_judge(&m, 101 * MS, ALL_MISSING);
    ASSERT_EQ(limit(), 3);
    m.crowd.began_ns = 100 * MS;
    rt_crowd_judge(&m, 101 * MS, ALL_MISSING);
    ASSERT_EQ(limit(), 2);
}

// Looking: what a thread has had of a CPU is the kernel's to tell, the time is given

/* Whatever the kernel, or an emulator, has the thread really do. */
static void seem_to_give_way(void) {
    m.crowd.before.yields--;
    m.crowd.naps = 1000;
}

/* All Ps are busy. Returns the time of the first look. */
static int64_t first_look(uint32_t procs) {
    begin();
    m.crowd = (struct rt_crowd_watch){.began_ns = 0};
    rt_store_rlx(&rt_idle.word, procs * RT_IDLE_TOTAL_ONE);
    rt_crowd_look(&m, 100 * MS);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    seem_to_give_way();
    return 100 * MS;
}

static void wait_in_kernel(void) {
    nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
}

TEST(time_without_a_cpu_is_a_crowd) {
    int64_t first = first_look(4);
    rt_crowd_look(&m, first + 4 * MS - 1); // too soon to tell
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), 3);
}

TEST(time_with_a_cpu_is_none) {
    int64_t first = first_look(4);
    m.crowd.before.cpu_ns -= 20 * MS; // as if it had had all that since
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(each_window_is_measured_anew) {
    int64_t first = first_look(4);
    rt_crowd_look(&m, first + 10 * MS);
    ASSERT_EQ(m.crowd.awake_ns, 0);
    ASSERT_EQ(m.crowd.since_ns, first + 10 * MS);
    seem_to_give_way();
    rt_crowd_look(&m, first + 14 * MS - 1);
    ASSERT_EQ(limit(), 3);
    rt_crowd_look(&m, first + 14 * MS);
    ASSERT_EQ(limit(), 2);
}

TEST(more_are_tried_when_the_time_is_up) {
    int64_t now = first_look(16);
    static const uint32_t limits[] = {3, 6, 12};
    for (int i = 0; i < 13; i++) {
        judge(now, ALL_MISSING, 16);
    }
    for (size_t i = 0; i < RT_ARRAY_LENGTH(limits); i++) {
        ASSERT_EQ(limit(), limits[i]);
        m.crowd.began_ns = 0; // nothing is judged
        rt_crowd_look(&m, until() - 1);
        ASSERT_EQ(limit(), limits[i]);
        m.crowd.began_ns = 0;
        rt_crowd_look(&m, until());
    }
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(respites_get_longer_up_to_a_second) {
    int64_t now = first_look(2);
    int64_t expected = FIRST_RESPITE;
    for (int i = 0; i < 10; i++) {
        judge(now, ALL_MISSING, 2);
        judge(now, ALL_MISSING, 2); // of two that tell the same one counts
        expected = expected < LAST_RESPITE ? 2 * expected : LAST_RESPITE;
        ASSERT_EQ(respite(), expected);
        now = until();
        m.crowd.began_ns = 0; // nothing is judged
        rt_crowd_look(&m, now);
        ASSERT_EQ(limit(), RT_CROWD_NONE);
    }
}

TEST(respites_get_shorter_if_others_help) {
    begin();
    rt_store_rlx(&rt_crowd.respite_ns, LAST_RESPITE);
    judge(0, NONE_MISSING, 1); // alone: there may be a CPU for one only
    ASSERT_EQ(respite(), LAST_RESPITE);
    judge(0, NONE_MISSING, 2);
    ASSERT(respite() < LAST_RESPITE && respite() > LAST_RESPITE / 2);
    for (int i = 0; i < 1000; i++) {
        judge(0, NONE_MISSING, 2);
    }
    ASSERT_EQ(respite(), FIRST_RESPITE);
}

TEST(respites_stay_below_the_limit) {
    begin();
    judge(0, ALL_MISSING, 4);
    int64_t before = respite();
    judge(0, NONE_MISSING, 3); // so many there are CPUs for, as expected
    ASSERT_EQ(respite(), before);
}

TEST(who_never_gave_way_has_not_waited) {
    uint64_t yields;
    do { // until it did not have to meanwhile
        int64_t first = first_look(2);
        yields = os_thread_usage().yields;
        m.crowd.before.yields = yields;
        rt_crowd_look(&m, first + 20 * MS);
    } while (os_thread_usage().yields != yields);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(who_did_not_look_for_long_says_nothing) {
    int64_t first = first_look(2);
    rt_crowd_look(&m, first + 20 * MS + 1);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(most_that_were_busy_at_once_count) {
    int64_t first = first_look(8);
    rt_store_rlx(&rt_idle.word, 8 * RT_IDLE_TOTAL_ONE + 7 * RT_IDLE_ONE);
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), 7);
}

TEST(what_was_known_long_ago_is_forgotten) {
    int64_t now = first_look(64);
    for (int i = 0; i < 63; i++) {
        judge(now, ALL_MISSING, 64);
    }
    ASSERT_EQ(limit(), 1);
    m.crowd.began_ns = 0;
    rt_crowd_look(&m, until() + LAST_RESPITE + 1);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
    ASSERT_EQ(respite(), FIRST_RESPITE);
}

TEST(waits_for_something_else_say_nothing) {
    int64_t first = first_look(2);
    m.crowd.naps = 0;
    wait_in_kernel();
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

TEST(naps_are_expected) {
    int64_t first = first_look(2);
    uint64_t naps = m.crowd.naps;
    rt_crowd_nap(&m);
    ASSERT_EQ(m.crowd.naps, naps + 1);
    wait_in_kernel();
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), 1);
}

TEST(rest_is_not_missing) {
    (void)first_look(2);
    int64_t now = os_now();
    m.crowd.since_ns = now - 5 * MS;
    rt_crowd_rest_begin(&m);
    ASSERT(m.crowd.awake_ns >= 5 * MS);
    int64_t awake_ns = m.crowd.awake_ns;
    wait_in_kernel();
    now = os_now();
    rt_crowd_rest_end(&m);
    ASSERT(m.crowd.since_ns >= now);
    ASSERT_EQ(m.crowd.awake_ns, awake_ns);
}

TEST(one_processor_has_nobody_to_hold_back) {
    int64_t first = first_look(1);
    for (int i = 1; i < 4; i++) {
        rt_crowd_look(&m, first + i * 20 * MS);
        ASSERT_EQ(limit(), RT_CROWD_NONE);
    }
}

TEST(what_the_kernel_does_not_tell_says_nothing) {
    test_fault_plan(OS_FAULT_THREAD_USAGE, 1, TEST_FAULT_ALWAYS, ENOSYS);
    int64_t first = first_look(2);
    rt_crowd_look(&m, first + 20 * MS);
    ASSERT_EQ(limit(), RT_CROWD_NONE);
}

// Serving

#define CONNECTIONS 20
#define MESSAGES    TEST_SIZE(200, 20)

static void answer(void *raw) {
    tuco_fd *fd = raw;
    char c;
    while (tuco_fd_read(fd, &c, 1) == 1) {
        ASSERT_EQ(tuco_fd_write(fd, &c, 1), 1);
    }
    ASSERT_EQ(tuco_fd_close(fd), 0);
}

static void ask(void *raw) {
    tuco_fd *fd = raw;
    for (int i = 0; i < MESSAGES; i++) {
        char sent = (char)i;
        char got = 0;
        ASSERT_EQ(tuco_fd_write(fd, &sent, 1), 1);
        ASSERT_EQ(tuco_fd_read(fd, &got, 1), 1);
        ASSERT_EQ(got, sent);
    }
    ASSERT_EQ(tuco_fd_close(fd), 0);
}

static int serve_in_a_crowd(void *unused) {
    (void)unused;
    tuco_wg wg = {0};
    ASSERT_EQ(limit(), RT_CROWD_NONE); // each runtime begins anew
    rt_store_rlx(&rt_crowd.until_ns, INT64_MAX);
    rt_store_rlx(&rt_crowd.limit, 1);
    for (int i = 0; i < CONNECTIONS; i++) {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        ASSERT_EQ(tuco_wg_go(&wg, answer, tuco_fd_wrap(ends[0])), 0);
        ASSERT_EQ(tuco_wg_go(&wg, ask, tuco_fd_wrap(ends[1])), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(limit(), 1);
    return 0;
}

TEST(descriptors_are_served_in_a_crowd) {
    rt_store_rlx(&rt_crowd.limit, 7);
    RUN(serve_in_a_crowd);
}
