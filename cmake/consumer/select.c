/* SPDX-License-Identifier: MIT */
/* A user program, in C or C++: the compiler checks the sizes in the cases of a select. */
#include <stddef.h>
#include <tuco.h>

struct pair {
    long left;
    long right;
};

TUCO_CHAN(pairs, struct pair);
TUCO_CHAN(numbers, int);
TUCO_CHAN(texts, const char *);

int select_cases(pairs_chan *p, numbers_chan *n, texts_chan *t, tuco_chan *raw,
                 void *hidden);

int select_cases(pairs_chan *p, numbers_chan *n, texts_chan *t, tuco_chan *raw,
                 void *hidden) {
    struct pair pair = {1, 2};
    struct pair two[2] = {{1, 2}, {3, 4}};
    const struct pair fixed = {1, 2};
    int number = 1;
    char byte = 0;
    const char *text = "";
    const void *bytes = &number;
    tuco_case cases[] = {
        TUCO_SEND(p, &pair),
        TUCO_SEND(p, two),
        TUCO_SEND(p, &fixed),
        TUCO_SEND(n, &number),
        TUCO_SEND(n, bytes),
        TUCO_RECV(t, &text),
        TUCO_RECV(raw, &byte),
        TUCO_RECV(raw, two),
        TUCO_RECV(hidden, &byte),
        TUCO_RECV(p, NULL),
        TUCO_RECV(p, 0),
        TUCO_RECV(NULL, &byte),
        TUCO_RECV(p, hidden),
        TUCO_RECV(raw, NULL),
        TUCO_RECV(p, p ? &pair : two),
        TUCO_RECV(pairs_raw(p), &byte),
        TUCO_DEFAULT,
#ifdef WRONG_SEND
        TUCO_SEND(p, &number),
#endif
#ifdef WRONG_RECV
        TUCO_RECV(n, &byte),
#endif
#ifdef WRONG_ARRAY
        TUCO_RECV(n, two),
#endif
    };
    return tuco_select(cases, sizeof(cases) / sizeof(cases[0]));
}
