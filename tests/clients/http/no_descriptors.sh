#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a server without a descriptor left says so, and accepts again when it has some.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl
limit=40
start http

# More connections than it can take; the kernel keeps the others for it.
mkfifo "$scratch/end"
"$UNRULY" mute "$address" 100 <"$scratch/end" >"$scratch/mute" &
crowd=$!
exec 3>"$scratch/end"
await grep -qs ready "$scratch/mute"
await grep -qs 'cannot accept for the moment: Too many open files' "$log"

# In the queue behind all of them.
curl -s "http://$address/" >"$scratch/hello" 3>&- &
client=$!
children="$children $crowd $client"
exec 3>&-
ended "$crowd"
ended "$client"
same 'Hello, World!' "$(cat "$scratch/hello")" 'the client that had to wait'
stop
