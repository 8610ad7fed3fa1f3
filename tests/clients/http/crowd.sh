#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: ten thousand connections can be there, idle or not, and others are served
# meanwhile; when the server is to end they do not hold it up.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl wrk
# shellcheck disable=SC3045
if [ "$(ulimit -Hn)" != unlimited ] && [ "$(ulimit -Hn)" -lt $((CROWD_SIZE + 100)) ]; then
    echo "the limit of descriptors, $(ulimit -Hn), is too low for $CROWD_SIZE connections"
    exit 77
fi
start http
alone=$(descriptors)

mkfifo "$scratch/orders"
"$UNRULY" crowd "$address" "$CROWD_SIZE" <"$scratch/orders" >"$scratch/crowd" &
crowd=$!
children="$children $crowd"
exec 3>"$scratch/orders"
await grep -qs ready "$scratch/crowd"
await has_descriptors $((alone + CROWD_SIZE))

same 'Hello, World!' "$(curl -s "http://$address/")" 'a client beside the crowd'
echo >&3
got=$(wrk -t 1 -c 16 -d 1 "http://$address/")
lacks "$got" 'Socket errors'
lacks "$got" 'Non-2xx'
await grep -qs served "$scratch/crowd"

stop # while all of them rest
exec 3>&-
ended "$crowd"
