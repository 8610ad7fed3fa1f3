/* SPDX-License-Identifier: MIT */
/* count_walks.c: makes the walks that count_walks.sh counts, and prints which functions of
   the library began and ended meanwhile. The library has -finstrument-functions. */
#include <tuco.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS      25
#define ENTRIES_MAX 200000 /* of all rounds; most have about 2000 */
#define UNTRACED    __attribute__((no_instrument_function))
#define IDLE_NS     3000000 /* an M that finds nothing is asleep after so long */
#define WRITE_NS    1000000 /* a call that waits so long was parked, or lost its P */
#define FRAMES_MAX  32

/* A function that begins ('E') or ends ('X'), or a mark of this program. */
struct entry {
    const void *function;           /* NULL: a mark */
    const void *frames[FRAMES_MAX]; /* return addresses, the innermost first, then NULL */
    unsigned thread;
    char kind;
};

static struct entry entries[ENTRIES_MAX];
static atomic_size_t entry_count;
static atomic_bool recording;
static atomic_uint thread_count;
static _Thread_local unsigned thread_number;

/* The bounds of the program's code, which has the library in it: from the linker. */
extern const char __executable_start[];
extern const char etext[];

/* Fills frames with the return addresses from the frame fp on, as far as they are in this
   program. Everything is compiled with frame pointers. */
static UNTRACED void walk_frames(const void **frames, void *const *fp) {
    size_t n = 0;
    while (fp != NULL && n < FRAMES_MAX - 1) {
        const char *address = fp[1];
        if (address < __executable_start || address >= etext) {
            break;
        }
        frames[n++] = address;
        fp = *fp;
    }
    frames[n] = NULL;
}

static UNTRACED void record(char kind, const void *function, void *const *fp) {
    if (thread_number == 0) {
        thread_number = atomic_fetch_add(&thread_count, 1) + 1;
    }
    size_t i = atomic_fetch_add(&entry_count, 1);
    if (i < ENTRIES_MAX) {
        entries[i].function = function;
        entries[i].thread = thread_number;
        entries[i].kind = kind;
        walk_frames(entries[i].frames, fp);
    }
}

/* The compiler calls these two at the begin and the end of each function of the library. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

UNTRACED void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    if (atomic_load_explicit(&recording, memory_order_relaxed)) {
        record('E', function, __builtin_frame_address(0));
    }
}

UNTRACED void __cyg_profile_func_exit(void *function, void *caller) {
    (void)caller;
    if (atomic_load_explicit(&recording, memory_order_relaxed)) {
        record('X', function, __builtin_frame_address(0));
    }
}

static __attribute__((noinline)) void mark(char kind) {
    record(kind, NULL, __builtin_frame_address(0));
}

static __attribute__((noinline)) void begin_walk(void) {
    atomic_store(&recording, true);
    record('B', NULL, __builtin_frame_address(0));
}

static __attribute__((noinline)) void end_walk(void) {
    record('Z', NULL, __builtin_frame_address(0));
    atomic_store(&recording, false);
}

/* Prints the walks: a line for each entry, with kind, thread, function and frames. */
static int print_walks(void) {
    size_t count = atomic_load(&entry_count);
    if (count > ENTRIES_MAX) {
        fprintf(stderr, "count_walks: there are more than %d entries\n", ENTRIES_MAX);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &entries[i];
        printf("%c %u %lx", e->kind, e->thread, (uintptr_t)e->function);
        for (const void *const *f = e->frames; *f != NULL; f++) {
            printf(" %lx", (uintptr_t)*f - 1); /* in the call, not behind it */
        }
        putchar('\n');
    }
    return 0;
}

/* Computes: no call of the library, and none that blocks. */
static void compute(int64_t ns) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t end = t.tv_sec * 1000000000 + t.tv_nsec + ns;
    do {
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while (t.tv_sec * 1000000000 + t.tv_nsec < end);
}

/* A thread of the program that writes a byte some time after it was requested. */
static struct {
    pthread_t thread;
    atomic_int requests;
    atomic_bool ends;
    int to;
} writer;

static void pause_ns(long ns) {
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static void *writer_main(void *arg) {
    (void)arg;
    while (!atomic_load(&writer.ends)) {
        if (atomic_load(&writer.requests) > 0) {
            atomic_fetch_sub(&writer.requests, 1);
            pause_ns(WRITE_NS);
            if (write(writer.to, "x", 1) != 1) {
                abort();
            }
        }
        pause_ns(100000);
    }
    return NULL;
}

static void start_writer(int to) {
    writer.to = to;
    if (pthread_create(&writer.thread, NULL, writer_main, NULL) != 0) {
        abort();
    }
}

static void join_writer(void) {
    atomic_store(&writer.ends, true);
    pthread_join(writer.thread, NULL);
}

/* Spawn, steal, run. The spawner computes, so that its P runs nothing else: another P has
   to steal the goroutine. The walk ends in the first line of the goroutine. */

static atomic_bool has_run;

static void stolen(void *arg) {
    (void)arg;
    end_walk();
    atomic_store(&has_run, true);
}

static int walk_spawn(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        compute(IDLE_NS);
        tuco_yield(); /* at a new slice: no request to yield is part of the walk */
        atomic_store(&has_run, false);
        begin_walk();
        int error = tuco_go(stolen, NULL);
        mark('r');
        if (error != 0) {
            return error;
        }
        while (!atomic_load(&has_run)) {
        }
        compute(IDLE_NS);
    }
    return 0;
}

/* A socket read that waits. The byte comes from a thread that does not use the library. */

static int walk_read(void *arg) {
    int ends[2];
    char byte;
    tuco_fd *f;
    (void)arg;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        tuco_fd_wrap(ends[0], &f) != 0) {
        return 1;
    }
    start_writer(ends[1]);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_sleep(IDLE_NS); /* sysmon does not poll for a P that computes */
        atomic_fetch_add(&writer.requests, 1);
        begin_walk();
        ssize_t n = tuco_fd_read(f, &byte, 1);
        end_walk();
        if (n != 1) {
            return 1;
        }
    }
    join_writer();
    tuco_fd_close(f);
    close(ends[1]);
    return 0;
}

/* A blocking call. A second goroutine waits for the P, which sysmon gives to another M.
   That goroutine has ended when the call returns, so that the P is idle. */

static int pipe_ends[2];
static atomic_bool has_returned;

static void waits_for_p(void *arg) {
    (void)arg;
    mark('f');
    atomic_fetch_add(&writer.requests, 1);
}

/* A goroutine of its own for each walk: a goroutine whose last call blocked gives its P up
   before the next. */
static void blocks(void *arg) {
    char byte;
    (void)arg;
    if (tuco_go(waits_for_p, NULL) != 0) {
        abort();
    }
    begin_walk();
    tuco_blocking_enter();
    mark('r');
    ssize_t n = read(pipe_ends[0], &byte, 1);
    mark('c');
    tuco_blocking_exit();
    end_walk();
    if (n != 1) {
        abort();
    }
    atomic_store(&has_returned, true);
}

static int walk_block(void *arg) {
    (void)arg;
    if (pipe(pipe_ends) != 0) {
        return 1;
    }
    start_writer(pipe_ends[1]);
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&has_returned, false);
        if (tuco_go(blocks, NULL) != 0) {
            return 1;
        }
        while (!atomic_load(&has_returned)) {
            tuco_sleep(IDLE_NS);
        }
    }
    join_writer();
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*walk)(void *arg);
    } walks[] = {{"spawn", walk_spawn}, {"read", walk_read}, {"block", walk_block}};
    for (size_t i = 0; argc == 2 && i < sizeof walks / sizeof walks[0]; i++) {
        if (strcmp(argv[1], walks[i].name) == 0) {
            return tuco_run(walks[i].walk, NULL) == 0 ? print_walks() : 1;
        }
    }
    fprintf(stderr, "usage: count_walks spawn | read | block\n");
    return 2;
}
