#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel has one door: only src/os includes its headers, calls it and touches errno.
# The simulated build replaces src/os, and finds nothing that goes around it.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

# Only names that a runtime would not give to a function of its own. Calls such as read()
# need a header that is not allowed, and the compiler rejects them without it.
code src | awk '
BEGIN {
    headers = "<((sys|linux|asm|netinet|arpa|net)/[a-z_0-9/]+|" \
        "unistd|pthread|signal|sched|time|fcntl|poll|semaphore|" \
        "threads|spawn|ucontext|netdb)\\.h>"
    calls = "(futex|mmap|munmap|mprotect|madvise|process_madvise|mremap|mincore|" \
        "membarrier|syscall|clone3?|fork|vfork|prctl|arch_prctl|rseq|" \
        "getrlimit|setrlimit|sysconf|" \
        "pthread_[a-z_]+|thrd_[a-z_]+|sem_[a-z]+|sched_[a-z]+|" \
        "sig(action|altstack|procmask|emptyset|fillset|addset|delset|ismember|suspend)|" \
        "sigtimedwait|sigwaitinfo|t?gkill|gettid|getpid|getcpu|_exit|" \
        "epoll_[a-z0-9_]+|eventfd|timerfd_[a-z]+|io_uring_[a-z_]+|" \
        "clock_[a-z]+|nanosleep|usleep|gettimeofday)[ \t]*\\("
    numbers = "(SYS|__NR)_[a-z0-9_]+"
    before = "(^|[^A-Za-z0-9_.>])"
}
{
    file = $0
    sub(/:.*/, "", file)
    text = $0
    sub(/^[^:]*:[^:]*:/, "", text)
}
file ~ /^src\/os\// {
    next
}
text ~ /^[ \t]*#[ \t]*include/ {
    if (text ~ headers) {
        print $0 "    [a header of src/os only]"
    }
    next
}
text ~ before calls || text ~ before numbers {
    print $0 "    [call it in src/os]"
}
text ~ /(^|[^A-Za-z0-9_.>])errno([^A-Za-z0-9_]|$)/ {
    print $0 "    [errno is read and written in src/os]"
}' | finish
