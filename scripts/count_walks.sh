#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the functions and files that a goroutine passes on three ways through the runtime.
set -eu

usage() {
    cat <<'END'
usage: scripts/count_walks.sh [-v] [spawn | read | block]...

Builds the library in build/walks with -finstrument-functions and makes each walk 25 times.
Of the walks that came by all stations, prints the way that most took: its functions in
their order, and its files.

    spawn    tuco_go, until the goroutine begins on another P, which has stolen it
    read     tuco_fd_read of a socket that has nothing yet, until it returns
    block    tuco_blocking_enter to tuco_blocking_exit, with the P retaken and given away

On the way are the functions on the stack at the stations at the end of this script: where
the goroutine, the P or the bytes change hands, and some steps between. The walks of
ARCHITECTURE.md name more: ways that these walks do not take, and sources of work that had
none. In block, the M that gets the P is followed until it has it. Files of base, os, arch,
cpu, mem and debug are counted apart, and so are g.h, m.h, p.h and sched.h: the structs, with
short functions that change their fields. rt_acquirep(), which gives an M its P, stands in
p.h, so the goals leave that file out. -v lists also what ran beside the way: sources of work
that had none, accessors, and what other threads did. Inlined functions count; macros and the
headers of src/arch do not. The status is 0 even if a goal is not reached, and 1 if no walk
came by all stations. Needs gcc.
END
}

verbose=0
walks=
for word in "$@"; do
    case $word in
    -v) verbose=1 ;;
    spawn | read | block) walks="$walks $word" ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$scripts")
build=$root/build/walks

# DWARF 4: of version 5 some addr2line name the source that includes a header, not the header.
flags='-O0 -gdwarf-4 -finstrument-functions -finstrument-functions-exclude-file-list=src/arch/'
mkdir -p "$build"
if ! {
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS_DEBUG="$flags" -DTUCO_TESTS=OFF \
        -DTUCO_BENCH=OFF -DTUCO_EXAMPLES=OFF -DTUCO_INSTALL=OFF &&
        cmake --build "$build" --target tuco_static &&
        gcc -std=gnu11 -Wall -Wextra -O1 -g -no-pie -fno-omit-frame-pointer \
            -I "$root/include" "$scripts/count_walks.c" "$build/libtuco.a" -pthread -ldl \
            -o "$build/count_walks"
} >"$build/log" 2>&1; then
    cat "$build/log" >&2
    exit 1
fi

# Makes the walk $1 with $2 Ps and prints it, with the title $3, the goal $4 and the
# stations after that.
count() {
    walk=$1
    procs=$2
    title=$3
    goal=$4
    shift 4
    case " ${walks:-$walk} " in
    *" $walk "*) ;;
    *) return 0 ;;
    esac
    TUCOPROCS=$procs "$build/count_walks" "$walk" >"$build/$walk.log"
    cut -d ' ' -f 3- "$build/$walk.log" | tr ' ' '\n' | sort -u | grep -v '^0$' |
        addr2line -a -f -i -e "$build/count_walks" >"$build/$walk.names"
    awk -v title="$title" -v goal="$goal" -v stations="$*" -v verbose="$verbose" \
        -f "$scripts/count_walks.awk" "$build/$walk.names" "$build/$walk.log"
}

count spawn 2 'spawn -> steal -> run' 12 \
    rt_m_enter rt_gpool_get rt_runq_put os_futex_wake os_futex_wait:X \
    rt_steal_victim rt_runq_grab rt_resetspinning rt_stack_get switch_context
count read 1 'a socket read that waits' 9 \
    rt_fd_use rt_fdmutex_take rt_polldesc_begin os_fd_read be_watched announce \
    commit_pollwait os_poll_wait:X notify rt_runq_put_runnext switch_context outcome \
    rt_fdmutex_pass rt_fd_unuse
count block 1 'a blocking call' 8 \
    tuco_blocking_enter os_fence_all_threads@ take_claimed@ rt_note_wake@ os_futex_wait:X \
    tuco_blocking_exit rt_pidleget rt_acquirep
