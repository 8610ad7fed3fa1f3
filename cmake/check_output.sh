#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command and compares its standard output: check_output.sh EXPECTED COMMAND...
# A * in an expected line stands for any text, such as a measured time.
set -eu

expected=$1
shift
actual=$(mktemp)
trap 'rm -f "$actual"' EXIT

status=0
"$@" >"$actual" || status=$?
if [ "$status" -ne 0 ]; then
    cat "$actual"
    echo "$1 ended with status $status" >&2
    exit 1
fi

awk -v expected="$expected" '
# Whether text is pattern, with each * in pattern standing for any text.
function matches(text, pattern,    parts, count, i, at) {
    count = split(pattern, parts, "[*]")
    if (count < 2) {
        return text == pattern
    }
    if (substr(text, 1, length(parts[1])) != parts[1]) {
        return 0
    }
    text = substr(text, length(parts[1]) + 1)
    for (i = 2; i < count; i++) {
        at = index(text, parts[i])
        if (parts[i] != "" && at == 0) {
            return 0
        }
        if (parts[i] != "") {
            text = substr(text, at + length(parts[i]))
        }
    }
    at = length(text) - length(parts[count]) + 1
    return at >= 1 && substr(text, at) == parts[count]
}
function complain(line, want, got) {
    printf "line %d\n  expected: %s\n  got:      %s\n", line, want, got
    bad = 1
}
BEGIN {
    while ((getline line < expected) > 0) {
        want[++wanted] = line
    }
}
FNR > wanted {
    complain(FNR, "(end of output)", $0)
    next
}
!matches($0, want[FNR]) {
    complain(FNR, want[FNR], $0)
}
{
    seen = FNR
}
END {
    for (line = seen + 1; line <= wanted; line++) {
        complain(line, want[line], "(end of output)")
    }
    exit bad
}
' "$actual"
