#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a datagram is answered, and a client without a server is told.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc

start udp serve 127.0.0.1:0
today=$(date -u +%Y-)
has "$("$EXAMPLES/udp" ask "$address")" "$today"
has "$(printf 'any text' | nc -u -W 1 -w 10 "$host" "$port")" "any text $today"
kill -TERM "$pid"
ended "$pid"

status=0
"$EXAMPLES/udp" ask "$address" 2>"$scratch/client.err" || status=$?
same 1 "$status" 'the status of a client without a server'
has "$(cat "$scratch/client.err")" 'Connection refused'
