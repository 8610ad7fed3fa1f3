/* SPDX-License-Identifier: MIT */
/* Proves: a SIGURG handler that the program installs before or after the start still gets
   the program's signals, and goroutines are interrupted all the same. */
/* fixed procs */
#include "hogs.h"

#include <signal.h>

#define SIGNALS  20
#define ATTEMPTS 10
#define VALUE    4711

static atomic_int handled;
static struct sigaction before;

static void count(int signal, siginfo_t *info, void *context) {
    if (info->si_code == SI_QUEUE && info->si_value.sival_int == VALUE) {
        atomic_fetch_add(&handled, 1);
    }
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    }
}

static void install(void) {
    struct sigaction action = {.sa_sigaction = count};
    ASSERT_EQ(sigaction(SIGURG, NULL, &before), 0);
    action.sa_mask = before.sa_mask;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
}

/* Sends to its own thread, so that the handler runs before the call returns. The kernel
   drops a signal while another of its number is pending, such as one of the runtime's; so
   it tries again. */
static void send_to_self(void *arg) {
    (void)arg;
    union sigval value = {.sival_int = VALUE};
    for (int i = 0; i < SIGNALS; i++) {
        int seen = atomic_load(&handled);
        for (int k = 0; k < ATTEMPTS && atomic_load(&handled) == seen; k++) {
            ASSERT_EQ(pthread_sigqueue(pthread_self(), SIGURG, value), 0);
        }
        ASSERT_EQ(atomic_load(&handled), seen + 1);
    }
}

static int send_main(void *arg) {
    send_to_self(arg);
    turns_start();
    for (int i = 0; i < 3; i++) {
        compute_for_turns(1); // interrupted by signals of the runtime's own
        send_to_self(arg);
    }
    turns_stop();
    test_threads_run(1, send_to_self, arg);
    return 0;
}

static int install_main(void *arg) {
    install();
    return send_main(arg);
}

TEST(installed_before) {
    hogs_use(1);
    install();
    RUN(send_main);
    send_to_self(NULL); // the runtime has restored the handler
}

TEST(installed_after) {
    hogs_use(1);
    RUN(install_main);
}

static void count_plain(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

/* This handler does not get the runtime's own signals. */
TEST(installed_before_without_information) {
    struct sigaction action = {.sa_handler = count_plain};
    hogs_use(1);
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
    RUN(send_main);
    send_to_self(NULL);
}
