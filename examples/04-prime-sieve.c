/* SPDX-License-Identifier: MIT */
/* The sieve of Eratosthenes as a chain of goroutines, one for each prime. */
#include <errno.h>
#include <stdio.h>
#include <tuco.h>

enum { PRIMES = 25 };

TUCO_CHAN(number, int);

/* One goroutine of the chain, with its own references to the channels at its sides. */
struct link {
    number_chan *in; /* NULL: the first link, which makes the numbers */
    number_chan *out;
    int prime; /* the numbers that it divides stop here */
    tuco_wg *chain;
};

/* The next link has closed its channel: closes the previous channel in turn. */
static void leave(struct link *link) {
    if (link->in != NULL) {
        number_close(link->in);
    }
    number_unref(link->in);
    number_unref(link->out);
    tuco_wg_done(link->chain);
}

static void count_from_two(void *arg) {
    struct link *link = arg;
    int n = 2;
    while (number_send(link->out, n) == 0) {
        n++;
    }
    leave(link);
}

static void filter(void *arg) {
    struct link *link = arg;
    int n;
    while (number_recv(link->in, &n) == 0) {
        if (n % link->prime != 0 && number_send(link->out, n) == -EPIPE) {
            break;
        }
    }
    leave(link);
}

/* Adds a goroutine to the end of the chain, which takes over the caller's reference to
   in. Returns its output channel, or NULL if there is no memory. */
static number_chan *extend(tuco_wg *chain, tuco_fn *fn, number_chan *in, int prime) {
    number_chan *out = number_make(0);
    struct link link = {in, number_ref(out), prime, chain};
    tuco_wg_add(chain, 1);
    if (out == NULL || tuco_go_copy(fn, &link, sizeof(link)) != 0) {
        leave(&link);
        number_unref(out);
        return NULL;
    }
    return out;
}

static int sieve(void *arg) {
    (void)arg;
    tuco_wg chain = {0};
    number_chan *numbers = extend(&chain, count_from_two, NULL, 0);
    for (int i = 1; i <= PRIMES && numbers != NULL; i++) {
        int prime;
        number_recv(numbers, &prime);
        printf("%d%c", prime, i == PRIMES ? '\n' : ' ');
        numbers = extend(&chain, filter, numbers, prime);
    }
    /* The chain would run for ever. A close at its end stops it link by link: in tuco a
       send on a closed channel returns an error and does not end the program. */
    int error = numbers == NULL ? -ENOMEM : 0;
    if (numbers != NULL) {
        number_close(numbers);
        number_unref(numbers);
    }
    tuco_wg_wait(&chain);
    return error;
}

int main(void) {
    int result = tuco_run(sieve, NULL);
    if (result < 0) {
        fprintf(stderr, "04-prime-sieve: error %d\n", -result);
        return 1;
    }
    return 0;
}
