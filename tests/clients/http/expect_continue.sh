#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a client that asks first is told to go on, or why not, before it sends its body.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl
start http

# A client that would not send its body for 100 seconds without being told to.
ask() {
    curl -si --max-time 120 --expect100-timeout 100 -H 'Expect: 100-continue' "$@" |
        tr -d '\r'
}

before=$(date +%s)
got=$(ask --data hello "http://$address/echo")
has "$got" 'HTTP/1.1 100 Continue'
has "$got" 'hello'

head -c 2000000 /dev/zero >"$scratch/large"
got=$(ask --data-binary @"$scratch/large" "http://$address/echo")
has "$got" 'HTTP/1.1 413 Payload Too Large'
lacks "$got" '100 Continue'
got=$(ask --data hello "http://$address/nowhere")
has "$got" 'HTTP/1.1 404 Not Found'
lacks "$got" '100 Continue'
[ $(($(date +%s) - before)) -lt 90 ] || fail 'a client was not told in time'
stop
