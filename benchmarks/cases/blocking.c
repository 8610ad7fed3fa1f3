/* SPDX-License-Identifier: MIT */
/* What does it cost to announce a call that may block, if one does not or if many do? */
#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define CALLS  1000000
#define CHUNKS 20

#define READERS     1000
#define BLOCK_BYTES 4096
#define FILE_READS  500000
#define PIPE_READS  10000

/* A call that never blocks */

/* syscall(), so that neither language's library can cache the result. */
static void call_plainly(size_t n) {
    for (size_t i = 0; i < n; i++) {
        syscall(SYS_getppid);
    }
}

static void call_announced(size_t n) {
    for (size_t i = 0; i < n; i++) {
        tuco_blocking_enter();
        syscall(SYS_getppid);
        tuco_blocking_exit();
    }
}

static double ns_per_call(void (*run)(size_t n), size_t n) {
    int64_t start_ns = bench_now_ns();
    run(n);
    return (double)(bench_now_ns() - start_ns) / (double)n;
}

static double plain(size_t n) {
    return ns_per_call(call_plainly, n);
}

/* A small difference of two large times: each is the minimum of many short runs, made
   alternately, so that a disturbance of one is not taken for the difference. */
static double added(size_t n) {
    double least_plain = DBL_MAX;
    double least_announced = DBL_MAX;
    for (int i = 0; i < CHUNKS; i++) {
        double plain_ns = ns_per_call(call_plainly, n / CHUNKS);
        double announced_ns = ns_per_call(call_announced, n / CHUNKS);
        least_plain = plain_ns < least_plain ? plain_ns : least_plain;
        least_announced = announced_ns < least_announced ? announced_ns : least_announced;
    }
    return least_announced - least_plain;
}

void bench_blocking(void) {
    bench_time(CALLS, call_announced, (struct bench_floor){0});
    bench_measure("_plain", "ns/op", CALLS, plain);
    bench_measure("_added", "ns/op", CALLS, added);
}

/* Blocks that contain their own position */

struct block {
    int64_t number;
    char rest[BLOCK_BYTES - sizeof(int64_t)];
};

static void check_transfer(ssize_t bytes, const char *what) {
    if (bytes < 0) {
        bench_die("%s: %m", what);
    }
    if (bytes != sizeof(struct block)) {
        bench_die("%s: %zd bytes, not %zu", what, bytes, sizeof(struct block));
    }
}

static void check_number(const struct block *b, int64_t expected) {
    if (b->number != expected) {
        bench_die("block %lld was read in place of %lld", (long long)b->number,
                  (long long)expected);
    }
}

/* A file in the page cache: reads that may block, and do not */

/* All fields but done are immutable while readers run. */
static struct shared_file {
    FILE *file;
    size_t reads_each;
    tuco_wg done;
} shared;

static void make_file(void) {
    shared.file = tmpfile();
    if (shared.file == NULL) {
        bench_die("tmpfile: %m");
    }
    for (int64_t i = 0; i < READERS; i++) {
        struct block b = {.number = i};
        check_transfer(write(fileno(shared.file), &b, sizeof b), "write");
    }
}

/* Each reader starts at another place and wraps around, so that a read copies other memory
   than the read before. */
static void read_file(void *arg) {
    size_t first = (size_t)(intptr_t)arg;
    int fd = fileno(shared.file);
    for (size_t i = 0; i < shared.reads_each; i++) {
        struct block b;
        size_t number = (first + i) % READERS;
        tuco_blocking_enter();
        ssize_t got = pread(fd, &b, sizeof b, (off_t)(number * sizeof b));
        tuco_blocking_exit();
        check_transfer(got, "pread");
        check_number(&b, (int64_t)number);
    }
    tuco_wg_done(&shared.done);
}

static double read_file_together(size_t n) {
    int64_t start_ns = bench_now_ns();
    shared.reads_each = n / READERS;
    tuco_wg_add(&shared.done, READERS);
    for (intptr_t i = 0; i < READERS; i++) {
        bench_check(tuco_go(read_file, (void *)i), "tuco_go");
    }
    tuco_wg_wait(&shared.done);
    return (double)(bench_now_ns() - start_ns) / (double)n;
}

/* Pipes: reads that do block, each on a thread of its own */

/* Set by the main goroutine before the reader starts, then immutable. The reader closes
   the read end, the main goroutine the write end. */
static struct pipe_reader {
    int64_t number;
    int read_fd;
    int write_fd;
} readers[READERS];

static tuco_wg round_done; /* counts readers that have not read in this round yet */
static tuco_wg readers_gone;

static ssize_t read_announced(int fd, struct block *b) {
    tuco_blocking_enter();
    ssize_t got = read(fd, b, sizeof *b);
    tuco_blocking_exit();
    return got;
}

static void read_pipe(void *arg) {
    const struct pipe_reader *r = arg;
    struct block b;
    for (ssize_t got; (got = read_announced(r->read_fd, &b)) != 0;) {
        check_transfer(got, "read");
        check_number(&b, r->number);
        tuco_wg_done(&round_done);
    }
    close(r->read_fd);
    tuco_wg_done(&readers_gone);
}

static void start_readers(void) {
    bench_raise_descriptor_limit(); /* two per reader exceed most default limits */
    tuco_wg_add(&readers_gone, READERS);
    for (int i = 0; i < READERS; i++) {
        int fds[2];
        if (pipe2(fds, O_CLOEXEC) != 0) {
            bench_die("pipe2: %m");
        }
        readers[i] =
            (struct pipe_reader){.number = i, .read_fd = fds[0], .write_fd = fds[1]};
        bench_check(tuco_go(read_pipe, &readers[i]), "tuco_go");
    }
}

static void end_readers(void) {
    for (int i = 0; i < READERS; i++) {
        close(readers[i].write_fd);
    }
    tuco_wg_wait(&readers_gone);
}

/* An empty pipe has room; the write is announced because Go always does so. */
static void write_pipe(const struct pipe_reader *r) {
    struct block b = {.number = r->number};
    tuco_blocking_enter();
    ssize_t put = write(r->write_fd, &b, sizeof b);
    tuco_blocking_exit();
    check_transfer(put, "write");
}

static double feed_readers(size_t n) {
    int64_t start_ns = bench_now_ns();
    for (size_t round = 0; round < n / READERS; round++) {
        tuco_wg_add(&round_done, READERS);
        for (int i = 0; i < READERS; i++) {
            write_pipe(&readers[i]);
        }
        tuco_wg_wait(&round_done);
    }
    return (double)(bench_now_ns() - start_ns) / (double)n;
}

void bench_block_read(void) {
    _Static_assert(sizeof(struct block) == BLOCK_BYTES, "one block is one read");
    _Static_assert(FILE_READS % READERS == 0 && PIPE_READS % READERS == 0,
                   "all the same");
    make_file();
    bench_measure("_file", "ns/op", FILE_READS, read_file_together);
    fclose(shared.file);
    start_readers();
    bench_measure("_pipe", "ns/op", PIPE_READS, feed_readers);
    end_readers();
}
