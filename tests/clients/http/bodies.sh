#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: bodies come back as they were sent, with a length or in chunks, of any size.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl nc
start http

for size in 0 1 4096 16384 65536 1048576; do
    head -c "$size" /dev/urandom >"$scratch/body"
    curl -s --data-binary @"$scratch/body" "http://$address/echo" >"$scratch/echo"
    cmp "$scratch/body" "$scratch/echo" || fail "$size bytes with a length"
    curl -s -H 'Transfer-Encoding: chunked' --data-binary @"$scratch/body" \
        "http://$address/echo" >"$scratch/echo"
    cmp "$scratch/body" "$scratch/echo" || fail "$size bytes in chunks"
done

# Chunks with extensions and trailers, and a request after them on the same connection.
got=$({
    printf 'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    printf '3;a=b\r\none\r\nA\r\n, two, ten\r\n0\r\nHost: b\r\nExpect: c\r\n\r\n'
    get /
} | raw | sed '1,/^$/d')
has "$got" 'one, two, tenHTTP/1.1 200 OK'
has "$got" 'Hello, World!'

# In a stream each chunk is sent when it is there, and old clients get no chunks.
same 'line 1 line 2 line 3 ' "$(curl -s "http://$address/stream?lines=3&ms=1" |
    tr '\n' ' ')" 'a stream'
got=$(get '/stream?lines=1' | raw)
has "$got" 'Transfer-Encoding: chunked'
same '7 line 1  0 ' "$(printf '%s\n' "$got" | sed '1,/^$/d' | tr '\n' ' ')" 'raw chunks'
got=$(printf 'GET /stream?lines=1 HTTP/1.0\r\n\r\n' | raw)
lacks "$got" 'chunked'
same 'line 1' "$(printf '%s\n' "$got" | sed '1,/^$/d')" 'a stream for HTTP/1.0'
stop
