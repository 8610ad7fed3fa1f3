#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a server listens at an address of IPv6, and tells it.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
need nc
if ! grep -qs '^0*1 .* lo$' /proc/net/if_inet6; then
    echo 'the loopback has no address of IPv6'
    exit 77
fi
start echo '[::1]:0'
same '[::1]' "$host" 'the host'
same hello "$(echo hello | nc -6 -N ::1 "$port")" 'the echo'
stop
