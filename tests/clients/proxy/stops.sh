#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: at the end of the grace both ends of a connection are closed, in any state.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc

start http
target=$pid
start proxy -g 100 127.0.0.1:0 "$address"
# One that has said all and waits, and one that could say more.
get '/sleep?ms=60000' | raw >"$scratch/said" &
children="$children $!"
get / | "$UNRULY" patient "$address" >"$scratch/open" &
open=$!
children="$children $open"
await grep -qs 'Hello' "$scratch/open"
kill -TERM "$pid"
ended "$open"
ended "$pid"
kill -TERM "$target"
kill -INT "$target"
ended "$target"
