/* SPDX-License-Identifier: MIT */
/* Descriptors: readiness, deadline and close against each other, and against a caller that
   is about to wait. */
#include "lines.h"

#include <string.h>

static tuco_wg all;
static int count; /* of lines */

/* Readiness */

/* At once, soon, or when all bytes have arrived, so that it wakes no reader early. */
static void hang_up_some_time(struct line *l) {
    if (sim_pick(0, 1)) {
        sim_pause_some(60 * sim_pick(0, 1));
    } else {
        lines_await(&l->got, line_rounds);
    }
    line_hang_up(l);
}

static void feed_rounds(void *unused) {
    (void)unused;
    for (int left = line_rounds * count; left > 0; left--) {
        int i = sim_pick(0, count - 1);
        if (sim_pick(0, 3) != 0) {
            lines_pause();
        }
        while (lines[i].fed == line_rounds) {
            i = (i + 1) % count;
        }
        line_feed(&lines[i]);
        if (lines[i].fed == line_rounds) {
            hang_up_some_time(&lines[i]);
        }
    }
}

/* All that comes, and its end. */
static void read_to_the_end(void *line) {
    struct line *l = LINE_OF(line);
    while (l->got < line_rounds) {
        sim_check(line_read(l) == 1);
        sim_pause_some(4);
    }
    sim_check(line_read(l) == 0);
    line_close(l);
}

static int fd_ready_main(void *unused) {
    (void)unused;
    count = sim_pick(1, 3);
    line_rounds = sim_pick(1, 5);
    lines_open(count);
    sim_search();
    sim_threads_start(feed_rounds, 1);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, read_to_the_end, LINE_ARG(i)) == 0);
    }
    tuco_wg_wait(&all);
    lines_check(count);
    sim_threads_join(1);
    return SIM_RESULT;
}

SIM_SCENARIO(fd_ready,
             "descriptors become ready just when goroutines are about to wait") {
    sim_begin_procs(1, 3);
    sim.steady = sim_pick(0, 3) != 0;
    sim_main(fd_ready_main);
}

/* Two talk to each other, in messages for which the line may have no room. */

#define MESSAGE_MAX (SIM_LINE_BYTES + 4)

static tuco_fd *ends[2];
static int talk_rounds;

static void send_message(tuco_fd *f, int size, int round) {
    char bytes[MESSAGE_MAX];
    memset(bytes, round, sizeof bytes);
    sim_check(tuco_fd_write(f, bytes, (size_t)size) == size);
}

static void receive_message(tuco_fd *f, int size, int round) {
    char bytes[MESSAGE_MAX];
    while (size > 0) {
        int n = (int)tuco_fd_read(f, bytes, (size_t)(sim_pick(0, 1) ? size : 1));
        sim_check(n > 0 && n <= size);
        for (int i = 0; i < n; i++) {
            sim_check(bytes[i] == (char)round);
        }
        size -= n;
    }
}

static int message_sizes[8];

static void talk_first(void *unused) {
    (void)unused;
    for (int i = 0; i < talk_rounds; i++) {
        send_message(ends[0], message_sizes[i], i);
        receive_message(ends[0], message_sizes[i], i);
    }
    sim_check(tuco_fd_close(ends[0]) == 0);
}

static void talk_second(void *unused) {
    char bytes[MESSAGE_MAX];
    (void)unused;
    for (int i = 0; i < talk_rounds; i++) {
        receive_message(ends[1], message_sizes[i], i);
        send_message(ends[1], message_sizes[i], i);
    }
    sim_check(tuco_fd_read(ends[1], bytes, sizeof bytes) == 0);
    sim_check(tuco_fd_write(ends[1], bytes, 1) == -EPIPE);
    sim_check(tuco_fd_close(ends[1]) == 0);
}

static int fd_talk_main(void *unused) {
    int numbers[2];
    (void)unused;
    sim_line_pair(numbers);
    talk_rounds = sim_pick(1, 4);
    for (int i = 0; i < talk_rounds; i++) {
        message_sizes[i] = sim_pick(0, 1) ? 1 : sim_pick(1, MESSAGE_MAX);
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = line_handle(numbers[i]);
    }
    sim_search();
    sim_check(tuco_wg_go(&all, talk_first, NULL) == 0);
    sim_check(tuco_wg_go(&all, talk_second, NULL) == 0);
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(fd_talk, "two write to each other more than there is room for") {
    sim_begin_procs(1, 3);
    sim_main(fd_talk_main);
}

/* Deadlines. One moves the deadline of the other's reads, while it waits, and then leaves
   it alone. While it moves, either may hold. */

static struct {
    tuco_time now;  /* the deadline */
    tuco_time next; /* what it is about to become, or the same */
    tuco_time low;  /* the lowest since the read began */
    int64_t moved_ns;
} deadline;
static tuco_wg round_over;

/* Later than anything that would be on time. */
#define FAR_NS (2 * SIM_LATE_NS)

static tuco_time some_deadline(void) {
    switch (sim_pick(0, 7)) {
    case 0: return TUCO_NEVER;
    case 1: return sim.now_ns - 1;
    case 2:
    case 3: return sim.now_ns + FAR_NS;
    default: return sim.now_ns + sim_pick(0, 4000);
    }
}

static tuco_time earlier(tuco_time a, tuco_time b) {
    return a < b ? a : b;
}

static void move_deadline(tuco_time to) {
    deadline.next = to;
    deadline.low = earlier(deadline.low, to);
    deadline.moved_ns = sim.now_ns;
    sim_check(tuco_fd_set_read_deadline(lines[0].fd, to) == 0);
    deadline.now = to;
}

static void check_timed_out(int64_t start_ns) {
    int64_t since_ns = deadline.moved_ns > start_ns ? deadline.moved_ns : start_ns;
    since_ns = since_ns > deadline.now ? since_ns : deadline.now;
    sim_check(sim.now_ns >= deadline.low);
    if (deadline.now == deadline.next) {
        lines_check_time(since_ns);
    }
}

static void read_until_deadline(void *unused) {
    (void)unused;
    int64_t start_ns = sim.now_ns;
    deadline.low = earlier(deadline.now, deadline.next);
    int result = line_read(&lines[0]);
    sim_check(result == 1 || result == -ETIMEDOUT);
    if (result == -ETIMEDOUT) {
        check_timed_out(start_ns);
    }
}

/* Until about then: the timer is fired just when the deadline is moved. */
static void compute_until_deadline(void) {
    if (deadline.now < sim.now_ns + TUCO_MILLISECOND) {
        while (sim.now_ns < deadline.now) {
            sim_pause();
        }
        sim_pause_some(60);
    }
}

/* Just when the timer of the last one is fired. */
static void set_again_and_again(void) {
    for (int i = sim_pick(1, 8); i > 0; i--) {
        compute_until_deadline();
        move_deadline(TUCO_NEVER);
        move_deadline(sim.now_ns + sim_pick(600, 1200));
    }
}

/* The last one comes to pass. */
static void move_deadlines(void) {
    for (int i = sim_pick(0, 3); i > 0; i--) {
        move_deadline(some_deadline());
        switch (sim_pick(0, 3)) {
        case 0: tuco_sleep(sim_pick(0, 6000)); break;
        case 1: sim_pause_some(200); break;
        case 2: compute_until_deadline(); break;
        default: set_again_and_again(); break;
        }
    }
    move_deadline(sim.now_ns + sim_pick(0, 4000));
}

/* Most often at about the time of the deadline. */
static void feed_near_deadlines(void *unused) {
    (void)unused;
    for (int i = sim_pick(0, 4); i > 0; i--) {
        tuco_time at = deadline.now;
        if (at < sim.now_ns + TUCO_MILLISECOND && sim_pick(0, 3) != 0) {
            sim_sleep_until(at + (int64_t)sim_pick(-40, 40) * SIM_STEP_NS);
        } else {
            sim_pause_some(300);
        }
        line_feed(&lines[0]);
    }
}

static int fd_deadline_main(void *unused) {
    (void)unused;
    lines_open(1);
    deadline.now = deadline.next = deadline.low = TUCO_NEVER;
    sim_search();
    sim_threads_start(feed_near_deadlines, 1);
    for (int round = sim_pick(1, 5); round > 0; round--) {
        sim_check(tuco_wg_go(&round_over, read_until_deadline, NULL) == 0);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
        move_deadlines();
        tuco_wg_wait(&round_over);
    }
    sim_threads_join(1);
    move_deadline(TUCO_NEVER);
    while (lines[0].got < lines[0].fed) {
        sim_check(line_read(&lines[0]) == 1);
    }
    line_close(&lines[0]);
    lines_check(1);
    return SIM_RESULT;
}

SIM_SCENARIO(fd_deadline, "deadlines move and pass while a descriptor becomes ready") {
    sim_begin_procs(1, 3);
    sim.steady = sim_pick(0, 3) != 0;
    sim_main(fd_deadline_main);
}

/* Close. Each goroutine has a reference; the closer drops its own with the close. */

static tuco_fd *shared;
static int closing; /* closes that have begun */
static int closed;  /* and ended */

static void use_with_reference(tuco_fn *fn) {
    tuco_fd_ref(shared);
    sim_check(tuco_wg_go(&all, fn, NULL) == 0);
}

/* What an operation of the shared handle may return, if not its result. */
static void check_refusal(int64_t result, int closed_before) {
    if (result == -ETIMEDOUT) {
        sim_check(closed_before == 0);
        return;
    }
    sim_check(result == -EBADF || (result == -ECANCELED && closed_before == 0));
    sim_check(closing > 0);
}

static void read_until_closed(void *unused) {
    (void)unused;
    for (int result = 1; result == 1 || result == -ETIMEDOUT; sim_pause_some(4)) {
        int closed_before = closed;
        result = line_read(&lines[0]);
        if (result != 1) {
            check_refusal(result, closed_before);
        }
    }
    tuco_fd_unref(shared);
}

static void write_until_closed(void *unused) {
    char bytes[MESSAGE_MAX] = {0};
    (void)unused;
    for (int64_t result = 0; result >= 0 || result == -ETIMEDOUT; sim_pause_some(4)) {
        int closed_before = closed;
        result = tuco_fd_write(shared, bytes, (size_t)sim_pick(1, MESSAGE_MAX));
        if (result < 0) {
            check_refusal(result, closed_before);
        }
    }
    tuco_fd_unref(shared);
}

static void close_shared(void *unused) {
    (void)unused;
    lines_wait();
    closing++;
    lines[0].closed_ns = earlier(lines[0].closed_ns, sim.now_ns);
    int result = tuco_fd_close(shared);
    sim_check(result == 0 || (result == -EBADF && closing > 1));
    sim_check(result != 0 || sim_line_is_closed(lines[0].far));
    closed++;
}

static void time_out_shared(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_pause_some(100);
        int result = tuco_fd_set_deadline(shared, sim.now_ns + sim_pick(-1, 2000));
        sim_check(result == 0 || (result == -EBADF && closing > 0));
    }
    tuco_fd_set_deadline(shared, TUCO_NEVER);
    tuco_fd_unref(shared);
}

static void feed_shared(void *unused) {
    (void)unused;
    for (int i = sim_pick(0, 4); i > 0; i--) {
        sim_pause_some(200);
        line_feed(&lines[0]);
    }
}

static void close_under_users(void) {
    static tuco_fn *const roles[] = {read_until_closed,  read_until_closed,
                                     write_until_closed, write_until_closed,
                                     time_out_shared,    close_shared};
    lines_open(1);
    shared = lines[0].fd;
    closing = closed = 0;
    sim_threads_start(feed_shared, 1);
    use_with_reference(read_until_closed);
    for (int i = sim_pick(0, 6); i > 0; i--) {
        use_with_reference(roles[sim_pick(0, 5)]);
    }
    if (sim_pick(0, 1)) {
        close_shared(NULL);
    } else {
        use_with_reference(close_shared);
        lines_wait();
        tuco_fd_unref(shared);
    }
    tuco_wg_wait(&all);
    sim_threads_join(1);
    sim_check(sim_line_is_closed(lines[0].far));
}

static int fd_close_main(void *unused) {
    (void)unused;
    sim_search();
    for (int round = sim_pick(1, 3); round > 0; round--) {
        close_under_users();
    }
    return SIM_RESULT;
}

SIM_SCENARIO(fd_close, "a handle is closed while others read, write and time out") {
    sim_begin_procs(1, 4);
    sim.steady = sim_pick(0, 1);
    sim_main(fd_close_main);
}

/* Turns. What one call writes is in one piece. */

static int writers;
static int readers;

static void write_own_letter(void *letter) {
    char bytes[MESSAGE_MAX];
    memset(bytes, (int)(intptr_t)letter, sizeof bytes);
    for (int i = 0; i < line_rounds; i++) {
        sim_check(tuco_fd_write(shared, bytes, sizeof bytes) == sizeof bytes);
    }
}

static void read_a_share(void *unused) {
    (void)unused;
    for (int i = 0; i < line_rounds; i++) {
        sim_check(line_read_one(&lines[0]) == 1);
    }
}

static void drain_pieces(void) {
    for (int i = writers * line_rounds; i > 0; i--) {
        char piece[MESSAGE_MAX];
        for (int at = 0; at < MESSAGE_MAX;) {
            int n = sim_line_drain(lines[0].far, piece + at, MESSAGE_MAX - at);
            at += n;
            if (n == 0) {
                sim_spin();
            }
        }
        for (int at = 1; at < MESSAGE_MAX; at++) {
            sim_check(piece[at] == piece[0]);
        }
    }
}

/* At most as much as there is room for. */
static void feed_and_drain(void *unused) {
    (void)unused;
    for (int left = readers * line_rounds; left > 0; left--) {
        lines_pause();
        while (lines[0].fed - lines[0].got == SIM_LINE_BYTES) {
            sim_spin();
        }
        line_feed(&lines[0]);
    }
    drain_pieces();
}

static int fd_turns_main(void *unused) {
    (void)unused;
    line_rounds = sim_pick(1, 4);
    writers = sim_pick(1, 2);
    readers = sim_pick(1, 2);
    lines_open(1);
    shared = lines[0].fd;
    sim_search();
    sim_threads_start(feed_and_drain, 1);
    for (int i = readers; i > 0; i--) {
        sim_check(tuco_wg_go(&all, read_a_share, NULL) == 0);
    }
    for (int i = 0; i < writers; i++) {
        sim_check(tuco_wg_go(&all, write_own_letter, LINE_ARG('a' + i)) == 0);
    }
    tuco_wg_wait(&all);
    sim_threads_join(1);
    line_close(&lines[0]);
    lines_check(1);
    return SIM_RESULT;
}

SIM_SCENARIO(fd_turns, "several read and several write, one after the other") {
    sim_begin_procs(1, 3);
    sim_main(fd_turns_main);
}

/* One caller is in the kernel, where a close cannot end it; the close ends the calls
   behind it. */

static int sent_away;

static void read_untold(void *unused) {
    (void)unused;
    int result = line_read_one(&lines[0]);
    sim_check(result == 1 || result == -ECANCELED || result == -EBADF);
    if (result != 1) {
        sent_away++;
        lines_tell();
    }
    tuco_fd_unref(shared);
}

/* If one is in the kernel, it is fed when the others are gone. */
static void feed_the_last(void *unused) {
    (void)unused;
    lines_await(&sent_away, readers - 1);
    line_feed(&lines[0]);
}

static int fd_untold_main(void *unused) {
    (void)unused;
    line_open_untold(&lines[0]);
    shared = lines[0].fd;
    readers = sim_pick(1, 4);
    sent_away = 0;
    sim_search();
    sim_threads_start(feed_the_last, 1);
    for (int i = readers; i > 0; i--) {
        use_with_reference(read_untold);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
    }
    lines_wait();
    line_close(&lines[0]);
    tuco_wg_wait(&all);
    sim_threads_join(1);
    sim_check(sim_line_is_closed(lines[0].far));
    return SIM_RESULT;
}

SIM_SCENARIO(fd_untold, "a handle is closed while its reader sleeps in the kernel") {
    sim_begin_procs(1, 3);
    sim.steady = true;
    sim_main(fd_untold_main);
}

/* A number is used again at once, and what was told of its last owner comes late. */

static void read_one(void *line) {
    struct line *l = LINE_OF(line);
    int result = line_read(l);
    sim_check(result == 1 || result == -ECANCELED || result == -EBADF);
    tuco_fd_unref(l->fd);
}

static void feed_open_lines(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 10); i > 0; i--) {
        struct line *l = &lines[sim_pick(0, count - 1)];
        sim_pause_some(60);
        if (l->closed_ns == SIM_NEVER && l->fed == 0) {
            line_feed(l);
        }
    }
}

static void reuse_number(void *line) {
    struct line *l = LINE_OF(line);
    for (int i = sim_pick(1, 4); i > 0; i--) {
        tuco_wg one = {0};
        struct line made;
        line_open(&made);
        *l = made;
        tuco_fd_ref(l->fd);
        sim_check(tuco_wg_go(&one, read_one, line) == 0);
        sim_pause_some(200);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
        if (sim_pick(0, 1) && l->fed == 0) {
            line_feed(l);
        }
        line_close(l);
        sim_check(sim_line_is_closed(l->far));
        tuco_wg_wait(&one);
    }
}

static int fd_reuse_main(void *unused) {
    (void)unused;
    count = sim_pick(1, 2);
    for (int i = 0; i < count; i++) {
        lines[i] = (struct line){.closed_ns = 0};
    }
    sim_search();
    sim_threads_start(feed_open_lines, 1);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, reuse_number, LINE_ARG(i)) == 0);
    }
    tuco_wg_wait(&all);
    sim_threads_join(1);
    return SIM_RESULT;
}

SIM_SCENARIO(fd_reuse,
             "a descriptor's number is another's before the last is told of it") {
    sim_begin_procs(1, 3);
    sim_main(fd_reuse_main);
}

/* Main returns, at any moment, while a thread closes what goroutines use. The close returns
   in any case: a goroutine that runs no more does not leave its call. */

static void close_from_thread(void *unused) {
    (void)unused;
    sim_pause_some(300);
    line_close(&lines[0]);
    closed++;
}

static void read_and_leave(void *unused) {
    (void)unused;
    int result = line_read(&lines[0]);
    sim_check(result == -ECANCELED || result == -EBADF || result == -ESRCH);
}

static int fd_close_end_main(void *unused) {
    (void)unused;
    sim_search();
    sim_threads_start(close_from_thread, 1);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_check(tuco_go(read_and_leave, NULL) == 0);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
    }
    lines_wait();
    return SIM_RESULT;
}

SIM_SCENARIO(fd_close_end, "main returns while a thread closes what goroutines use") {
    sim_begin_procs(1, 3);
    lines_open(1);
    closed = 0;
    sim_check(tuco_run(fd_close_end_main, NULL) == SIM_RESULT);
    sim_threads_join(1);
    sim_check(closed == 1);
}
