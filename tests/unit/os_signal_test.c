/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's alternate signal stack exists between install and remove; an
   alternate stack of the program stays in use, whether it is older or newer. Handlers of
   the program below and above the runtime's are called once per fault. */
#include "os/os.h"
#include "test.h"

#include <signal.h>

#define BYTES ((size_t)256 * 1024)

static char room[BYTES];

static stack_t current(void) {
    stack_t now;
    ASSERT_EQ(sigaltstack(NULL, &now), 0);
    return now;
}

/* A sanitizer may have installed one. */
static void have_none(void) {
    ASSERT_EQ(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL), 0);
}

TEST(comes_and_goes) {
    void *token;
    have_none();
    ASSERT_EQ(os_signal_stack_install(&token), 0);
    ASSERT(token != NULL && current().ss_sp == token);
    os_signal_stack_remove(token);
    ASSERT_EQ(current().ss_flags, SS_DISABLE);
}

TEST(newer_one_stays) {
    void *token;
    have_none();
    ASSERT_EQ(os_signal_stack_install(&token), 0);
    ASSERT_EQ(sigaltstack(&(stack_t){.ss_sp = room, .ss_size = BYTES}, NULL), 0);
    os_signal_stack_remove(token);
    ASSERT(current().ss_sp == room);
    ASSERT_EQ(current().ss_size, BYTES);
    have_none();
}

TEST(older_one_is_used) {
    void *token;
    ASSERT_EQ(sigaltstack(&(stack_t){.ss_sp = room, .ss_size = BYTES}, NULL), 0);
    ASSERT_EQ(os_signal_stack_install(&token), 0);
    ASSERT(token == NULL && current().ss_sp == room);
    os_signal_stack_remove(token);
    ASSERT(current().ss_sp == room);
    have_none();
}

static struct sigaction below_newer;
static int older_calls;
static int newer_calls;

static void count_older(int number) {
    (void)number;
    older_calls++;
}

static void count_newer(int number, siginfo_t *info, void *context) {
    newer_calls++;
    below_newer.sa_sigaction(number, info, context);
}

static bool handle_nothing(const struct os_fault_info *info) {
    (void)info;
    return false;
}

TEST(a_handler_over_ours_is_called_once_after_a_second_install) {
    struct sigaction older = {.sa_handler = count_older};
    struct sigaction newer = {.sa_sigaction = count_newer, .sa_flags = SA_SIGINFO};
    ASSERT_EQ(sigaction(SIGSEGV, &older, NULL), 0);
    ASSERT_EQ(os_fault_handler_install(handle_nothing), 0);
    ASSERT_EQ(sigaction(SIGSEGV, &newer, &below_newer), 0);
    os_fault_handler_remove();
    ASSERT_EQ(os_fault_handler_install(handle_nothing), 0);
    raise(SIGSEGV);
    ASSERT_EQ(newer_calls, 1);
    ASSERT_EQ(older_calls, 1);
    os_fault_handler_remove();
}
