/* SPDX-License-Identifier: MIT */
/* Starts a goroutine for each guest and waits for all of them. */
#include <stdio.h>
#include <tuco.h>

struct greeting {
    const char *guest;
    char text[64];
};

/* Runs as a goroutine of its own, on any thread: it writes to its own greeting only. */
static void greet(void *arg) {
    struct greeting *greeting = arg;
    snprintf(greeting->text, sizeof(greeting->text), "Hello, %s!", greeting->guest);
}

/* The main goroutine. What it returns is what tuco_run() returns. */
static int welcome(void *arg) {
    (void)arg;
    struct greeting greetings[] = {
        {.guest = "gopher"}, {.guest = "world"}, {.guest = "C"}};
    size_t count = sizeof(greetings) / sizeof(greetings[0]);

    tuco_wg all = {0};
    for (size_t i = 0; i < count; i++) {
        int error = tuco_wg_go(&all, greet, &greetings[i]);
        if (error != 0) {
            tuco_wg_wait(&all); /* those already started write to this stack */
            return error;
        }
    }
    tuco_wg_wait(&all);

    /* The goroutines ran in any order; the greetings are read in one. */
    for (size_t i = 0; i < count; i++) {
        puts(greetings[i].text);
    }
    return 0;
}

int main(void) {
    int result = tuco_run(welcome, NULL);
    if (result < 0) {
        fprintf(stderr, "01-hello: error %d\n", -result);
        return 1;
    }
    return 0;
}
