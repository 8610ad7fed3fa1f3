/* SPDX-License-Identifier: MIT */
/* Proves: a reservation costs only its touched pages, even if the program locks its
   memory; locked memory is freed; a refused reservation leaves nothing behind. */
/* not under qemu */
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define BYTES     ((size_t)64 << 20)
#define FEW_KIB   1024L
#define TEN_PAGES (10 * OS_PAGE_BYTES)

static void lock_memory(void) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        SKIP("mlockall is refused here.");
    }
}

/* The kernel refuses this advice for locked memory only. */
static bool is_locked(void *page) {
    return madvise(page, OS_PAGE_BYTES, MADV_DONTNEED) != 0 && errno == EINVAL;
}

/* Reserves memory, which must cost only its touched pages. */
static char *reserve_and_touch(void) {
    long before = test_resident_kib();
    char *memory = os_reserve(BYTES, OS_PAGE_BYTES);
    ASSERT(memory != NULL);
    memset(memory, 1, TEN_PAGES);
    ASSERT_LT(test_resident_kib() - before, FEW_KIB);
    return memory;
}

TEST(locked_reservation_costs_what_is_touched) {
    lock_memory();
    char *memory = reserve_and_touch();
    ASSERT(TEST_SANITIZED || is_locked(memory)); // a sanitizer ignores mlockall
    os_release(memory, BYTES);
}

TEST(old_kernel_unlocks_reservation) {
    lock_memory();
    test_fault_plan(OS_FAULT_LOCK, 1, TEST_FAULT_ALWAYS, ENOSYS);
    char *memory = reserve_and_touch();
    ASSERT(!is_locked(memory));
    os_release(memory, BYTES);
}

TEST(locked_memory_is_discarded) {
    lock_memory();
    char *memory = reserve_and_touch();
    if (madvise(memory + TEN_PAGES, OS_PAGE_BYTES, MADV_DONTNEED_LOCKED) != 0) {
        SKIP("The kernel does not discard locked memory.");
    }
    struct os_range halves[] = {{memory, TEN_PAGES / 2},
                                {memory + TEN_PAGES / 2, TEN_PAGES / 2}};
    os_discard(halves, 2);
    for (size_t i = 0; i < TEN_PAGES; i++) {
        ASSERT_EQ(memory[i], 0);
    }
    os_release(memory, BYTES);
}

/* The limit is on writable memory, so that the second call in os_reserve() fails. */
TEST(refused_reservation_is_undone) {
    struct rlimit limit;
    if (TEST_SANITIZED) {
        SKIP("The limit refuses memory to the sanitizer, too.");
    }
    ASSERT_EQ(getrlimit(RLIMIT_DATA, &limit), 0);
    struct rlimit small = {.rlim_cur = BYTES / 2, .rlim_max = limit.rlim_max};
    int before = test_count_mappings();
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &small), 0);
    void *memory = os_reserve(BYTES, OS_PAGE_BYTES);
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
    ASSERT(memory == NULL);
    ASSERT_EQ(test_count_mappings(), before);
}

TEST(locked_memory_is_freed_where_it_cannot_be_unmapped) {
    char *start = os_reserve(TEN_PAGES, OS_PAGE_BYTES);
    ASSERT(start != NULL);
    if (mlock(start, TEN_PAGES) != 0) {
        SKIP("mlock is refused here.");
    }
    memset(start, 1, TEN_PAGES);
    if (!is_locked(start)) {
        SKIP("the kernel does not lock here.");
    }
    test_fault_plan(OS_FAULT_RELEASE, 1, 1, ENOMEM);
    os_release(start, TEN_PAGES);
    test_fault_clear();
    for (size_t i = 0; i < TEN_PAGES; i += OS_PAGE_BYTES) {
        ASSERT_EQ(start[i], 0);
    }
    ASSERT_EQ(munmap(start, TEN_PAGES), 0);
}
