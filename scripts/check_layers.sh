#!/bin/sh
# SPDX-License-Identifier: MIT
# A folder of src/ is a layer, and a layer includes only what lies below it.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

# Which folder may include which others, besides itself. A source directly in src/ puts
# the layers together and may include everything.
layers='
base:  os
os:    base arch
arch:  base
cpu:   base os
mem:   base os arch
sched: base os arch cpu mem debug
debug: base os arch cpu mem sched
chan:  base os arch mem sched debug
sync:  base os arch mem sched debug chan
time:  base os arch mem sched debug chan
ctx:   base os arch mem sched debug chan time
net:   base os arch mem sched debug time
'

# Edges that go elsewhere, one by one: from -> to: reason.
exceptions='
sched/sched.h -> config.h: the scheduler keeps the settings that it was started with
'

code src | awk -v layers="$layers" -v exceptions="$exceptions" '
# The folder of a path below src, or "" for a file directly in it.
function layer_of(path) {
    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : ""
}

# A name is looked up beside the includer first, as the compiler does.
function resolve(from, name,    folder) {
    folder = from
    if (sub(/\/[^\/]*$/, "", folder) && ((folder "/" name) in exists)) {
        return folder "/" name
    }
    return name
}

function judge(where, from, to,    from_layer, to_layer, edge) {
    from_layer = layer_of(from)
    to_layer = layer_of(to)
    edge = from " -> " to
    if (!(to in exists)) {
        return      # a header of the system, or a mistake that the compiler reports
    }
    if (from_layer == "" || from_layer == to_layer || (from_layer, to_layer) in allowed) {
        return
    }
    if (edge in excepted) {
        used[edge] = 1
        return
    }
    if (!(from_layer in known)) {
        print where ":" edge "    [" from_layer " is in no layer]"
    } else {
        print where ":" edge "    [not a layer below]"
    }
}

BEGIN {
    count = split(layers, rows, "\n")
    for (i = 1; i <= count; i++) {
        words = split(rows[i], word, "[: ]+")
        known[word[1]] = 1
        for (j = 2; j <= words; j++) {
            allowed[word[1], word[j]] = 1
        }
    }
    count = split(exceptions, rows, "\n")
    for (i = 1; i <= count; i++) {
        if (match(rows[i], /: .+$/)) {
            excepted[substr(rows[i], 1, RSTART - 1)] = 1
        } else if (rows[i] != "") {
            print "scripts/check_layers.sh:0:" rows[i] "    [exception without a reason]"
        }
    }
}

{
    path = $0
    sub(/:.*/, "", path)
    sub(/^src\//, "", path)
    exists[path] = 1
}

/:[ \t]*#[ \t]*include[ \t]*["<]/ {
    split($0, part, ":")
    split($0, quoted, "[\"<>]")
    if (quoted[2] ~ /(^|\/)\.\.?\//) {
        print $0 "    [write the path from src/ on]"
    }
    include_count++
    where[include_count] = part[1] ":" part[2]
    includer[include_count] = path
    included[include_count] = quoted[2]
}

END {
    for (i = 1; i <= include_count; i++) {
        judge(where[i], includer[i], resolve(includer[i], included[i]))
    }
    # An exception outlives its need only while its files do not exist yet.
    for (edge in excepted) {
        split(edge, end_of, " -> ")
        if (end_of[1] in exists && end_of[2] in exists && !used[edge]) {
            print "scripts/check_layers.sh:0:" edge "    [an exception that nothing uses]"
        }
    }
}' | finish
