#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: each path answers its methods, and HEAD is GET without a body.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl nc
start http

same 'Hello, World!' "$(curl -s "http://$address/")" 'GET /'
same 'Hello, World!' "$(curl -s "http://$address/?a=b")" 'GET / with a query'
same 'Hello, World!' "$(curl -s --request-target http://a.example/ "http://$address/")" \
    'GET of an absolute target'
same 200 "$(code "http://$address/sleep?ms=1")" 'GET /sleep'
same 200 "$(code -H 'X-Empty;' -H 'Y: z' "http://$address/")" 'a header without a value'
for query in '' ms= ms=x ms=1x ms=-1 ms=99999999999999999999 s=1 'xms=1&ms=&ms=1'; do
    same 400 "$(code "http://$address/sleep?$query")" "GET /sleep?$query"
done
same 404 "$(code "http://$address/nowhere")" 'another path'
same 404 "$(code "http://$address/echo/")" 'a longer path'
same 404 "$(code --request-target '*' -X OPTIONS "http://$address/")" 'OPTIONS *'
same 405 "$(code "http://$address/echo")" 'GET /echo'
for method in PUT DELETE OPTIONS PATCH TRACE; do
    same 405 "$(code -X "$method" "http://$address/")" "$method /"
done
has "$(curl -si "http://$address/echo")" 'Allow: POST'
has "$(curl -si -X PUT "http://$address/")" 'Allow: GET, HEAD'

for path in / '/stream?lines=1' '/sleep?ms=0' /nowhere; do
    curl -sI "http://$address$path" | grep -v '^Date' >"$scratch/head"
    curl -s -o /dev/null -D - "http://$address$path" | grep -v '^Date' >"$scratch/get"
    cmp "$scratch/head" "$scratch/get" || fail "HEAD $path and GET $path differ"
done

# Nothing of a body is there to be taken for the next response.
for path in / '/stream?lines=1' /nowhere; do
    got=$(printf 'HEAD %s HTTP/1.1\r\nHost: a\r\n\r\n' "$path" | raw | sed '1,/^$/d')
    same '' "$got" "the body of HEAD $path"
done
stop
