#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: after SIGTERM the server finishes requests in flight, closes idle connections at
# once, and accepts no new ones.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl
start http -g 20000

# Two in flight, which have seen that they are: a stream, and a sleep behind a response.
curl -sN "http://$address/stream?lines=150&ms=10" >"$scratch/stream" &
stream=$!
{
    get /
    get '/sleep?ms=1000'
} | "$UNRULY" patient "$address" >"$scratch/sleep" &
sleeper=$!
# One that rests, and would for a minute.
get / | "$UNRULY" patient "$address" >"$scratch/rest" &
rest=$!
children="$children $stream $sleeper $rest"
await grep -qs 'line 2' "$scratch/stream"
await grep -qs 'Hello' "$scratch/sleep"
await grep -qs 'Hello' "$scratch/rest"

kill -TERM "$pid"
ended "$rest"
kill -0 "$stream" || fail 'the stream was not waited for'
same 000 "$(code "http://$address/")" 'a new connection'
ended "$sleeper"
has "$(tr -d '\r' <"$scratch/sleep")" 'Connection: close'
ended "$stream"
same 'line 150' "$(tail -n 1 "$scratch/stream")" 'the end of the stream'
ended "$pid"
lacks "$(cat "$server_out")" 'cut off'
