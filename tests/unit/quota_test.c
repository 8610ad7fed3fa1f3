/* SPDX-License-Identifier: MIT */
/* Proves: the texts of cpu.max and of the cfs files are read as the kernel reads them,
   all others are refused, and no rounding is off by one, however large the numbers. */
#include "test.h"
#include "cpu/quota.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define MAX       INT64_MAX
#define UNTOUCHED 77

/* A copy of exactly its size, so that AddressSanitizer knows its end. */
static struct rt_text text_of(const char *text, size_t length) {
    char *copy = malloc(length > 0 ? length : 1);
    ASSERT(copy != NULL);
    memcpy(copy, text, length);
    return (struct rt_text){copy, length};
}

static struct rt_quota expect_v2(const char *text, size_t length, int rc) {
    struct rt_text t = text_of(text, length);
    struct rt_quota q = {UNTOUCHED, UNTOUCHED};
    ASSERT_EQ(rt_quota_parse_v2(t, &q), rc);
    free((char *)t.start);
    return q;
}

static void v2_is(const char *text, int64_t quota_us, int64_t period_us) {
    struct rt_quota q = expect_v2(text, strlen(text), 0);
    ASSERT_EQ(q.quota_us, quota_us);
    ASSERT_EQ(q.period_us, period_us);
}

static void v2_is_wrong(const char *text, size_t length) {
    struct rt_quota q = expect_v2(text, length, -EINVAL);
    ASSERT_EQ(q.quota_us, UNTOUCHED);
    ASSERT_EQ(q.period_us, UNTOUCHED);
}

static void v1_is(const char *text, int64_t number) {
    struct rt_text t = text_of(text, strlen(text));
    int64_t n = UNTOUCHED;
    ASSERT_EQ(rt_quota_parse_v1(t, &n), 0);
    ASSERT_EQ(n, number);
    free((char *)t.start);
}

static void v1_is_wrong(const char *text, size_t length) {
    struct rt_text t = text_of(text, length);
    int64_t n = UNTOUCHED;
    ASSERT_EQ(rt_quota_parse_v1(t, &n), -EINVAL);
    ASSERT_EQ(n, UNTOUCHED);
    free((char *)t.start);
}

TEST(texts_of_v2) {
    v2_is("max 100000\n", RT_QUOTA_NONE, 100000);
    v2_is("500000 100000\n", 500000, 100000);
    v2_is("50000 100000\n", 50000, 100000);
    v2_is("250000 100000\n", 250000, 100000);
    v2_is("9223372036854775807 9223372036854775807\n", MAX, MAX);
    v2_is("1 1\n", 1, 1);
    v2_is("007 08\n", 7, 8);
}

TEST(texts_that_are_not_of_v2) {
    static const char *const texts[] = {
        "",
        "\n",
        " ",
        " \n",
        "500000 100000",
        "500000\n",
        "500000us 100000\n",
        "500000 100000us\n",
        "max",
        "max\n",
        "max \n",
        " 100000\n",
        "max max\n",
        "maxi 1\n",
        "ma 1\n",
        "MAX 1\n",
        "-1 100000\n",
        "1 -1\n",
        "+1 1\n",
        "1 +1\n",
        "0 100000\n",
        "100000 0\n",
        "max 0\n",
        "1  1\n",
        " 1 1\n",
        "1 1 \n",
        "1 1 1\n",
        "1\t1\n",
        "1 1\n\n",
        "1 1\n1 1\n",
        "1 1\r\n",
        "0x1 1\n",
        "1e3 1\n",
        "1.5 1\n",
        "9223372036854775808 1\n",
        "1 9223372036854775808\n",
        "18446744073709551617 1\n",
        "99999999999999999999999999999999 1\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        v2_is_wrong(texts[i], strlen(texts[i]));
    }
    v2_is_wrong("1\0 1\n", 5);
    v2_is_wrong("1 1\n\0", 5);
}

TEST(texts_of_v1) {
    v1_is("-1\n", RT_QUOTA_NONE);
    v1_is("-5\n", RT_QUOTA_NONE);
    v1_is("-9223372036854775807\n", RT_QUOTA_NONE);
    v1_is("500000\n", 500000);
    v1_is("9223372036854775807\n", MAX);
    v1_is("1\n", 1);
}

TEST(texts_that_are_not_of_v1) {
    static const char *const texts[] = {
        "",
        "\n",
        "500000",
        "-1",
        "123max\n",
        "1000 5000\n",
        "max\n",
        "-\n",
        "--1\n",
        "-0\n",
        "0\n",
        "+1\n",
        " 1\n",
        "1 \n",
        "1\n\n",
        "1\n2\n",
        "9223372036854775808\n",
        "-99999999999999999999\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        v1_is_wrong(texts[i], strlen(texts[i]));
    }
    v1_is_wrong("\0"
                "1\n",
                3);
    v1_is_wrong("1\0\n", 3);
}

static int procs(int64_t quota_us, int64_t period_us, int cpus) {
    return rt_quota_procs((struct rt_quota){quota_us, period_us}, cpus);
}

TEST(a_part_of_a_cpu_is_one) {
    ASSERT_EQ(procs(300000, 100000, 8), 3);
    ASSERT_EQ(procs(299999, 100000, 8), 3);
    ASSERT_EQ(procs(250000, 100000, 8), 3);
    ASSERT_EQ(procs(200001, 100000, 8), 3);
    ASSERT_EQ(procs(200000, 100000, 8), 2);
    ASSERT_EQ(procs(300001, 100000, 8), 4);
}

TEST(a_limit_leaves_two_processors) {
    ASSERT_EQ(procs(150000, 100000, 8), 2);
    ASSERT_EQ(procs(100000, 100000, 8), 2);
    ASSERT_EQ(procs(50000, 100000, 8), 2);
    ASSERT_EQ(procs(1, MAX, 8), 2);
}

TEST(never_more_than_there_are_cpus) {
    ASSERT_EQ(procs(50000, 100000, 1), 1);
    ASSERT_EQ(procs(300000, 100000, 1), 1);
    ASSERT_EQ(procs(300000, 100000, 2), 2);
    ASSERT_EQ(procs(1600000, 100000, 8), 8);
    ASSERT_EQ(procs(RT_QUOTA_NONE, 100000, 8), 8);
    ASSERT_EQ(procs(RT_QUOTA_NONE, 1, 1), 1);
}

TEST(rounding_of_numbers_that_a_double_cannot_hold) {
    ASSERT_EQ(procs(MAX, MAX, 8), 2);
    ASSERT_EQ(procs(MAX, MAX / 3, 8), 4); /* a third is rounded down: 3 and a bit */
    ASSERT_EQ(procs(MAX / 3 * 3, MAX / 3, 8), 3);
    ASSERT_EQ(procs(MAX, 1, INT_MAX), INT_MAX);
    ASSERT_EQ(procs(MAX, 2, 8), 8);
    ASSERT_EQ(procs(MAX - 1, (MAX - 1) / 2, 8), 2);
    ASSERT_EQ(procs(MAX, (MAX - 1) / 2, 8), 3);
}

static bool less(int64_t a, int64_t b, int64_t c, int64_t d) {
    return rt_quota_less((struct rt_quota){a, b}, (struct rt_quota){c, d});
}

TEST(the_tighter_of_two) {
    ASSERT(less(1, 2, 2, 3));
    ASSERT(!less(2, 3, 1, 2));
    ASSERT(!less(1, 2, 2, 4));
    ASSERT(less(100, 1000, 200, 1000));
    ASSERT(less(1, RT_QUOTA_PROCS_MIN, RT_QUOTA_NONE, 1));
    ASSERT(!less(RT_QUOTA_NONE, 1, 1, 2));
    ASSERT(!less(RT_QUOTA_NONE, 1, RT_QUOTA_NONE, 2));
    ASSERT(less(MAX, 1, RT_QUOTA_NONE, 1));
    ASSERT(less(MAX - 1, MAX, MAX, MAX));
    ASSERT(less(MAX - 2, MAX - 1, MAX - 1, MAX));
    ASSERT(!less(MAX, MAX, MAX - 1, MAX));
    ASSERT(less(1, MAX, MAX, 1));
}
