#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a client has a time for the head, one for the body, one for taking what is sent
# and one between requests, however it divides them.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
start http -i 500 -h 500 -b 500 -w 500

# Each byte comes in time, all of them do not.
has "$(printf 'GET / HTTP/1.1\r\nHost: a\r\nX: %0100d' 0 |
    "$UNRULY" trickle "$address" 20)" 'HTTP/1.1 408 Request Timeout'
has "$(printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n%01000d' 0 |
    "$UNRULY" trickle "$address" 2)" 'HTTP/1.1 408 Request Timeout'
printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n%060000d' 0 \
    >"$scratch/request"
same 'given up' "$("$UNRULY" deaf "$address" <"$scratch/request")" 'a client that is deaf'

# One that says nothing gets no answer; nor does one that rests after a request.
same '' "$("$UNRULY" patient "$address" </dev/null)" 'an idle client'
got=$(get / | "$UNRULY" patient "$address")
has "$got" 'HTTP/1.1 200 OK'
lacks "$got" '408'
stop
