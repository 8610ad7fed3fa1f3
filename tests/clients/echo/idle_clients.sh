#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves: a client that says nothing for the idle time is let go, and one that does is
# not.
# shellcheck source=tests/clients/lib.sh
. "$(dirname "$0")/../lib.sh"
start echo -i 500

same '' "$("$UNRULY" patient "$address" </dev/null)" 'an idle client'
# Longer than the idle time as a whole, but never between two bytes.
text=$(printf '%060d' 0)
same "$text" "$(printf '%s' "$text" | "$UNRULY" trickle "$address" 10)" 'a slow client'
stop
