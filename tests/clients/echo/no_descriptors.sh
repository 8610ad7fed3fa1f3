#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: the server serves its connections while there is no descriptor for new ones.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
limit=40
start echo

mkfifo "$scratch/words" "$scratch/end"
nc -N "$host" "$port" <"$scratch/words" >"$scratch/echo" &
client=$!
exec 4>"$scratch/words"
echo first >&4
await grep -qs first "$scratch/echo"

"$UNRULY" mute "$address" 100 <"$scratch/end" >"$scratch/mute" 4>&- &
crowd=$!
children="$children $client $crowd"
exec 3>"$scratch/end"
await grep -qs 'cannot accept for the moment' "$log"
echo second >&4
await grep -qs second "$scratch/echo"

exec 3>&-
ended "$crowd"
same third "$(echo third | raw)" 'a client afterwards'
exec 4>&-
ended "$client"
stop
