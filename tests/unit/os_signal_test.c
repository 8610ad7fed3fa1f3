/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's alternate signal stack exists between install and remove; an
   alternate stack of the program stays in use, whether it is older or newer. */
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
