#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: through a proxy everything arrives, the end of one direction before that of the
# other, and a slow reader slows the writer down.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc curl wrk

start http
behind=$address
start proxy 127.0.0.1:0 "$behind"
alone=$(descriptors)

# nc ends its direction before the server has answered.
got=$(get '/sleep?ms=50' | raw)
has "$got" 'HTTP/1.1 200 OK'
head -c 1000000 /dev/urandom >"$scratch/body"
curl -s --data-binary @"$scratch/body" "http://$address/echo" >"$scratch/echo"
cmp "$scratch/body" "$scratch/echo" || fail 'a body differs'
lacks "$(wrk -t 1 -c 16 -d 1 "http://$address/")" 'Socket errors'

# A server that ends is passed on to the client.
got=$(printf 'nonsense\r\n\r\n' | "$UNRULY" patient "$address")
has "$got" 'HTTP/1.1 400 Bad Request'
await has_descriptors "$alone"
stop
