#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: clients that die in the middle of a request leave neither a descriptor nor a
# goroutine behind.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl
start http
same 200 "$(code "http://$address/")" 'before'
await has_descriptors "$(descriptors)"
alone=$(descriptors)

head -c 1000000 /dev/zero >"$scratch/body"
i=0
clients=
while [ "$i" -lt 5 ]; do
    curl -sN "http://$address/stream?lines=1000&ms=10" >"$scratch/stream$i" &
    clients="$clients $!"
    curl -s --limit-rate 10k --data-binary @"$scratch/body" "http://$address/echo" \
        >/dev/null &
    clients="$clients $!"
    printf 'GET / HTTP/1.1\r\nHo' | "$UNRULY" patient "$address" &
    clients="$clients $!"
    i=$((i + 1))
done
children="$children $clients"
await has_descriptors $((alone + 15))
await grep -qs 'line 2' "$scratch/stream4"

# shellcheck disable=SC2086
kill -9 $clients
await has_descriptors "$alone"
same 200 "$(code "http://$address/")" 'afterwards'
stop # which would say so if a goroutine were left
