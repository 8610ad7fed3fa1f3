#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: what is no request, or one that could be read in two ways, is refused, and ends
# the connection and nothing else.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl nc
start http

# refused STATUS REQUEST: as printf writes it; a blank line follows.
refused() {
    # shellcheck disable=SC2059
    got=$(printf "$2\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n" | raw | grep '^HTTP/' |
        cut -d ' ' -f 2 | tr '\n' ' ')
    same "$1 " "$got" "$2"
}

head='HTTP/1.1\r\nHost: a'
refused 400 'nonsense'
refused 400 '\026\003\001\001'
refused 400 "get / $head"
refused 400 "FETCH / $head"
refused 400 "GET /\001 $head"
refused 400 'GET / HTTP/1.x\r\nHost: a'
refused 400 'GET / HTTP/11\r\nHost: a'
refused 400 'GET / FTP/1.1\r\nHost: a'
refused 400 'GET / HTTP/1.1'
refused 400 "GET / $head\r\nHost: b"
refused 400 "GET / $head\r\nno colon"
refused 400 "GET / $head\r\nname : value"
refused 400 "GET / $head\r\nname: a\001b"
refused 400 "POST /echo $head\r\nContent-Length: x"
refused 400 "POST /echo $head\r\nContent-Length: -1"
refused 400 "POST /echo $head\r\nContent-Length: 1 1"
refused 400 "POST /echo $head\r\nContent-Length: 99999999999999999999"
refused 400 "POST /echo $head\r\nContent-Length: 1\r\nContent-Length: 2"
refused 400 "POST /echo $head\r\nContent-Length: 1\r\nTransfer-Encoding: chunked"
refused 400 "POST /echo $head\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"
refused 400 "POST /echo $head\r\nTransfer-Encoding: chunked\r\n\r\nx"
refused 400 "POST /echo $head\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab"
refused 400 'POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked'
refused 501 "POST /echo $head\r\nTransfer-Encoding: gzip, chunked"
refused 417 "POST /echo $head\r\nExpect: a miracle\r\nContent-Length: 1"
refused 505 'GET / HTTP/2.0\r\nHost: a'
refused 505 'GET / HTTP/0.9\r\nHost: a'

same 200 "$(code "http://$address/")" 'afterwards'
# An upgrade that is offered need not be taken.
same 'Hello, World!' "$(curl -s --http2 "http://$address/")" 'an upgrade'
stop
