#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: the store keeps what many clients set, and tells what is wrong with a line.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
path=$scratch/socket
start unix "$path"

ask() {
    nc -NU "$path" | tr '\n' '|'
}

got=$(printf 'set sky blue and wide\nget sky\nset sky grey\nget sky\n' | ask)
same 'ok|blue and wide|ok|grey|' "$got" 'one client'
got=$(printf 'get sky\ncount\ndelete sky\nget sky\ndelete sky\ncount\n' | ask)
same 'grey|1|ok|error: no such key|error: no such key|0|' "$got" 'the next'

i=0
clients=
while [ "$i" -lt 20 ]; do
    awk -v i="$i" 'BEGIN { while (n++ < 50) print "set key" i "-" n " value" n }' |
        nc -NU "$path" >"$scratch/answers$i" &
    clients="$clients $!"
    i=$((i + 1))
done
for client in $clients; do
    ended "$client"
done
same '1000|value50|' "$(printf 'count\nget key7-50\n' | ask)" 'after all'

got=$(printf 'sing\n\n' | ask)
same 'error: no such command|error: no such command|' "$got" 'commands'
for line in get set 'set key' "get $(printf '%064d' 0)" "set key $(printf '%01024d' 0)" \
    'get a b' 'count all'; do
    has "$(printf '%s\n' "$line" | ask)" 'error: '
done
# A line without end is the end.
same '' "$(head -c 5000 /dev/zero | tr '\0' x | nc -NU "$path")" 'a line without end'
same 'ok|' "$(printf 'set key %01023d\n' 0 | ask)" 'the longest value'
stop
