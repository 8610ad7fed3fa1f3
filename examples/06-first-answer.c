/* SPDX-License-Identifier: MIT */
/* A search by a group of goroutines: the first result cancels the others, and a deadline
   cancels all. */
#include <errno.h>
#include <stdio.h>
#include <tuco.h>

enum { PIECES = 8, AT_ONCE = 4, STEPS_BETWEEN_LOOKS = 1024, FOUND = 1 };

struct piece {
    long product; /* the search is for a factor of this */
    long first;
    long end;
    long *answer;
};

/* One member of the group. A result other than 0 becomes the result of the group, and
   cancels the others' context. */
static int look_for_factor(tuco_ctx *ctx, void *arg) {
    const struct piece *piece = arg;
    for (long n = piece->first; n < piece->end; n++) {
        if (piece->product % n == 0) {
            *piece->answer = n;
            return FOUND;
        }
        if (n % STEPS_BETWEEN_LOOKS == 0) {
            tuco_yield();
            if (tuco_ctx_err(ctx) != 0) {
                return tuco_ctx_err(ctx);
            }
        }
    }
    return 0;
}

/* Returns FOUND, 0 if there is no factor below end, or an error. */
static int factorise(tuco_ctx *ctx, long product, long end, long *answer) {
    struct piece pieces[PIECES];
    tuco_group *group = tuco_group_make(ctx, AT_ONCE);
    if (group == NULL) {
        return -ENOMEM;
    }
    int error = 0;
    for (int i = 0; i < PIECES && error == 0; i++) {
        long first = i == 0 ? 2 : end / PIECES * i;
        pieces[i] = (struct piece){product, first, end / PIECES * (i + 1), answer};
        error = tuco_group_go(group, look_for_factor, &pieces[i]);
    }
    int result = tuco_group_wait(group); /* no goroutine uses the pieces any more */
    return error != 0 ? error : result;
}

static int search_within(tuco_time time, long product, long end) {
    long answer = 0;
    tuco_ctx *ctx = tuco_ctx_with_timeout(tuco_ctx_background(), time);
    if (ctx == NULL) {
        return -ENOMEM;
    }
    int result = factorise(ctx, product, end, &answer);
    tuco_ctx_unref(ctx);
    if (result == FOUND) {
        printf("%ld = %ld * %ld\n", product, answer, product / answer);
    } else if (result == -ETIMEDOUT) {
        printf("%ld: no answer in time\n", product);
    }
    return result;
}

static int search_main(void *unused) {
    (void)unused;
    const long easy = 1000036000099;       /* of two primes near a million */
    const long hard = 9223372036854775783; /* a prime */
    int result = search_within(60 * TUCO_SECOND, easy, 2000000);
    if (result == FOUND) {
        result = search_within(20 * TUCO_MILLISECOND, hard, 3037000499);
    }
    return result == -ETIMEDOUT ? 0 : 1;
}

int main(void) {
    return tuco_run(search_main, NULL) == 0 ? 0 : 1;
}
