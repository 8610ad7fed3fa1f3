#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests count_walks.sh: each walk is made, comes by its stations, and is printed.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)

if ! command -v gcc >/dev/null || ! command -v addr2line >/dev/null; then
    echo "there is no gcc or no addr2line"
    exit 77
fi
output=$("$scripts/count_walks.sh" -v)
for line in 'spawn -> steal -> run: ' 'a socket read that waits: ' 'a blocking call: ' \
    '  tuco_go  ' '  rt_runq_grab  ' '  run_from  ' \
    '  tuco_fd_read  ' '  rt_netpoll_sleep  ' '  rt_fd_unuse  ' \
    '  tuco_blocking_enter  ' '  rt_retake_look  ' '  tuco_blocking_exit  '; do
    if ! printf '%s\n' "$output" | grep -qF -- "$line"; then
        echo "count_walks.sh did not print '$line'; it printed:"
        printf '%s\n' "$output"
        exit 1
    fi
done
