#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: the server closes a connection that has not ended within the grace period, or at
# the second signal, whatever it waits for.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"

# begin GRACE: three clients, of which one waits, one is slow to send, and one is deaf:
# that one may not have begun yet when the other two have.
begin() {
    start http -g "$1"
    {
        get /
        get '/sleep?ms=60000'
    } | "$UNRULY" patient "$address" >"$scratch/sleep" &
    children="$children $!"
    {
        get /
        printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf'
    } | "$UNRULY" patient "$address" >"$scratch/half" &
    children="$children $!"
    printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n%060000d' 0 |
        "$UNRULY" deaf "$address" >"$scratch/deaf" &
    children="$children $!"
    await grep -qs 'Hello' "$scratch/sleep"
    await grep -qs 'Hello' "$scratch/half"
}

begin 100
kill -TERM "$pid"
ended "$pid"
grep -q 'connections cut off: [23]' "$server_out" || fail "cut off: $(cat "$server_out")"

begin 60000
before=$(date +%s)
kill -TERM "$pid"
kill -INT "$pid"
ended "$pid"
[ $(($(date +%s) - before)) -lt 30 ] || fail 'the second signal was not heard'
