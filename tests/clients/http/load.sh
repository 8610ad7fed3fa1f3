#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: under load every request is answered, on connections that stay and that do not.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need wrk ab
start http

got=$(wrk -t 1 -c 64 -d 1 "http://$address/")
lacks "$got" 'Socket errors'
lacks "$got" 'Non-2xx'
requests=$(printf '%s\n' "$got" | sed -n 's/^ *\([0-9]*\) requests in .*/\1/p')
[ "${requests:-0}" -gt 100 ] || fail "only ${requests:-no} requests: $got"

# ab speaks HTTP/1.0; with -k connections stay.
head -c 5000 /dev/zero >"$scratch/body"
for options in '-k' '' "-k -p $scratch/body"; do
    path=/
    case $options in *-p*) path=/echo ;; esac
    # shellcheck disable=SC2086
    got=$(ab -q -n 2000 -c 50 $options "http://$address$path" 2>&1)
    has "$got" 'Complete requests:      2000'
    has "$got" 'Failed requests:        0'
    lacks "$got" 'Non-2xx'
    case $options in *-k*) has "$got" 'Keep-Alive requests:    2000' ;; esac
done
stop
