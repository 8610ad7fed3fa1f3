/* SPDX-License-Identifier: MIT */
/* os.h in the simulation: descriptors, and the poller that reports which are ready. */
#define SIM_OS_PLAIN
#include "os/os.h"
#include "os/fault.h"
#include "os_fd.h"
#include "os_sim.h"
#include "machine.h"
#include "net/lookup.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/*
 * Implements the worst behaviour that the contract in os.h allows. A descriptor is
 * reported when it becomes ready, and otherwise only by chance. A ready descriptor is in
 * the list once. A fetch reports its state at that time, and nothing if it is no longer
 * ready. A fetch may leave some for the next one. A thread that has fetched an event may
 * be slow: the descriptor may be closed by then and its number reused. A wait sometimes
 * returns spuriously.
 *
 * Misuse ends the run: using a number that is not open, or a set that was closed.
 */
#define SPURIOUS_CHANCE 64
#define FEW_CHANCE      8 /* a fetch takes only the first, a read not all bytes */
#define AGAIN_CHANCE    2 /* a descriptor that is still ready is reported again */

#define LINES_EVER   256
#define FILES_MAX    64
#define FIRST_NUMBER 3
#define WAKER        0 /* its number in the ready list */

/* The bytes on the way to one end. */
struct way {
    char bytes[SIM_LINE_BYTES]; /* oldest first */
    int count;
    bool ended; /* the writer has closed */
    bool deaf;  /* the reader has closed */
};

struct sim_line {
    struct way to[2];
    struct file *files[2]; /* NULL: closed, or the scenario's end */
    bool untold;           /* cannot be polled; calls block */
};

struct file {
    struct sim_line *line; /* NULL: the number is free */
    int end;
    /* The poll set. */
    bool watched;
    bool listed;
    uint64_t token;
    int64_t listed_ns; /* since when it is listed */
};

static struct sim_line line_pool[LINES_EVER];
static int lines_made;
static struct file files[FILES_MAX];

/* The only poll set. Threads that wait for it sleep on its address. */
static struct {
    int serial;               /* incremented by open and close; odd: open */
    int ready[FILES_MAX + 1]; /* numbers, oldest first */
    int ready_count;
    bool waker_listed;
} set;

/* The poll set */

static void list(int number) {
    set.ready[set.ready_count++] = number;
    sim_wake_word(&set, 1); /* other waiters keep sleeping */
}

static void list_file(struct file *f) {
    if (!f->listed) {
        f->listed = true;
        f->listed_ns = sim.now_ns;
        list((int)(f - files));
    }
}

static void unlist(struct file *f) {
    int kept = 0;
    for (int i = 0; i < set.ready_count; i++) {
        if (set.ready[i] != f - files) {
            set.ready[kept++] = set.ready[i];
        }
    }
    set.ready_count = kept;
    f->listed = false;
}

static void unwatch(struct file *f) {
    unlist(f);
    f->watched = false;
}

static uint32_t state_of(const struct file *f) {
    const struct way *in = &f->line->to[f->end];
    const struct way *out = &f->line->to[1 - f->end];
    uint32_t events = 0;
    if (in->count > 0 || in->ended) {
        events |= OS_POLL_READ;
    }
    if (in->ended || out->ended || out->deaf) {
        events |= OS_POLL_MORE;
    }
    if (out->count < SIM_LINE_BYTES || out->ended || out->deaf) {
        events |= OS_POLL_WRITE;
    }
    return events;
}

/* f may have become ready; becomes: it certainly has. */
static void tell(struct file *f, bool becomes) {
    if (f != NULL && f->watched && (becomes || sim_chance(AGAIN_CHANCE))) {
        list_file(f);
    }
}

static int take_first(void) {
    int number = set.ready[0];
    set.ready_count--;
    memmove(set.ready, set.ready + 1, (size_t)set.ready_count * sizeof set.ready[0]);
    return number;
}

/* Returns true if the list was not empty, even if *count is 0. */
static bool fetch(struct os_poll_event *events, int max, int *count) {
    bool any = set.ready_count > 0;
    int rest = sim_chance(FEW_CHANCE) ? 1 : max;
    *count = 0;
    for (; rest > 0 && set.ready_count > 0; rest--) {
        int number = take_first();
        if (number == WAKER) {
            set.waker_listed = false;
            continue;
        }
        struct file *f = &files[number];
        f->listed = false;
        uint32_t ready = state_of(f);
        if (ready != 0) {
            events[(*count)++] =
                (struct os_poll_event){.token = f->token, .events = ready};
        }
    }
    if (set.ready_count > 0) {
        sim_wake_word(&set, 1);
    }
    return any;
}

static void check_set(const struct os_poll *poll) {
    if (poll->watch != set.serial || set.serial % 2 == 0) {
        sim_fail("a set of descriptors is used that has been closed");
    }
}

int os_poll_make(struct os_poll *poll) {
    os_sim_syscall();
    int error = os_fault(OS_FAULT_POLL_MAKE);
    if (error != 0) {
        return -error;
    }
    sim_check(set.serial % 2 == 0);
    poll->watch = ++set.serial;
    return 0;
}

bool sim_poll_sleeps(const struct sim_thread *t) {
    if (t != NULL) {
        return t->state == SIM_ASLEEP && t->word == &set;
    }
    for (int i = 0; i < sim.threads_end; i++) {
        if (sim_poll_sleeps(&sim.threads[i])) {
            return true;
        }
    }
    return false;
}

void os_poll_free(struct os_poll *poll) {
    os_sim_syscall();
    check_set(poll);
    if (sim_poll_sleeps(NULL)) {
        sim_fail("a set of descriptors is closed while a thread waits in it");
    }
    for (int i = 0; i < FILES_MAX; i++) {
        unwatch(&files[i]);
    }
    set.ready_count = 0;
    set.waker_listed = false;
    set.serial++;
}

int os_poll_wait(const struct os_poll *poll, struct os_poll_event *events, int max,
                 int64_t deadline_ns) {
    int count;
    os_sim_syscall();
    if (os_fault(OS_FAULT_POLL_WAIT) != 0) {
        return 0;
    }
    for (bool woken = false;;) {
        check_set(poll);
        if (fetch(events, max, &count)) {
            return count;
        }
        /* After a wake-up: a signal, or another thread fetched the event first. */
        if (deadline_ns <= sim.now_ns || sim_chance(woken ? 2 : SPURIOUS_CHANCE)) {
            return 0;
        }
        sim.self->word = &set;
        woken = sim_sleep_until(deadline_ns);
    }
}

void os_poll_wake(const struct os_poll *poll) {
    os_sim_syscall();
    check_set(poll);
    if (!set.waker_listed) {
        set.waker_listed = true;
        list(WAKER);
    }
}

int64_t sim_poll_untold_since(void) {
    int64_t since_ns = SIM_NEVER;
    for (int i = 0; i < set.ready_count; i++) {
        const struct file *f = &files[set.ready[i]];
        if (set.ready[i] != WAKER && f->listed_ns < since_ns) {
            since_ns = f->listed_ns;
        }
    }
    return since_ns;
}

/* Descriptors */

static struct file *file_of(int number, const char *what) {
    bool named = number >= FIRST_NUMBER && number < FILES_MAX;
    if (!named || files[number].line == NULL) {
        sim_fail("the kernel is to %s descriptor %d, which is not open", what, number);
    }
    return &files[number];
}

int os_poll_add(const struct os_poll *poll, int fd, uint64_t token) {
    os_sim_syscall();
    check_set(poll);
    int error = os_fault(OS_FAULT_POLL_ADD);
    if (error != 0) {
        return -error;
    }
    struct file *f = file_of(fd, "watch");
    if (f->line->untold) {
        return -EPERM;
    }
    if (f->watched) {
        return -EEXIST;
    }
    f->watched = true;
    f->token = token;
    tell(f, state_of(f) != 0);
    return 0;
}

void os_poll_remove(const struct os_poll *poll, int fd) {
    os_sim_syscall();
    check_set(poll);
    unwatch(file_of(fd, "stop watching"));
}

int os_fd_learn(int fd, struct os_fd_traits *traits) {
    int error = os_fault(OS_FAULT_FD_LEARN);
    if (error != 0) {
        return -error;
    }
    bool untold = file_of(fd, "look at")->line->untold;
    *traits = (struct os_fd_traits){.kind = untold ? OS_FD_OTHER : OS_FD_STREAM,
                                    .pollable = !untold};
    return 0;
}

/* No file is shared with other processes. */
int os_fd_make_nonblocking(int fd, struct os_fd_flag *flag) {
    file_of(fd, "change");
    *flag = (struct os_fd_flag){.number = fd, .file = (uint64_t)fd};
    return -os_fault(OS_FAULT_FD_LEARN);
}

void os_fd_make_blocking(const struct os_fd_flag *flag) {
    file_of(flag->number, "change");
}

int os_fd_reopen(int fd) {
    file_of(fd, "open again");
    return -EOPNOTSUPP;
}

int os_fd_move(int from, int to) {
    (void)to;
    file_of(from, "move");
    return -EOPNOTSUPP;
}

bool os_socket_listens(int fd) {
    file_of(fd, "ask about");
    return false;
}

/* Lines */

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int put(struct sim_line *l, int end, const void *bytes, int count) {
    struct way *way = &l->to[end];
    bool was_empty = way->count == 0;
    count = smaller(count, SIM_LINE_BYTES - way->count);
    memcpy(way->bytes + way->count, bytes, (size_t)count);
    way->count += count;
    if (count > 0) {
        tell(l->files[end], was_empty);
        sim_wake_word(way, SIM_THREADS_MAX);
    }
    return count;
}

static int take_bytes(struct sim_line *l, int end, void *bytes, int most) {
    struct way *way = &l->to[end];
    bool was_full = way->count == SIM_LINE_BYTES;
    int count = smaller(most, way->count);
    memcpy(bytes, way->bytes, (size_t)count);
    way->count -= count;
    memmove(way->bytes, way->bytes + count, (size_t)way->count);
    if (count > 0) {
        tell(l->files[1 - end], was_full);
    }
    return count;
}

/* Closes the write side of that end. */
static void end_writing(struct sim_line *l, int end) {
    l->to[1 - end].ended = true;
    tell(l->files[1 - end], true);
    tell(l->files[end], true); /* its writes now fail, which counts as writable */
}

static void close_end(struct sim_line *l, int end) {
    l->files[end] = NULL;
    l->to[end].deaf = true;
    end_writing(l, end);
}

/* Only readers block: no scenario fills a line of this kind. */
static void sleep_until_fed(const struct way *in) {
    while (in->count == 0 && !in->ended) {
        sim.blocked++;
        sim.self->word = in;
        sim_sleep_until(SIM_NEVER);
        sim.blocked--;
    }
}

/* A TCP read returns all that is there. */
static int64_t read_file(int fd, enum os_fd_kind kind, void *bytes, size_t most) {
    struct file *f = file_of(fd, "read");
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    const struct way *in = &f->line->to[f->end];
    if (f->line->untold) {
        sleep_until_fed(in);
    }
    if (in->count == 0) {
        return in->ended ? 0 : -EAGAIN;
    }
    if (kind != OS_FD_TCP && most > 1 && sim_chance(FEW_CHANCE)) {
        most = 1;
    }
    return take_bytes(f->line, f->end, bytes, (int)most);
}

static int64_t write_file(int fd, const void *bytes, size_t count) {
    struct file *f = file_of(fd, "write");
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    const struct way *out = &f->line->to[1 - f->end];
    if (out->ended || out->deaf) {
        return -EPIPE;
    }
    int taken = put(f->line, 1 - f->end, bytes, (int)count);
    return taken == 0 && count > 0 ? -EAGAIN : taken;
}

int64_t os_fd_read(int fd, enum os_fd_kind kind, void *buffer, size_t bytes) {
    os_sim_syscall();
    return read_file(fd, kind, buffer, bytes);
}

int64_t os_fd_write(int fd, enum os_fd_kind kind, const void *buffer, size_t bytes) {
    (void)kind;
    os_sim_syscall();
    return write_file(fd, buffer, bytes);
}

/* Later pieces are ignored: short reads and writes are allowed. */
static const struct iovec *first_piece(const struct iovec *iov, int count) {
    while (count > 1 && iov->iov_len == 0) {
        iov++;
        count--;
    }
    return iov;
}

int64_t os_fd_readv(int fd, enum os_fd_kind kind, const struct iovec *iov, int count) {
    const struct iovec *piece = first_piece(iov, count);
    os_sim_syscall();
    return read_file(fd, kind, piece->iov_base, piece->iov_len);
}

int64_t os_fd_writev(int fd, enum os_fd_kind kind, const struct iovec *iov, int count) {
    const struct iovec *piece = first_piece(iov, count);
    (void)kind;
    os_sim_syscall();
    return write_file(fd, piece->iov_base, piece->iov_len);
}

/* No end has an address. */
int64_t os_fd_recvfrom(int fd, void *buffer, size_t bytes, struct sockaddr *from,
                       uint32_t *from_bytes) {
    (void)from;
    os_sim_syscall();
    if (from_bytes != NULL) {
        *from_bytes = 0;
    }
    return read_file(fd, OS_FD_TCP, buffer, bytes);
}

int64_t os_fd_sendto(int fd, const void *buffer, size_t bytes, const struct sockaddr *to,
                     uint32_t to_bytes) {
    (void)to_bytes;
    os_sim_syscall();
    return to != NULL ? -EISCONN : write_file(fd, buffer, bytes);
}

int os_fd_shutdown(int fd, int how) {
    os_sim_syscall();
    struct file *f = file_of(fd, "shut");
    int error = os_fault(OS_FAULT_FD_IO);
    if (error != 0) {
        return -error;
    }
    if (how != SHUT_WR) {
        f->line->to[f->end].ended = true;
        tell(f, true);
    }
    if (how != SHUT_RD) {
        end_writing(f->line, f->end);
    }
    return 0;
}

int os_fd_close(int fd) {
    os_sim_syscall();
    struct file *f = file_of(fd, "close");
    unwatch(f);
    close_end(f->line, f->end);
    f->line = NULL;
    return 0;
}

/* The scenario's side */

static struct sim_line *make_line(void) {
    sim_check(lines_made < LINES_EVER);
    return &line_pool[lines_made++];
}

/* Uses the lowest free number, as the kernel does. */
static int open_end(struct sim_line *l, int end) {
    int number = FIRST_NUMBER;
    while (files[number].line != NULL) {
        sim_check(++number < FILES_MAX);
    }
    files[number] = (struct file){.line = l, .end = end};
    l->files[end] = &files[number];
    return number;
}

struct sim_line *sim_line_open(int *number) {
    sim_step(SIM_SITE("line_open", ""));
    struct sim_line *l = make_line();
    *number = open_end(l, 0);
    return l;
}

struct sim_line *sim_line_open_untold(int *number) {
    struct sim_line *l = sim_line_open(number);
    l->untold = true;
    return l;
}

struct sim_line *sim_line_pair(int numbers[2]) {
    sim_step(SIM_SITE("line_pair", ""));
    struct sim_line *l = make_line();
    numbers[0] = open_end(l, 0);
    numbers[1] = open_end(l, 1);
    return l;
}

int sim_line_feed(struct sim_line *l, const void *bytes, int count) {
    sim_step(SIM_SITE("line_feed", ""));
    return put(l, 0, bytes, count);
}

int sim_line_drain(struct sim_line *l, void *bytes, int most) {
    sim_step(SIM_SITE("line_drain", ""));
    return take_bytes(l, 1, bytes, most);
}

void sim_line_hang_up(struct sim_line *l) {
    sim_step(SIM_SITE("line_hang_up", ""));
    close_end(l, 1);
}

bool sim_line_is_closed(const struct sim_line *l) {
    return l->to[0].deaf;
}

/* The simulation leaves out src/net/lookup.c: no lookups, and none of its threads. */
void rt_lookup_settle(void) {
}
