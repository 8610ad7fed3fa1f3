/* SPDX-License-Identifier: MIT */
/* Proves: for any bytes, the server of examples/http sends HTTP responses or nothing, the
   same ones however the bytes are split, ends with its client, and leaves nothing behind.

   Inputs are those of corpus/ unchanged, and then mixtures of them with a few random
   changes, drawn from the seed: at least INPUTS_MIN, and for --seconds. */
#include "test.h"
#include "base/rand.h"
#include "http/conversation.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define INPUTS_MIN  TEST_SIZE(300, 100)
#define SEEDS_MAX   64
#define CHANGES_MAX 6
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct text {
    size_t length;
    char bytes[CONVERSATION_MAX_BYTES];
};

static struct rt_rand rand_state;
static struct text seeds[SEEDS_MAX];
static size_t seed_count;
static struct text input;

/* Texts that have a meaning somewhere in a request. */
static const char *const pieces[] = {
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    " ",
    ":",
    ";",
    "0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "GET ",
    "POST /echo HTTP/1.1\r\nHost: a\r\n",
    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a:1 ",
    "/stream?lines=3&ms=1",
    "/sleep?ms=1",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    " HTTP/2.0\r\n",
    "Host: a\r\n",
    "Content-Length: 3\r\n",
    "Content-Length: 1025\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Connection: upgrade\r\nUpgrade: h2c\r\n",
    "Expect: 100-continue\r\n",
    "\xff",
};

static size_t below(size_t n) {
    return rt_rand_below(&rand_state, (uint32_t)n);
}

static void load_seed(const char *path) {
    struct text *seed = &seeds[seed_count++];
    ASSERT_LE(seed_count, SEEDS_MAX);
    FILE *file = fopen(path, "r");
    ASSERT(file != NULL);
    seed->length = fread(seed->bytes, 1, sizeof(seed->bytes), file);
    fclose(file);
    ASSERT_GT(seed->length, 0);
}

static void load_seeds(void) {
    char path[512];
    DIR *dir = opendir(HTTP_CORPUS);
    ASSERT(dir != NULL);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", HTTP_CORPUS, e->d_name);
            load_seed(path);
        }
    }
    closedir(dir);
    ASSERT_GT(seed_count, 0);
}

static void cut(size_t at, size_t length) {
    memmove(input.bytes + at, input.bytes + at + length, input.length - at - length);
    input.length -= length;
}

static void insert(size_t at, const char *bytes, size_t length) {
    if (length <= sizeof(input.bytes) - input.length) {
        memmove(input.bytes + at + length, input.bytes + at, input.length - at);
        memcpy(input.bytes + at, bytes, length);
        input.length += length;
    }
}

static void insert_long(size_t at) {
    static char same[1200];
    memset(same, "0a/ ;"[below(5)], sizeof(same));
    insert(at, same, below(sizeof(same)));
}

static void change(void) {
    size_t at = below(input.length + 1);
    size_t left = input.length - at;
    const char *piece = pieces[below(COUNT(pieces))];
    switch (below(6)) {
    case 0: insert(at, piece, strlen(piece)); break;
    case 1: cut(at, below((left < 64 ? left : 64) + 1)); break;
    case 2: input.length = at; break;
    case 3: insert_long(at); break;
    case 4:
        if (left > 0) {
            input.bytes[at] = (char)rt_rand_next(&rand_state);
        }
        break;
    default:
        if (left > 0) {
            cut(at, 1);
            insert(at, piece, strlen(piece));
        }
        break;
    }
}

/* Several requests in sequence, as on a persistent connection, and then the changes. */
static void make_input(void) {
    input.length = 0;
    for (size_t n = 1 + below(4); n > 0; n--) {
        const struct text *seed = &seeds[below(seed_count)];
        insert(input.length, seed->bytes, seed->length);
    }
    for (size_t n = below(CHANGES_MAX + 1); n > 0; n--) {
        change();
    }
}

static void try_input(const struct text *text) {
    conversation_try((const uint8_t *)text->bytes, text->length);
}

static int try_inputs(void *unused) {
    (void)unused;
    long tried = 0;
    conversation_init();
    for (size_t i = 0; i < seed_count; i++) {
        try_input(&seeds[i]);
    }
    int fds = test_count_fds();
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    while (tried < INPUTS_MIN || tuco_now() < end) {
        make_input();
        try_input(&input);
        tried++;
    }
    conversation_exit();
    test_await_alone();
    ASSERT_EQ(test_count_fds(), fds);
    printf("%ld inputs\n", tried);
    fflush(stdout);
    return 0;
}

TEST(any_bytes_on_a_connection) {
    rand_state.state = test_seed();
    load_seeds();
    RUN(try_inputs);
}
