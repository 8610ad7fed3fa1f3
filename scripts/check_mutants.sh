#!/bin/sh
# SPDX-License-Identifier: MIT
# Every mutant of the simulation has its head and its row in docs/design/simulation.md,
# with the same words, and every row its mutant.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

document=docs/design/simulation.md
mutants=tests/sim/mutants

# Prints the value of the head line "# $2: value" of the script $1.
field() {
    sed -n "s/^# $2: //p" "$1"
}

# Prints what is wrong with the script $1, if anything.
script_faults() {
    name=$(basename "$1" .sed)
    rule=$(sed -n '2s/^# \(.*\)\.$/\1/p' "$1")
    files=$(field "$1" file)
    scenario=$(field "$1" scenario)
    if [ -z "$rule" ]; then
        echo "$1:2: no rule, as a sentence that ends in a period"
    fi
    if [ -z "$files" ]; then
        echo "$1: no file"
    fi
    for file in $files; do
        if [ ! -f "src/$file" ]; then
            echo "$1: the file src/$file does not exist"
        fi
    done
    if ! grep -qs "^SIM_SCENARIO($scenario," tests/sim/scenarios/*.c; then
        echo "$1: there is no scenario '$scenario'"
    fi
    if ! grep -qsF "| \`$name\` | $rule | \`$scenario\` |" "$document"; then
        echo "$1: $document has no row \"| \`$name\` | $rule | \`$scenario\` |\""
    fi
}

{
    for script in "$mutants"/*.sed; do
        if [ -f "$script" ]; then
            script_faults "$script"
        fi
    done
    if [ -f "$document" ]; then
        sed -n 's/^| `\([a-z-]*\)` |.*| [0-9]* |$/\1/p' "$document" |
            while read -r name; do
                if [ ! -f "$mutants/$name.sed" ]; then
                    echo "$document: $name has a row, and no script $mutants/$name.sed"
                fi
            done
    fi
} | finish
