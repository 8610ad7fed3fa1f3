#!/bin/sh
# SPDX-License-Identifier: MIT
# The name of a static function stands in one file of src/, so that a name in a report or a
# profile says which function it is. The two processors share the names of arch/arch.h.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

code src | awk '
{
    path = $0
    sub(/:.*/, "", path)
    text = $0
    sub(/^[^:]*:[0-9]+:/, "", text)
}
path !~ /^src\/arch\// && text ~ /^static / && match(text, /[A-Za-z_][A-Za-z_0-9]*\(/) {
    name = substr(text, RSTART, RLENGTH - 1)
    if (name == "rt_atomic" || name == "__attribute__") {
        next
    }
    if (name in first && first[name] != path) {
        place = $0
        sub(/:[^:0-9].*/, "", place)
        print place ": " first[name] " has a static " name "() as well"
    }
    first[name] = path
}' | finish
