/* SPDX-License-Identifier: MIT */
/* os.h on Linux: memory that is reserved, guarded, populated and released. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/fault.h"
#include "os/os.h"
#include "os/valgrind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Missing from older C library headers. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_GUARD_REMOVE
#define MADV_GUARD_REMOVE 103
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

#define PIDFD_SELF_PROCESS (-10001)

#define MAX_MAPPINGS_DEFAULT 65530

_Static_assert(sizeof(struct os_range) == sizeof(struct iovec),
               "os_range is passed as iovec");
_Static_assert(offsetof(struct os_range, start) == offsetof(struct iovec, iov_base),
               "iovec");
_Static_assert(offsetof(struct os_range, bytes) == offsetof(struct iovec, iov_len),
               "iovec");

/*
 * Locked memory.
 *
 * A program may call mlockall(MCL_FUTURE). From then on the kernel locks each new mapping
 * and populates all of it: a slab of stacks would cost what it reserves and not what it
 * touches. So we map memory without access, which the kernel cannot populate; change the
 * lock to one that holds from the first touch of a page on; and only then allow access.
 * mprotect() populates locked memory too, unless the lock is of that kind.
 *
 * There is no call that reports whether a mapping is locked. But the kernel refuses
 * MADV_DONTNEED for locked memory, and for new memory the advice is harmless.
 *
 * Linux before 4.4 does not lock on touch. There we unlock the mapping: its pages can be
 * swapped out, as if the program had not locked them.
 */

static void lock_on_touch(void *start, size_t bytes) {
    if (madvise(start, bytes, MADV_DONTNEED) == 0 || errno != EINVAL) {
        return; /* not locked */
    }
    /* valgrind 3.19 does not support the call and prints a warning. */
    if (os_fault(OS_FAULT_LOCK) != 0 || os_on_valgrind() ||
        syscall(SYS_mlock2, start, bytes, MLOCK_ONFAULT) != 0) {
        munlock(start, bytes);
    }
}

/* NULL: no memory, no addresses, or more than RLIMIT_MEMLOCK lets the program lock. */
static char *map_untouched(size_t bytes) {
    char *start =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    lock_on_touch(start, bytes);
    if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, bytes);
        return NULL;
    }
    return start;
}

void *os_reserve(size_t bytes, size_t align) {
    OS_KEEP_ERRNO;
    if (os_fault(OS_FAULT_RESERVE) != 0) {
        return NULL;
    }
    size_t slack = align > OS_PAGE_BYTES ? align : 0;
    char *start = map_untouched(bytes + slack);
    if (start == NULL) {
        return NULL;
    }
    if (slack != 0) {
        size_t before = (align - (uintptr_t)start % align) % align;
        if (before > 0) {
            munmap(start, before);
        }
        if (slack > before) {
            munmap(start + before + bytes, slack - before);
        }
        start += before;
    }
    madvise(start, bytes, MADV_NOHUGEPAGE);
    return start;
}

/* The kernel merges adjacent mappings: unmapping the middle of one splits it, which may
   exceed the limit on mappings. Then the addresses are lost, but the memory is freed. */
void os_release(void *start, size_t bytes) {
    OS_KEEP_ERRNO;
    if ((os_fault(OS_FAULT_RELEASE) != 0 || munmap(start, bytes) != 0) &&
        madvise(start, bytes, MADV_DONTNEED) != 0) {
        madvise(start, bytes, MADV_DONTNEED_LOCKED);
    }
}

void os_renew(void *start, size_t bytes) {
    OS_KEEP_ERRNO;
    /* If it fails the old mapping stays, which only a sanitizer can notice. */
    (void)mmap(start, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* One call for all ranges where the kernel accepts PIDFD_SELF_PROCESS (Linux 6.14); it
   saves about half a microsecond per range. A short count means that some range failed:
   the caller then advises them one by one. */
static bool advise_vector(const struct os_range *ranges, int count, int advice) {
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        total += ranges[i].bytes;
    }
    if (os_on_valgrind()) {
        return false; /* valgrind does not support the call and prints a long warning */
    }
    long done =
        syscall(SYS_process_madvise, PIDFD_SELF_PROCESS, ranges, count, advice, 0);
    return done >= 0 && (size_t)done == total;
}

static int advise_range(const struct os_range *range, int advice,
                        enum os_fault_kind kind) {
    int error;
    do {
        error = os_fault(kind);
        if (error == 0 && madvise(range->start, range->bytes, advice) != 0) {
            error = errno;
        }
    } while (error == EINTR || error == EAGAIN);
    return -error;
}

/* On an error, any of the ranges may have been advised. */
static int advise(const struct os_range *ranges, int count, int advice,
                  enum os_fault_kind kind) {
    OS_KEEP_ERRNO;
    if (count > 1 && os_fault(OS_FAULT_VECTOR) == 0) {
        int error = os_fault(kind);
        if (error != 0) {
            return -error;
        }
        if (advise_vector(ranges, count, advice)) {
            return 0;
        }
    }
    int error = 0;
    for (int i = 0; i < count && error == 0; i++) {
        error = advise_range(&ranges[i], advice, kind);
    }
    return error;
}

/* All or none: on an error the caller treats every range as unguarded. Removing a guard
   needs no memory, so it does not fail too. */
int os_guard_install(const struct os_range *ranges, int count) {
    OS_KEEP_ERRNO;
    int error = advise(ranges, count, MADV_GUARD_INSTALL, OS_FAULT_GUARD);
    for (int i = 0; i < count && error != 0; i++) {
        madvise(ranges[i].start, ranges[i].bytes, MADV_GUARD_REMOVE);
    }
    return error;
}

bool os_guard_works(void) {
    OS_KEEP_ERRNO;
    if (os_fault(OS_FAULT_GUARD_PROBE) != 0) {
        return false;
    }
    char *page = mmap(NULL, OS_PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fds[2];
    if (page == MAP_FAILED) {
        return false;
    }
    bool works = false;
    page[0] = 1;
    if (os_fault(OS_FAULT_GUARD_PROBE) == 0 &&
        madvise(page, OS_PAGE_BYTES, MADV_GUARD_INSTALL) == 0 &&
        os_fault(OS_FAULT_GUARD_PROBE) == 0 && pipe2(fds, O_CLOEXEC) == 0) {
        /* The kernel reads the page for us: a guard causes EFAULT instead of a signal. */
        works = write(fds[1], page, 1) < 0 && errno == EFAULT;
        close(fds[0]);
        close(fds[1]);
    }
    munmap(page, OS_PAGE_BYTES);
    return works;
}

int os_protect_none(void *start, size_t bytes) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_PROTECT);
    if (error != 0) {
        return -error;
    }
    return mprotect(start, bytes, PROT_NONE) == 0 ? 0 : -errno;
}

void os_populate(const struct os_range *ranges, int count) {
    advise(ranges, count, MADV_POPULATE_WRITE, OS_FAULT_POPULATE);
}

/* Locked memory needs its own advice (Linux 5.18); older kernels keep its pages. */
void os_discard(const struct os_range *ranges, int count) {
    if (advise(ranges, count, MADV_DONTNEED, OS_FAULT_DISCARD) == -EINVAL) {
        advise(ranges, count, MADV_DONTNEED_LOCKED, OS_FAULT_DISCARD);
    }
}

long os_max_mappings(void) {
    char text[32];
    if (os_read_text("/proc/sys/vm/max_map_count", text, sizeof text) <= 0) {
        return MAX_MAPPINGS_DEFAULT;
    }
    long n = strtol(text, NULL, 10);
    return n > 0 ? n : MAX_MAPPINGS_DEFAULT;
}

size_t os_memory_mapped(void) {
    char text[128];
    if (os_read_text("/proc/self/statm", text, sizeof text) <= 0) {
        return 0;
    }
    return strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE); /* the first: pages */
}
