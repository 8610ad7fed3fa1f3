/* SPDX-License-Identifier: MIT */
/* Handles of descriptors, and the other ends of their lines. */
#include "lines.h"
#include "net/fd.h"

struct line lines[LINES_MAX];
int line_rounds;
int lines_got;
int64_t lines_late_ns = SIM_LATE_NS;

static int first_byte; /* of the next line */

static tuco_fd *line_wrap(int number) {
    tuco_fd *f;
    sim_check(tuco_fd_wrap(number, &f) == 0);
    return f;
}

/* As for a connection that was accepted, or for one of the program's. */
tuco_fd *line_handle(int number) {
    tuco_fd *f = sim_pick(0, 1) ? rt_fd_adopt(number, OS_FD_TCP) : line_wrap(number);
    sim_check(f != NULL);
    if (sim_pick(0, 3) == 0) {
        sim_check(tuco_fd_raw(f) == number);
    }
    return f;
}

static void set_up(struct line *l, struct sim_line *far) {
    *l = (struct line){.far = far, .first = first_byte, .closed_ns = SIM_NEVER};
    first_byte += LINE_BYTES_MAX + 1;
}

void line_open(struct line *l) {
    int number;
    set_up(l, sim_line_open(&number));
    l->fd = line_handle(number);
}

void line_open_untold(struct line *l) {
    int number;
    set_up(l, sim_line_open_untold(&number));
    l->fd = line_wrap(number);
}

void line_feed(struct line *l) {
    char byte = (char)(l->first + l->fed);
    sim_check(l->fed < LINE_BYTES_MAX);
    l->fed_ns = sim.now_ns;
    l->fed++; /* before the step at which others may have it */
    sim_check(sim_line_feed(l->far, &byte, 1) == 1);
}

void lines_check_time(int64_t since_ns) {
    if (sim.steady && sim.now_ns - since_ns > lines_late_ns) {
        sim_fail("what could be done was not done for %lld ns",
                 (long long)(sim.now_ns - since_ns));
    }
}

static void check_byte(struct line *l, char byte) {
    unsigned at = (unsigned char)(byte - l->first);
    sim_check(at < (unsigned)l->fed);
    sim_check((l->seen >> at & 1) == 0);
    l->seen |= UINT64_C(1) << at;
    l->got++;
    lines_got++;
    lines_tell();
}

void lines_tell(void) {
    sim_wake_word(lines, SIM_THREADS_MAX);
}

void lines_await(const int *what, int value) {
    while (*what < value) {
        sim.self->word = lines;
        sim_sleep_until(SIM_NEVER);
    }
}

static int read_with_room(struct line *l, size_t room) {
    char bytes[SIM_LINE_BYTES + 1];
    int64_t start_ns = sim.now_ns;
    int result = (int)tuco_fd_read(l->fd, bytes, room);
    for (int i = 0; i < result; i++) {
        check_byte(l, bytes[i]);
    }
    if (result >= 0) {
        lines_check_time(start_ns > l->fed_ns ? start_ns : l->fed_ns);
    } else if (result == -ECANCELED || result == -EBADF) {
        sim_check(l->closed_ns != SIM_NEVER);
        lines_check_time(start_ns > l->closed_ns ? start_ns : l->closed_ns);
    }
    return result > 0 ? 1 : result;
}

/* A reader with room for more than can come learns that there is no more. */
int line_read(struct line *l) {
    return read_with_room(l, sim_pick(0, 1) ? 1 : SIM_LINE_BYTES + 1);
}

int line_read_one(struct line *l) {
    return read_with_room(l, 1);
}

void line_hang_up(struct line *l) {
    l->fed_ns = sim.now_ns;
    sim_line_hang_up(l->far);
}

void line_close(struct line *l) {
    l->closed_ns = sim.now_ns;
    sim_check(tuco_fd_close(l->fd) == 0);
}

void line_check(const struct line *l) {
    sim_check(l->got == l->fed);
    sim_check(sim_line_is_closed(l->far));
}

void lines_open(int count) {
    lines_got = 0;
    for (int i = 0; i < count; i++) {
        line_open(&lines[i]);
    }
}

void lines_check(int count) {
    for (int i = 0; i < count; i++) {
        line_check(&lines[i]);
    }
}

void lines_pause(void) {
    if (sim_pick(0, 7) == 0) {
        sim_sleep_some();
    } else {
        sim_pause_some(sim_pick(0, 1) ? 20 : 200);
    }
}

void lines_wait(void) {
    if (sim_pick(0, 7) == 0) {
        tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND);
    } else {
        sim_pause_some(sim_pick(0, 1) ? 20 : 200);
    }
}
