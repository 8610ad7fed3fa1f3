#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: the response that ends a connection arrives, though the client has sent more
# than was read of it, and still has to take what was answered before.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
start http

got=$({
    printf 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n%040000d' 0
    printf 'nonsense\r\n\r\n%024000d' 0
} | "$UNRULY" patient "$address")
has "$got" 'HTTP/1.1 200 OK'
has "$got" 'HTTP/1.1 400 Bad Request'
stop
