/* SPDX-License-Identifier: MIT */
/* Proves: while goroutines and threads exchange values in random ways, each value arrives
   once, each lock excludes, and all end. */

/*
 * Rounds until the time is over. In a round producers and consumers, goroutines and
 * foreign threads, share a few channels of random capacity, and each operation takes one
 * of the ways that there are: plain, with a deadline, by select with or without a
 * default, with a sleep or under a context in between. Values are random; sent and
 * received ones are counted and summed. Meanwhile other goroutines contend for a mutex, a
 * read-write mutex, a condition and a semaphore. When the producers have ended the
 * channels are closed. Invariants: counts and sums of sent and received values are equal;
 * plain variables under the locks are correct; no value and no thread is left.
 *
 * The seed gives the same acts again, not the same interleaving of threads.
 */
#include "test.h"
#include "base/rand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHANNELS    3
#define PRODUCERS   6
#define CONSUMERS   6
#define THREADS     2 /* of each of the two: foreign threads */
#define QUARRELLERS 6
#define VALUES      TEST_SIZE(300, 60) /* of each producer */
#define QUARRELS    TEST_SIZE(200, 40)
#define READERS     4

static struct {
    tuco_chan *chans[CHANNELS];
    atomic_long sent;
    atomic_long sent_sum;
    atomic_long received;
    atomic_long received_sum;
    atomic_ulong seeds;
    tuco_wg producing;
    tuco_wg others;

    tuco_mutex mutex;
    long under_mutex; /* the mutex */
    tuco_rwmutex rwmutex;
    long pair[2]; /* the rwmutex; always equal */
    tuco_cond cond;
    int tokens; /* the mutex */
    tuco_sem sem;
    atomic_int inside_sem;
} stage;

static int below(struct rt_rand *r, int n) {
    return (int)rt_rand_below(r, (uint32_t)n);
}

static struct rt_rand new_rand(void) {
    return (struct rt_rand){atomic_fetch_add(&stage.seeds, 1) * 0x9e3779b97f4a7c15u};
}

static tuco_time soon(struct rt_rand *r) {
    return tuco_deadline(below(r, 4) == 0 ? 0 : below(r, 50) * TUCO_MICROSECOND);
}

/* ---- Channels ---- */

static int send_somehow(struct rt_rand *r, long value) {
    tuco_chan *c = stage.chans[below(r, CHANNELS)];
    tuco_chan *other = stage.chans[below(r, CHANNELS)];
    tuco_case both[] = {TUCO_SEND(c, &value), TUCO_SEND(other, &value)};
    tuco_case maybe[] = {TUCO_DEFAULT, TUCO_SEND(c, &value), TUCO_SEND(NULL, &value)};
    switch (below(r, 6)) {
    case 0: return tuco_chan_try_send(c, &value);
    case 1: return tuco_chan_send_until(c, &value, soon(r));
    case 2: return tuco_select(both, 2) >= 0 ? 0 : -EINVAL;
    case 3: return tuco_select_until(both, 2, soon(r)) >= 0 ? 0 : -ETIMEDOUT;
    case 4: return tuco_select(maybe, 3) == 1 ? 0 : -EAGAIN;
    default: return tuco_chan_send(c, &value);
    }
}

static void produce(void *unused) {
    (void)unused;
    struct rt_rand rand = new_rand();
    for (int i = 0; i < VALUES; i++) {
        long value = below(&rand, 1000000);
        int result;
        while ((result = send_somehow(&rand, value)) != 0) {
            ASSERT(result == -EAGAIN || result == -ETIMEDOUT);
            tuco_yield();
        }
        atomic_fetch_add(&stage.sent, 1);
        atomic_fetch_add(&stage.sent_sum, value);
        if (below(&rand, 40) == 0) {
            tuco_sleep(below(&rand, 30) * TUCO_MICROSECOND);
        }
    }
    tuco_wg_done(&stage.producing);
}

/* -EPIPE: closed and empty. open: the channels not yet known to be so. */
static int recv_somehow(struct rt_rand *r, tuco_chan **open, long *value) {
    int first = below(r, CHANNELS);
    int second = below(r, CHANNELS);
    tuco_case both[] = {TUCO_RECV(open[first], value), TUCO_RECV(open[second], value)};
    int chosen;
    if (below(r, 3) == 0 && open[first] != NULL) {
        int result = tuco_chan_recv_until(open[first], value, soon(r));
        if (result == -EPIPE) {
            open[first] = NULL;
        }
        return result;
    }
    chosen = tuco_select_until(both, 2, soon(r));
    if (chosen < 0) {
        return chosen;
    }
    if (both[chosen].result == -EPIPE) {
        open[chosen == 0 ? first : second] = NULL;
    }
    return both[chosen].result;
}

static void consume(void *unused) {
    (void)unused;
    struct rt_rand rand = new_rand();
    tuco_chan *open[CHANNELS];
    memcpy(open, stage.chans, sizeof(open));
    for (;;) {
        long value = 0;
        int left = 0;
        for (int i = 0; i < CHANNELS; i++) {
            left += open[i] != NULL;
        }
        if (left == 0) {
            break;
        }
        if (recv_somehow(&rand, open, &value) == 0) {
            atomic_fetch_add(&stage.received, 1);
            atomic_fetch_add(&stage.received_sum, value);
        }
    }
    tuco_wg_done(&stage.others);
}

/* ---- Locks ---- */

static void lock_somehow(struct rt_rand *r) {
    if (below(r, 2) == 0) {
        while (tuco_mutex_lock_until(&stage.mutex, soon(r)) != 0) {
        }
    } else {
        tuco_mutex_lock(&stage.mutex);
    }
}

/* Takes a token, or gives one. */
static void pass_token(struct rt_rand *r) {
    lock_somehow(r);
    stage.under_mutex++;
    if (below(r, 2) == 0) {
        stage.tokens++;
        tuco_cond_signal(&stage.cond);
    } else if (stage.tokens == 0) {
        (void)tuco_cond_wait_until(&stage.cond, &stage.mutex, soon(r));
    } else {
        stage.tokens--;
    }
    tuco_mutex_unlock(&stage.mutex);
}

static void read_or_write(struct rt_rand *r) {
    if (below(r, 4) == 0) {
        tuco_rwmutex_lock(&stage.rwmutex);
        stage.pair[0]++;
        stage.pair[1]++;
        tuco_rwmutex_unlock(&stage.rwmutex);
    } else if (tuco_rwmutex_rlock_until(&stage.rwmutex, soon(r)) == 0) {
        ASSERT_EQ(stage.pair[0], stage.pair[1]);
        tuco_rwmutex_runlock(&stage.rwmutex);
    }
}

static void use_semaphore(struct rt_rand *r, tuco_ctx *ctx) {
    int units = 1 + below(r, READERS);
    if (tuco_sem_acquire(&stage.sem, units, ctx) != 0) {
        return;
    }
    int inside = atomic_fetch_add(&stage.inside_sem, units) + units;
    ASSERT(inside <= READERS);
    if (below(r, 8) == 0) {
        tuco_yield();
    }
    atomic_fetch_sub(&stage.inside_sem, units);
    tuco_sem_release(&stage.sem, units);
}

static void quarrel(void *unused) {
    (void)unused;
    struct rt_rand rand = new_rand();
    for (int i = 0; i < QUARRELS; i++) {
        tuco_ctx *ctx = tuco_ctx_with_deadline(tuco_ctx_background(), soon(&rand));
        ASSERT(ctx != NULL);
        pass_token(&rand);
        read_or_write(&rand);
        use_semaphore(&rand, ctx);
        if (below(&rand, 2) == 0) {
            tuco_ctx_cancel(ctx);
        }
        tuco_ctx_unref(ctx);
    }
    tuco_wg_done(&stage.others);
}

/* ---- Rounds ---- */

static void *produce_on_thread(void *unused) {
    produce(unused);
    return NULL;
}

static void *consume_on_thread(void *unused) {
    consume(unused);
    return NULL;
}

static void play(struct rt_rand *r) {
    pthread_t threads[2 * THREADS];
    for (int i = 0; i < CHANNELS; i++) {
        stage.chans[i] = tuco_chan_make(sizeof(long), (size_t)below(r, 5));
        ASSERT(stage.chans[i] != NULL);
    }
    tuco_sem_init(&stage.sem, READERS);
    tuco_wg_add(&stage.producing, PRODUCERS + THREADS);
    tuco_wg_add(&stage.others, CONSUMERS + THREADS + QUARRELLERS);
    for (int i = 0; i < THREADS; i++) {
        ASSERT_EQ(pthread_create(&threads[2 * i], NULL, produce_on_thread, NULL), 0);
        ASSERT_EQ(pthread_create(&threads[2 * i + 1], NULL, consume_on_thread, NULL), 0);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        ASSERT_EQ(tuco_go(produce, NULL), 0);
    }
    for (int i = 0; i < CONSUMERS; i++) {
        ASSERT_EQ(tuco_go(consume, NULL), 0);
    }
    for (int i = 0; i < QUARRELLERS; i++) {
        ASSERT_EQ(tuco_go(quarrel, NULL), 0);
    }
    tuco_wg_wait(&stage.producing);
    for (int i = 0; i < CHANNELS; i++) {
        tuco_chan_close(stage.chans[i]);
    }
    tuco_wg_wait(&stage.others);
    for (int i = 0; i < 2 * THREADS; i++) {
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    }
}

static void check_and_clear(void) {
    ASSERT_EQ(atomic_load(&stage.received), atomic_load(&stage.sent));
    ASSERT_EQ(atomic_load(&stage.received_sum), atomic_load(&stage.sent_sum));
    ASSERT_EQ(atomic_load(&stage.sent), (long)VALUES * (PRODUCERS + THREADS));
    ASSERT_EQ(stage.under_mutex, (long)QUARRELS * QUARRELLERS);
    ASSERT_EQ(stage.pair[0], stage.pair[1]);
    for (int i = 0; i < CHANNELS; i++) {
        ASSERT_EQ(tuco_chan_len(stage.chans[i]), 0);
        tuco_chan_unref(stage.chans[i]);
    }
    unsigned long seeds = atomic_load(&stage.seeds);
    memset(&stage, 0, sizeof(stage));
    atomic_store(&stage.seeds, seeds);
}

TEST(talk) {
    struct rt_rand rand = {test_seed()};
    int threads = test_count_threads();
    int rounds = 0;
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    atomic_store(&stage.seeds, test_seed());
    while (tuco_now() < end) {
        static const char *const debug[] = {NULL, NULL, "migrate=1", "fence=plain"};
        test_setenv("TUCODEBUG", debug[below(&rand, 4)]);
        ASSERT_EQ(tuco_start(), 0);
        play(&rand);
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        check_and_clear();
        EXPECT_THREADS(threads);
        rounds++;
    }
    printf("%d rounds\n", rounds);
}
