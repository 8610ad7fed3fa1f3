#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: what is sent comes back, to many clients at the same time.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
start echo

head -c 300000 /dev/urandom >"$scratch/text"
i=0
clients=
while [ "$i" -lt 10 ]; do
    nc -N "$host" "$port" <"$scratch/text" >"$scratch/back$i" &
    clients="$clients $!"
    i=$((i + 1))
done
for client in $clients; do
    ended "$client"
done
for back in "$scratch"/back*; do
    cmp "$scratch/text" "$back" || fail "$back differs"
done
stop
