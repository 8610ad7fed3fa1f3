#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a client is let go if the target refuses it, and served when there is one again.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc

start echo
target=$address
same hello "$(echo hello | raw)" 'the target itself'
stop
start proxy 127.0.0.1:0 "$target"
alone=$(descriptors)
same '' "$("$UNRULY" patient "$address" </dev/null)" 'a client without a target'
has "$(cat "$log")" "$target: Connection refused"
await has_descriptors "$alone"

proxy=$pid
proxy_out=$server_out
client_host=$host
client_port=$port
start echo "$target"
same hello "$(echo hello | nc -N "$client_host" "$client_port")" 'a client with a target'
stop
pid=$proxy
server_out=$proxy_out
stop
