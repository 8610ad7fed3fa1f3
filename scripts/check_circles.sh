#!/bin/sh
# SPDX-License-Identifier: MIT
# A module is x.h and x.c together. Modules that include each other, directly or through
# others, form a circle, which can only be understood as a whole: it has at most 9 of them.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

most=9

code src | awk -v most="$most" '
# A name is looked up beside the includer first, as the compiler does.
function resolve(from, name,    folder) {
    folder = from
    if (sub(/\/[^\/]*$/, "", folder) && ((folder "/" name) in exists)) {
        return folder "/" name
    }
    return name
}

function module_of(path) {
    sub(/\.[ch]$/, "", path)
    return path
}

# Marks every module that from reaches by one include or more.
function reach(from,    stack, depth, at, next_of, n, i) {
    depth = 1
    stack[1] = from
    while (depth > 0) {
        at = stack[depth--]
        n = split(edges[at], next_of, " ")
        for (i = 1; i <= n; i++) {
            if (!((from, next_of[i]) in reached)) {
                reached[from, next_of[i]] = 1
                stack[++depth] = next_of[i]
            }
        }
    }
}

# Reports the circle of the module, if it is too large and was not reported yet.
function judge(module,    i, size, names) {
    if (module in judged) {
        return
    }
    for (i = 1; i <= module_count; i++) {
        if ((module, modules[i]) in reached && (modules[i], module) in reached) {
            judged[modules[i]] = 1
            names = names " " modules[i]
            size++
        }
    }
    if (size > most) {
        print "src: " size " modules include each other, at most " most " may:" names
    }
}

{
    path = $0
    sub(/:.*/, "", path)
    sub(/^src\//, "", path)
}

path ~ /\.[ch]$/ && !(path in exists) {
    exists[path] = 1
    if (!(module_of(path) in known)) {
        known[module_of(path)] = 1
        modules[++module_count] = module_of(path)
    }
}

path ~ /\.[ch]$/ && /:[ \t]*#[ \t]*include[ \t]*["<]/ {
    split($0, quoted, "[\"<>]")
    include_count++
    includer[include_count] = path
    included[include_count] = quoted[2]
}

END {
    for (i = 1; i <= include_count; i++) {
        to = resolve(includer[i], included[i])
        if (to in exists && module_of(to) != module_of(includer[i])) {
            edges[module_of(includer[i])] = edges[module_of(includer[i])] " " module_of(to)
        }
    }
    for (i = 1; i <= module_count; i++) {
        reach(modules[i])
    }
    for (i = 1; i <= module_count; i++) {
        judge(modules[i])
    }
}' | finish
