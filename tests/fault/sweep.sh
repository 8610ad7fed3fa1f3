#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs again and again, each time with another of the runtime's calls to the
# kernel, or allocations, failing.
#
#     sweep.sh MILLISECONDS PROGRAM...
#
# Each test is first run to count its calls of each kind of src/os/faults.def, and then
# for so many milliseconds with one of them failing: first the first call of each kind and
# what a kernel may lack altogether, then the others: every call up to the DENSE-th, from
# there in growing steps. The order is drawn from a seed, so that many runs of the sweep
# come to all of them. SWEEP_SEED repeats an order, SWEEP_WITHOUT names kinds to leave
# out; with 0 milliseconds all are tried.
#
# Good is a test that passes, or that ends because a public function returned -ENOMEM or
# -EAGAIN; -EPERM where a sandbox keeps signals from being handled. Bad is all else: a
# signal, a hang, a report of the runtime or of a sanitizer, something not given back, a
# result that is wrong in silence.
set -eu

DENSE=12

# Kinds that a kernel, an emulator or a sandbox may refuse for ever. What is refused for a
# lack of memory is not among them: without memory, waiting for it is all there is to do.
# Nor is a futex that never sleeps: every thread that waits then turns in its loop, and on
# few CPUs that is no test of anything but patience.
lacking='THREAD_STACK THREAD_CPU CPU_CURRENT CPU_COUNT FENCE_REGISTER GUARD_PROBE GUARD
PROTECT POPULATE DISCARD VECTOR READ'

# KIND program: reason. The fault takes away the very thing that the test looks at.
exceptions='
CPU_COUNT cpus: it compares the number with the mask that cannot be had
ALLOC lists_every_goroutine: its child does not say what tuco_run() returned
FORK_WATCH lists_every_goroutine: likewise
HANDLER lists_every_goroutine: likewise
RESERVE lists_every_goroutine: likewise
SIGNAL_STACK lists_every_goroutine: likewise
THREAD lists_every_goroutine: likewise
ALLOC main_blocks: its child does not say what tuco_run() returned
FORK_WATCH main_blocks: likewise
HANDLER main_blocks: likewise
RESERVE main_blocks: likewise
SIGNAL_STACK main_blocks: likewise
THREAD main_blocks: likewise
CPU_COUNT auto_follows_again: its machine has the CPUs that it says, and they cannot be told
CPU_COUNT default_is_the_least: likewise
CPU_COUNT explicit_stays: likewise
CPU_COUNT follows_affinity: likewise
CPU_COUNT follows_quota: likewise
CPU_COUNT settings_beat_quota: likewise
CPU_COUNT wrong_files: likewise
CPU_COUNT real_control_group: likewise
CPU_COUNT follows_real_mask: it changes the mask that cannot be had
READ auto_follows_again: it is about what is read
READ default_is_the_least: likewise
READ explicit_stays: likewise
READ follows_affinity: likewise
READ follows_quota: likewise
READ settings_beat_quota: likewise
READ wrong_files: likewise
READ real_control_group: likewise
ALLOC auto_follows_again: without memory to read the quota with, there is none at the start
ALLOC default_is_the_least: likewise
ALLOC explicit_stays: likewise
ALLOC follows_affinity: likewise
ALLOC follows_quota: likewise
ALLOC settings_beat_quota: likewise
ALLOC wrong_files: likewise
ALLOC real_control_group: likewise
READ blocks_on_its_thread: whether a thread sleeps cannot be told
READ contended_lock_frees_processor: likewise
READ errno_survives_block: likewise
READ many_blocked: likewise
READ returns_to_busy_processors: likewise
READ sleep_is_slept_in_full: likewise
READ unannounced_block_frees_processor: likewise
THREAD_CPU unannounced_block_frees_processor: likewise, and a signal ends its poll()
READ hog_holds_pthread_mutex: likewise
READ the_runtime_never_waits_for_the_heap: likewise
READ own_signals_restart_calls: likewise
LOCK locked_stacks_cost_what_they_touch: it requires that memory is locked
SOCKET_FILE close_frees_the_address: it cannot be told which file it is, and so it stays
SOCKET_FILE listen_again: likewise
SOCKET_FILE listen_at_relative_path: likewise
SOCKET_FILE listen_every_network: likewise
SOCKET_NAME dial_beside_deaf_address: only the deaf address is left, until the deadline
FD_READY wait_for_what_cannot_be_watched: it cannot be told what kind of file it is
FD_WATCHER wait_for_what_cannot_be_watched: likewise
'

if [ $# -lt 2 ]; then
    echo "usage: sweep.sh MILLISECONDS PROGRAM..." >&2
    exit 2
fi
share_ms=$1
shift
seed=${SWEEP_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
export TUCO_TEST_TIMEOUT="${TUCO_TEST_TIMEOUT:-0.25}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work" # for what a run that fails leaves behind
tests=0 runs=0 passed=0 reported=0 missed=0 left_out=0 bad=0

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

# One run of $program $test with the fault $1; its output is in $work/out.
run() {
    status=0
    TEST_FAULT=$1 "$program" --seconds 1 "$test" >"$work/out" 2>&1 || status=$?
}

# Writes the faults to be tried, one a line, from the counts in $work/counts. Not FREE,
# which cannot fail, and not WRITE, which loses what the tests read: for that there is
# report_is_not_heard.c.
plan() {
    awk -v seed="$((seed + tests))" -v dense="$DENSE" -v lacking="$lacking" \
        -v without="FREE WRITE ${SWEEP_WITHOUT:-}" '
    BEGIN {
        srand(seed)
        n = split(lacking, list, /[ \n]+/)
        for (i = 1; i <= n; i++) {
            forever[list[i]] = 1
        }
        n = split(without, list, / +/)
        for (i = 1; i <= n; i++) {
            omitted[list[i]] = 1
        }
    }
    /^fault / {
        sub(/:/, "", $2)
        if ($2 in omitted) {
            next
        }
        print rand() " " $2 ":1"
        if ($2 in forever) {
            print rand() " " $2 ":1:0"
        }
        for (call = 2; call <= $3; call += call < dense ? 1 : int(call / 4)) {
            print 1 + rand() " " $2 ":" call
        }
    }' "$work/counts" | sort -k1,1n | cut -d' ' -f2
}

excepted() {
    case $exceptions in
    *"
${1%%:*} ${program##*/}:"*) return 0 ;;
    esac
    return 1
}

# Says in one word what the run with the fault $1 came to.
judge() {
    errors='11|12'
    case $1 in
    HANDLER:*) errors=1 ;;
    POLL_MAKE:*) errors='11|12|24' ;;
    esac
    if [ $status -eq 0 ] || [ $status -eq 77 ]; then
        if grep -q "^fault ${1%%:*}: .* 0 failed" "$work/out"; then
            echo missed
        else
            echo passed
        fi
    elif [ $status -eq 1 ] && grep -q "^FAIL $test .*: exit status 1$" "$work/out" &&
        grep -qE "(left|returned) -($errors)([^0-9]|$)" "$work/out" &&
        ! grep -qE "^(==[0-9]+==|fatal error:|panic:)|runtime error:" "$work/out"; then
        echo reported
    else
        echo bad
    fi
}

try() {
    run "$1"
    runs=$((runs + 1))
    case $(judge "$1") in
    passed) passed=$((passed + 1)) ;;
    reported) reported=$((reported + 1)) ;;
    missed) missed=$((missed + 1)) ;;
    bad)
        bad=$((bad + 1))
        echo "BAD: TEST_FAULT=$1 $program --seconds 1 $test"
        sed 's/^/    /' "$work/out"
        ;;
    esac
}

sweep_test() {
    tests=$((tests + 1))
    run ALLOC:0
    cp "$work/out" "$work/counts"
    if [ $status -ne 0 ] && [ $status -ne 77 ]; then
        bad=$((bad + 1))
        echo "BAD: $program $test fails without any fault"
        sed 's/^/    /' "$work/out"
        return
    fi
    plan >"$work/plan"
    begin=$(now_ms)
    left_out=$((left_out + $(wc -l <"$work/plan")))
    while read -r fault; do
        if [ "$share_ms" -gt 0 ] && [ $(($(now_ms) - begin)) -ge "$share_ms" ]; then
            return
        fi
        if ! excepted "$fault"; then
            try "$fault"
            left_out=$((left_out - 1))
        fi
    done <"$work/plan"
}

for program in "$@"; do
    "$program" --list >"$work/list"
    while read -r test; do
        sweep_test
    done <"$work/list"
done
echo "seed $seed: $# programs, $tests tests, $runs runs: $passed passed on," \
    "$reported reported an error, $missed not reached, $bad bad; $left_out left out"
[ $bad -eq 0 ]
