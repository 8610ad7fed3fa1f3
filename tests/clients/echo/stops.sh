#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: after SIGTERM the server accepts no connection; those that exist may end within
# the grace period, and are closed then.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc

connect() {
    mkfifo "$scratch/words$1"
    nc -N "$host" "$port" <"$scratch/words$1" >"$scratch/echo$1" &
    client=$!
    children="$children $client"
}

start echo -g 60000
connect 1
exec 3>"$scratch/words1"
echo before >&3
await grep -qs before "$scratch/echo1"
kill -TERM "$pid"
until_refused() {
    ! nc -z "$host" "$port"
}
await until_refused
echo after >&3
await grep -qs after "$scratch/echo1"
exec 3>&-
ended "$client"
ended "$pid"
lacks "$(cat "$server_out")" 'cut off'

start echo -g 100
connect 2
exec 3>"$scratch/words2"
echo before >&3
await grep -qs before "$scratch/echo2"
kill -INT "$pid"
ended "$pid"
has "$(cat "$server_out")" 'connections cut off: 1'
