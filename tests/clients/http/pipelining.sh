#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: requests that come without waiting for responses are all answered, in their
# order.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
start http

i=0
while [ "$i" -lt 300 ]; do
    printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n%07d\n' "$i"
    printf '%07d\n' "$i" >&3
    i=$((i + 1))
done >"$scratch/requests" 3>"$scratch/wanted"
raw <"$scratch/requests" | grep '^[0-9]' >"$scratch/got"
cmp "$scratch/wanted" "$scratch/got" || fail 'the responses are not those to the requests'

# A response does not wait for the next one, which takes its time.
{
    get /
    get '/sleep?ms=60000'
} | nc -N "$host" "$port" >"$scratch/first" &
children="$children $!"
await grep -qs 'Hello, World!' "$scratch/first"
kill -TERM "$pid"
kill -INT "$pid" # the second signal cuts short what sleeps
ended "$pid"
