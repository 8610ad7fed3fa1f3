# SPDX-License-Identifier: MIT
# What the tests with real clients share: a server on a port of its own, and comparing.
# ctest sets EXAMPLES (the folder of the servers), UNRULY and CROWD_SIZE.
# shellcheck shell=sh
set -eu

scratch=$(mktemp -d)
children=

finish() {
    status=$?
    for child in $children; do
        kill -9 "$child" 2>/dev/null || true
    done
    rm -rf "$scratch"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

fail() {
    echo "failed: $*" >&2
    for log in "$scratch"/*.out "$scratch"/*.err; do
        if [ -s "$log" ]; then
            echo "--- $(basename "$log")" >&2
            tail -n 50 "$log" >&2
        fi
    done
    exit 1
}

# Ends the test as not applicable if one of the commands is not there.
need() {
    for command in "$@"; do
        if ! command -v "$command" >/dev/null; then
            echo "$command is not installed"
            exit 77
        fi
    done
}

# Waits until the command succeeds. The pause is that of looking again, not of waiting for
# something to have happened.
await() {
    looks=0
    until "$@"; do
        looks=$((looks + 1))
        [ "$looks" -lt 12000 ] || fail "waited in vain for: $*"
        sleep 0.01
    done
}

# start NAME ARGUMENT...: runs a server until the test ends, with limit descriptors if
# that is set. Sets pid, address, host, port, and log, which has what it says on standard
# error.
limit=
start() {
    name=$1
    shift
    server_out=$(mktemp "$scratch/$name.XXXXXX.out")
    log=${server_out%.out}.err
    (
        # shellcheck disable=SC3045
        [ -z "$limit" ] || ulimit -n "$limit"
        exec "$EXAMPLES/$name" "$@"
    ) >"$server_out" 2>"$log" &
    pid=$!
    children="$children $pid"
    await listens
    address=$(sed -n "s/^$name: listening on //p" "$server_out")
    # shellcheck disable=SC2034
    host=${address%:*}
    # shellcheck disable=SC2034
    port=${address##*:}
}

listens() {
    kill -0 "$pid" 2>/dev/null || fail "the server has ended"
    grep -q 'listening on' "$server_out"
}

# Asks the server to end, which has to happen in good order.
stop() {
    kill -TERM "$pid"
    ended "$pid"
    if grep -q 'cut off' "$server_out"; then
        fail "connections were left: $(grep 'cut off' "$server_out")"
    fi
}

# ended PID: the process ends, and with status 0.
ended() {
    status=0
    wait "$1" || status=$?
    [ "$status" -eq 0 ] || fail "ended with status $status"
}

# same WANTED GOT WHAT
same() {
    [ "$1" = "$2" ] || fail "$3: wanted '$1', got '$2'"
}

# has TEXT PART, lacks TEXT PART: neither may span lines.
has() {
    printf '%s\n' "$1" | grep -qF -- "$2" || fail "no '$2' in: $1"
}

lacks() {
    if printf '%s\n' "$1" | grep -qF -- "$2"; then
        fail "there is '$2' in: $1"
    fi
}

# How many descriptors the server has, and waiting for a number of them.
descriptors() {
    find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l
}

has_descriptors() {
    [ "$(descriptors)" -eq "$1" ]
}

# The status of the response to curl's arguments.
code() {
    curl -s -o /dev/null -w '%{http_code}' --max-time 120 "$@" || true
}

# Prints a request for the path.
get() {
    printf 'GET %s HTTP/1.1\r\nHost: a\r\n\r\n' "$1"
}

# Sends standard input to the server, and then the end; prints what comes back.
raw() {
    nc -N "$host" "$port" | tr -d '\r'
}
