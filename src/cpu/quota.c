/* SPDX-License-Identifier: MIT */
/* Parses quotas and compares them, in integer arithmetic. */
#include "cpu/quota.h"

#include <errno.h>

/* Accepts digits only. Returns false if the number is above INT64_MAX. */
static bool parse_digits(struct rt_text t, int64_t *number) {
    int64_t n = 0;
    for (size_t i = 0; i < t.length; i++) {
        int digit = t.start[i] - '0';
        if (digit < 0 || digit > 9 || n > (INT64_MAX - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    *number = n;
    return t.length > 0;
}

/* The kernel accepts neither a quota nor a period of 0. */
static bool parse_positive(struct rt_text t, int64_t *number) {
    int64_t n;
    if (!parse_digits(t, &n) || n == 0) {
        return false;
    }
    *number = n;
    return true;
}

static bool is_negative(struct rt_text t) {
    int64_t n;
    return t.length > 0 && t.start[0] == '-' &&
           parse_positive((struct rt_text){t.start + 1, t.length - 1}, &n);
}

/* A text without a newline at its end was truncated. */
static bool take_only_line(struct rt_text t, struct rt_text *line) {
    return rt_text_take(&t, '\n', line) && t.length == 0;
}

int rt_quota_parse_v2(struct rt_text t, struct rt_quota *quota) {
    struct rt_text period;
    struct rt_text amount;
    struct rt_quota q = RT_QUOTA_UNLIMITED;
    if (!take_only_line(t, &period) || !rt_text_take(&period, ' ', &amount) ||
        !parse_positive(period, &q.period_us)) {
        return -EINVAL;
    }
    if (!rt_text_is(amount, "max") && !parse_positive(amount, &q.quota_us)) {
        return -EINVAL;
    }
    *quota = q;
    return 0;
}

/* Any negative number means no limit, as it does when written. */
int rt_quota_parse_v1(struct rt_text t, int64_t *number_us) {
    struct rt_text line;
    if (!take_only_line(t, &line)) {
        return -EINVAL;
    }
    if (is_negative(line)) {
        *number_us = RT_QUOTA_NONE;
        return 0;
    }
    return parse_positive(line, number_us) ? 0 : -EINVAL;
}

/* a/b < c/d is ad < cb: products of two 63-bit numbers. */
bool rt_quota_less(struct rt_quota a, struct rt_quota b) {
    if (a.quota_us == RT_QUOTA_NONE || b.quota_us == RT_QUOTA_NONE) {
        return a.quota_us != RT_QUOTA_NONE;
    }
    return (__int128)a.quota_us * b.period_us < (__int128)b.quota_us * a.period_us;
}

int rt_quota_procs(struct rt_quota quota, int cpus) {
    if (quota.quota_us == RT_QUOTA_NONE) {
        return cpus;
    }
    /* Rounds up without an addition that could overflow. */
    int64_t procs =
        quota.quota_us / quota.period_us + (quota.quota_us % quota.period_us != 0);
    if (procs < RT_QUOTA_PROCS_MIN) {
        procs = RT_QUOTA_PROCS_MIN;
    }
    return procs < cpus ? (int)procs : cpus;
}
