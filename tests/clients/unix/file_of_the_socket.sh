#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: the file of a server that was killed is replaced, that of one that runs is not,
# and an orderly end leaves none.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
path=$scratch/socket

start unix "$path"
kill -9 "$pid"
wait "$pid" || true
[ -S "$path" ] || fail 'there is no file'

start unix "$path"
same ok "$(echo 'set a b' | nc -NU "$path")" 'the successor'
status=0
"$EXAMPLES/unix" "$path" 2>"$scratch/second.err" || status=$?
same 1 "$status" 'the status of a second server'
has "$(cat "$scratch/second.err")" "$path: Address already in use"
same b "$(echo 'get a' | nc -NU "$path")" 'the first afterwards'
stop
[ ! -e "$path" ] || fail 'the file was left'
