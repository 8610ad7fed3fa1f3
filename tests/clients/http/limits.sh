#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: what is too large is refused with its status, which the client gets to see
# though it has not sent everything, and the server goes on.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need curl
start http

zeros() {
    head -c "$1" /dev/zero | tr '\0' "${2:-0}"
}

zeros 1048577 >"$scratch/large"
zeros 8000000 >"$scratch/huge"
for file in large huge; do
    same 413 "$(code --data-binary @"$scratch/$file" "http://$address/echo")" \
        "$file with a length"
    same 413 "$(code -H 'Transfer-Encoding: chunked' --data-binary @"$scratch/$file" \
        "http://$address/echo")" "$file in chunks"
    # Without the question whether it may be sent.
    same 413 "$(code -H 'Expect:' --data-binary @"$scratch/$file" \
        "http://$address/echo")" "$file at once"
done
has "$(curl -si --data-binary @"$scratch/large" "http://$address/echo")" \
    'Connection: close'

same 200 "$(code -H "X-Long: $(zeros 7000)" "http://$address/")" 'a head of 7 KB'
same 431 "$(code -H "X-Long: $(zeros 9000)" "http://$address/")" 'a head of 9 KB'
same 431 "$(code -H "$(zeros 9000 n): x" "http://$address/")" 'a name of 9 KB'
same 404 "$(code "http://$address/$(zeros 2000)")" 'a target of 2 KB'
same 414 "$(code "http://$address/$(zeros 3000)")" 'a target of 3 KB'
same 200 "$(code "http://$address/")" 'afterwards'
stop
