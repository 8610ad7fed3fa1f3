/* SPDX-License-Identifier: MIT */
/* The kernel behind os.h: memory that is reserved, guarded, filled and given back. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/fault.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Newer than the C library's headers. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_GUARD_REMOVE
#define MADV_GUARD_REMOVE 103
#endif

#define PIDFD_SELF_PROCESS (-10001)

#define MAX_MAPPINGS_DEFAULT 65530

_Static_assert(sizeof(struct os_range) == sizeof(struct iovec),
               "os_range is passed as iovec");
_Static_assert(offsetof(struct os_range, start) == offsetof(struct iovec, iov_base),
               "iovec");
_Static_assert(offsetof(struct os_range, bytes) == offsetof(struct iovec, iov_len),
               "iovec");

void *os_reserve(size_t bytes, size_t align) {
    OS_KEEP_ERRNO;
    if (os_fault(OS_FAULT_RESERVE) != 0) {
        return NULL;
    }
    size_t slack = align > OS_PAGE_BYTES ? align : 0;
    char *start = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
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

/* The kernel merges mappings that touch: giving back one from the middle leaves two, for
   which there may be no room. The addresses are lost then, but the memory is not. */
void os_release(void *start, size_t bytes) {
    OS_KEEP_ERRNO;
    if (os_fault(OS_FAULT_RELEASE) != 0 || munmap(start, bytes) != 0) {
        madvise(start, bytes, MADV_DONTNEED);
    }
}

/* One call for all ranges where the kernel lets a process advise itself and has a name for
   it that is not a descriptor (Linux 6.14), else one call each. The vector form saves about
   half a microsecond a range. A short count means that a range in the middle failed: the
   caller starts again, one by one. */
static bool advise_vector(const struct os_range *ranges, int count, int advice) {
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        total += ranges[i].bytes;
    }
    long done =
        syscall(SYS_process_madvise, PIDFD_SELF_PROCESS, ranges, count, advice, 0);
    return done >= 0 && (size_t)done == total;
}

static int advise_range(const struct os_range *range, int advice,
                        enum os_fault_kind kind) {
    int error = os_fault(kind);
    if (error != 0) {
        return -error;
    }
    int r;
    do {
        r = madvise(range->start, range->bytes, advice);
    } while (r != 0 && (errno == EINTR || errno == EAGAIN));
    return r != 0 ? -errno : 0;
}

/* After an error, any of the ranges may have been advised. */
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

/* All or none: the caller goes on without guards in what it takes to have none. Taking
   one away needs no memory, so that it does not fail as well. */
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
        /* The kernel reads the page for us: a guard shows as EFAULT instead of as a
           signal. */
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

void os_discard(const struct os_range *ranges, int count) {
    advise(ranges, count, MADV_DONTNEED, OS_FAULT_DISCARD);
}

long os_max_mappings(void) {
    char text[32];
    if (os_read_text("/proc/sys/vm/max_map_count", text, sizeof text) <= 0) {
        return MAX_MAPPINGS_DEFAULT;
    }
    long n = strtol(text, NULL, 10);
    return n > 0 ? n : MAX_MAPPINGS_DEFAULT;
}
