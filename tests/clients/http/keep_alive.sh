#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a connection serves further requests unless its client does not want that.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl nc
start http

connects=$(curl -s -w ' %{num_connects}' "http://$address/" "http://$address/echo" \
    "http://$address/nowhere" | tr '\n' ' ')
has "$connects" 'Hello, World!  1'
has "$connects" 'Not Allowed  0'
has "$connects" 'Not Found  0'

lacks "$(curl -si "http://$address/")" 'Connection:'
has "$(curl -si -H 'Connection: close' "http://$address/")" 'Connection: close'
has "$(curl -si0 "http://$address/")" 'Connection: close'
has "$(curl -si0 -H 'Connection: keep-alive' "http://$address/")" 'Connection: keep-alive'

# What follows a last request is not answered.
request='GET / HTTP/1.1\r\nHost: a\r\n'
# shellcheck disable=SC2059
answers=$(printf "$request\r\n${request}Connection: close\r\n\r\n$request\r\n" | raw |
    grep -c '^HTTP/1.1 200 OK')
same 2 "$answers" 'responses'
stop
