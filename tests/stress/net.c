/* SPDX-License-Identifier: MIT */
/* Proves: while goroutines and threads use descriptors in random ways at the same time,
   the bytes that are read are those written, in order, and every call ends with a valid
   error. */

/*
 * Rounds until the time is over, each with a runtime of its own. In a round there are
 * sockets, TCP connections and pipes of three sorts.
 *
 * Faithful ones: several goroutines write records, several read them, and another moves
 * the readers' deadline all the time; a reader that times out tries again. Records are
 * not mixed, the records of each writer arrive in order, and all arrive before the end of
 * the file.
 *
 * Doomed ones: a goroutine sets deadlines, ends directions and closes handles at any
 * time. The bytes read are the beginning of the bytes written, whichever other handles
 * are closed meanwhile.
 *
 * A lasting one: a thread reads from it during the whole test. A read that returns
 * -ESRCH, because no runtime runs, is repeated in the next round. No byte is lost between
 * the rounds.
 *
 * The seed gives the same acts again, not the same interleaving of threads.
 */
#include "net.h"
#include "base/rand.h"

#define FAITHFUL     3
#define WRITERS      3 /* of each */
#define READERS      2
#define RECORDS      TEST_SIZE(60, 15) /* of each writer */
#define RECORD_BYTES 20000
#define MOVES        50 /* of a deadline, at most */
#define CUTS         5  /* in a record that is written in pieces */
#define DOOMED       5
#define DOOMED_BYTES 50000 /* written at once, at most */
#define LAST_BYTES   30000 /* through the lasting one in a round, at most */

struct head {
    int writer;
    int number; /* counts the records of the writer */
    size_t bytes;
};

struct faithful {
    struct net_pair pair;
    atomic_int next_writer;
    atomic_int over;
    tuco_wg writers;
    tuco_mutex reading;
    int numbers[WRITERS]; /* reading: the next number of each writer */
    bool ended;           /* reading */
};

struct doomed {
    struct net_pair pair;
    atomic_size_t written; /* at least: a write counts before it fails */
    atomic_int calls;
    atomic_int reader_gone;
    atomic_int writer_gone;
};

static struct {
    struct faithful faithful[FAITHFUL];
    struct doomed doomed[DOOMED];
    tuco_wg all;
} stage;

static struct {
    struct net_pair pair;
    struct test_thread listener;
    size_t written;
    atomic_size_t heard;
    atomic_int rounds; /* started so far */
} lasting;

static atomic_ulong seeds;

static int below(struct rt_rand *r, int n) {
    return (int)rt_rand_below(r, (uint32_t)n);
}

static struct rt_rand new_rand(void) {
    return (struct rt_rand){atomic_fetch_add(&seeds, 1) * 0x9e3779b97f4a7c15u};
}

static struct net_pair open_something(struct rt_rand *r) {
    net_kind *kinds[] = {net_socketpair, net_tcp, net_dialed, net_pipe};
    return net_open(kinds[below(r, 4)]);
}

static tuco_time some_deadline(struct rt_rand *r) {
    switch (below(r, 4)) {
    case 0: return 0;
    case 1: return TUCO_NEVER;
    default: return tuco_deadline(below(r, 200) * TUCO_MICROSECOND);
    }
}

static void pause_somehow(struct rt_rand *r) {
    switch (below(r, 4)) {
    case 0: tuco_sleep(below(r, 100) * TUCO_MICROSECOND); break;
    case 1: tuco_yield(); break;
    default: break;
    }
}

/* ---- Faithful ---- */

static void write_record(struct faithful *s, struct rt_rand *r, struct head head) {
    char bytes[RECORD_BYTES + sizeof head];
    struct iovec iov[CUTS + 1];
    size_t size = sizeof head + head.bytes;
    memcpy(bytes, &head, sizeof head);
    memset(bytes + sizeof head, head.writer + head.number, head.bytes);
    if (below(r, 2) == 0) {
        ASSERT_EQ(tuco_fd_write(s->pair.out, bytes, size), size);
        return;
    }
    for (size_t i = 0, done = 0; i <= CUTS; i++) {
        size_t rest = size - done;
        size_t part = i == CUTS ? rest : rt_rand_below(r, (uint32_t)rest + 1);
        iov[i] = (struct iovec){.iov_base = bytes + done, .iov_len = part};
        done += part;
    }
    ASSERT_EQ(tuco_fd_writev(s->pair.out, iov, CUTS + 1), size);
}

static void write_records(void *raw) {
    struct faithful *s = raw;
    struct rt_rand rand = new_rand();
    struct head head = {.writer = atomic_fetch_add(&s->next_writer, 1)};
    for (; head.number < RECORDS; head.number++) {
        head.bytes = (size_t)below(&rand, below(&rand, 8) == 0 ? RECORD_BYTES : 50);
        write_record(s, &rand, head);
        pause_somehow(&rand);
    }
    tuco_wg_done(&s->writers);
}

/* Returns false at the end of the file, which must not be within a record. Tries again
   after a timeout. */
static bool read_exactly(tuco_fd *f, void *bytes, size_t size, bool may_end) {
    for (size_t got = 0; got < size;) {
        ssize_t n = tuco_fd_read(f, (char *)bytes + got, size - got);
        if (n == 0 && got == 0 && may_end) {
            return false;
        }
        if (n == -ETIMEDOUT) {
            tuco_yield();
            continue;
        }
        ASSERT_GT(n, 0);
        got += (size_t)n;
    }
    return true;
}

static bool read_record(struct faithful *s) {
    struct head head;
    char bytes[RECORD_BYTES];
    if (!read_exactly(s->pair.in, &head, sizeof head, true)) {
        return false;
    }
    ASSERT(head.writer >= 0 && head.writer < WRITERS && head.bytes < RECORD_BYTES);
    ASSERT_EQ(head.number, s->numbers[head.writer]++);
    (void)read_exactly(s->pair.in, bytes, head.bytes, false);
    for (size_t i = 0; i < head.bytes; i++) {
        ASSERT_EQ(bytes[i], (char)(head.writer + head.number));
    }
    return true;
}

static void read_records(void *raw) {
    struct faithful *s = raw;
    bool ended = false;
    while (!ended) {
        tuco_mutex_lock(&s->reading);
        s->ended = s->ended || !read_record(s);
        ended = s->ended;
        tuco_mutex_unlock(&s->reading);
    }
    atomic_fetch_add(&s->over, 1);
    tuco_wg_done(&stage.all);
}

static void move_deadlines(void *raw) {
    struct faithful *s = raw;
    struct rt_rand rand = new_rand();
    for (int i = below(&rand, MOVES); i > 0 && atomic_load(&s->over) == 0; i--) {
        ASSERT_EQ(tuco_fd_set_read_deadline(s->pair.in, some_deadline(&rand)), 0);
        tuco_sleep(below(&rand, 100) * TUCO_MICROSECOND);
    }
    /* From now on a reader is woken only when there are bytes to read. */
    ASSERT_EQ(tuco_fd_set_read_deadline(s->pair.in, TUCO_NEVER), 0);
    tuco_wg_done(&stage.all);
}

static void end_faithful(struct faithful *s) {
    for (int i = 0; i < WRITERS; i++) {
        ASSERT_EQ(s->numbers[i], RECORDS);
    }
    ASSERT_EQ(tuco_fd_close(s->pair.in), 0);
}

/* ---- Doomed ---- */

static void write_until_doom(void *raw) {
    struct doomed *s = raw;
    struct rt_rand rand = new_rand();
    unsigned char *bytes = malloc(DOOMED_BYTES);
    ssize_t n;
    do {
        size_t size = 1 + (size_t)below(&rand, below(&rand, 4) == 0 ? DOOMED_BYTES : 100);
        size_t first = atomic_fetch_add(&s->written, size);
        net_number(bytes, size, first);
        n = tuco_fd_write(s->pair.out, bytes, size);
        ASSERT(n < 0 || n == (ssize_t)size);
        atomic_fetch_add(&s->calls, 1);
        pause_somehow(&rand);
    } while (n > 0); // after a failure the number of bytes written is unknown
    ASSERT_AMONG(n, -ETIMEDOUT, -ECANCELED, -EBADF, -EPIPE, -ECONNRESET);
    free(bytes);
    atomic_store(&s->writer_gone, 1);
    tuco_fd_unref(s->pair.out);
    tuco_wg_done(&stage.all);
}

static void read_until_doom(void *raw) {
    struct doomed *s = raw;
    struct rt_rand rand = new_rand();
    unsigned char bytes[4096];
    size_t got = 0;
    ssize_t n;
    do {
        n = tuco_fd_read(s->pair.in, bytes, 1 + (size_t)below(&rand, sizeof bytes));
        if (n > 0) {
            net_expect_numbered(bytes, (size_t)n, got);
            got += (size_t)n;
            ASSERT_LE(got, atomic_load(&s->written));
        }
        atomic_fetch_add(&s->calls, 1);
        pause_somehow(&rand);
    } while (n > 0 || n == -ETIMEDOUT);
    ASSERT_AMONG(n, 0, -ECANCELED, -EBADF, -ECONNRESET);
    atomic_store(&s->reader_gone, 1);
    tuco_fd_unref(s->pair.in);
    tuco_wg_done(&stage.all);
}

static void meddle(struct rt_rand *r, struct doomed *s) {
    tuco_fd *f = below(r, 2) == 0 ? s->pair.in : s->pair.out;
    int result = 0;
    switch (below(r, 6)) {
    case 0: result = tuco_fd_set_deadline(f, some_deadline(r)); break;
    case 1: result = tuco_fd_set_read_deadline(f, some_deadline(r)); break;
    case 2: result = tuco_fd_set_write_deadline(f, some_deadline(r)); break;
    case 3: result = tuco_fd_shutdown(f, below(r, 3)); break;
    case 4: result = tuco_fd_close(tuco_fd_ref(f)); break;
    default: pause_somehow(r); break;
    }
    ASSERT_AMONG(result, 0, -EBADF, -ENOTSOCK, -ENOTCONN);
}

static void bring_doom(void *raw) {
    struct doomed *s = raw;
    struct rt_rand rand = new_rand();
    int calls = below(&rand, 30);
    while (atomic_load(&s->calls) < calls) {
        tuco_yield();
    }
    for (int i = below(&rand, 8); i > 0; i--) {
        meddle(&rand, s);
        pause_somehow(&rand);
    }
    /* They may be closed already. A waiter at one end returns though the other is
       open. */
    bool reader_first = below(&rand, 2) == 0;
    (void)tuco_fd_close(reader_first ? s->pair.in : s->pair.out);
    test_await(reader_first ? &s->reader_gone : &s->writer_gone, 1);
    (void)tuco_fd_close(reader_first ? s->pair.out : s->pair.in);
    tuco_wg_done(&stage.all);
}

/* ---- Lasting ---- */

static void listen_for_ever(void *arg) {
    ssize_t n;
    (void)arg;
    do {
        unsigned char bytes[1000];
        int rounds = atomic_load(&lasting.rounds);
        n = tuco_fd_read(lasting.pair.in, bytes, sizeof bytes);
        if (n > 0) {
            net_expect_numbered(bytes, (size_t)n, atomic_load(&lasting.heard));
            atomic_fetch_add(&lasting.heard, (size_t)n);
        }
        while (n == -ESRCH && atomic_load(&lasting.rounds) == rounds) {
            sched_yield();
        }
    } while (n > 0 || n == -ESRCH);
    ASSERT_EQ(n, 0);
}

static void speak_for_a_round(void *arg) {
    struct rt_rand rand = new_rand();
    unsigned char bytes[LAST_BYTES];
    (void)arg;
    for (size_t left = (size_t)below(&rand, LAST_BYTES); left > 0;) {
        size_t size = 1 + (size_t)below(&rand, (int)left);
        net_number(bytes, size, lasting.written);
        ASSERT_EQ(tuco_fd_write(lasting.pair.out, bytes, size), size);
        lasting.written += size;
        left -= size;
        pause_somehow(&rand);
    }
    /* The listener gets the rest in this round, when the end of the runtime wakes it, or
       in the next round. */
    bool waits = below(&rand, 2) == 0;
    while (waits && atomic_load(&lasting.heard) != lasting.written) {
        tuco_yield();
    }
    tuco_wg_done(&stage.all);
}

/* ---- Rounds ---- */

static void act(tuco_fn *fn, void *arg) {
    tuco_wg_add(&stage.all, 1);
    ASSERT_EQ(tuco_go(fn, arg), 0);
}

static void begin_faithful(struct faithful *s, struct rt_rand *r) {
    s->pair = open_something(r);
    tuco_wg_add(&s->writers, WRITERS);
    for (int i = 0; i < WRITERS; i++) {
        ASSERT_EQ(tuco_go(write_records, s), 0);
    }
    for (int i = 0; i < READERS; i++) {
        act(read_records, s);
    }
    act(move_deadlines, s);
}

/* Each has its own reference; the last one closes the handles that are still open. */
static void begin_doomed(struct doomed *s, struct rt_rand *r,
                         struct test_thread *threads) {
    s->pair = open_something(r);
    tuco_fd_ref(s->pair.in);
    tuco_fd_ref(s->pair.out);
    if (threads != NULL) {
        tuco_wg_add(&stage.all, 2);
        test_thread_start(&threads[0], write_until_doom, s);
        test_thread_start(&threads[1], read_until_doom, s);
    } else {
        act(write_until_doom, s);
        act(read_until_doom, s);
    }
    act(bring_doom, s);
}

static void play(struct rt_rand *r) {
    struct test_thread threads[2];
    act(speak_for_a_round, NULL);
    for (int i = 0; i < FAITHFUL; i++) {
        begin_faithful(&stage.faithful[i], r);
    }
    for (int i = 0; i < DOOMED; i++) {
        begin_doomed(&stage.doomed[i], r, i == 0 ? threads : NULL);
    }
    for (int i = 0; i < FAITHFUL; i++) {
        tuco_wg_wait(&stage.faithful[i].writers);
        ASSERT_EQ(tuco_fd_close(stage.faithful[i].pair.out), 0);
    }
    tuco_wg_wait(&stage.all);
    test_thread_join(&threads[0]);
    test_thread_join(&threads[1]);
    for (int i = 0; i < FAITHFUL; i++) {
        end_faithful(&stage.faithful[i]);
    }
    memset(&stage, 0, sizeof stage);
}

TEST(net) {
    struct rt_rand rand = {test_seed()};
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    atomic_store(&seeds, test_seed());
    lasting.pair = net_open(net_tcp);
    test_thread_start(&lasting.listener, listen_for_ever, NULL);
    int threads = test_count_threads();
    int fds = test_count_fds();
    while (tuco_now() < end) {
        static const char *const debug[] = {NULL, NULL, "migrate=1", "fence=plain"};
        test_setenv("TUCODEBUG", debug[below(&rand, 4)]);
        ASSERT_EQ(tuco_start(), 0);
        atomic_fetch_add(&lasting.rounds, 1);
        play(&rand);
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        EXPECT_THREADS(threads);
        ASSERT_EQ(test_count_fds(), fds);
    }
    ASSERT_EQ(tuco_fd_close(lasting.pair.out), 0);
    int rounds = atomic_fetch_add(&lasting.rounds, 1); // the listener reads once more
    test_thread_join(&lasting.listener);
    ASSERT_EQ(atomic_load(&lasting.heard), lasting.written);
    ASSERT_EQ(tuco_fd_close(lasting.pair.in), 0);
    printf("%d rounds\n", rounds);
}
