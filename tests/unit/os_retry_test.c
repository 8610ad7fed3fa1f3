/* SPDX-License-Identifier: MIT */
/* Proves: a write or a madvise that a signal interrupts is repeated. */
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PAGES 4
#define BYTES (PAGES * OS_PAGE_BYTES)

TEST(write_is_made_again) {
    static const char text[] = "all of it";
    char seen[2 * sizeof text];
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    test_fault_plan(OS_FAULT_WRITE, 1, 2, EINTR);
    os_write(fds[1], text, sizeof text);
    ASSERT_EQ(test_fault_calls(OS_FAULT_WRITE), 3);
    test_fault_clear();
    ASSERT_EQ(read(fds[0], seen, sizeof seen), sizeof text);
    ASSERT_STR(seen, text);
    close(fds[0]);
    close(fds[1]);
}

/* Discarded pages read as zero. */
static void expect_discarded(int error) {
    char *memory = os_reserve(BYTES, OS_PAGE_BYTES);
    ASSERT(memory != NULL);
    memset(memory, 1, BYTES);
    struct os_range range = {memory, BYTES};
    test_fault_plan(OS_FAULT_DISCARD, 1, 2, error);
    os_discard(&range, 1);
    ASSERT_EQ(test_fault_calls(OS_FAULT_DISCARD), 3);
    test_fault_clear();
    for (size_t i = 0; i < BYTES; i += OS_PAGE_BYTES) {
        ASSERT_EQ(memory[i], 0);
    }
    os_release(memory, BYTES);
}

TEST(advice_is_given_again) {
    expect_discarded(EINTR);
    expect_discarded(EAGAIN);
}
