#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command of tests/sim/mutants.def matches in exactly one place of its source. The
# mutants are the rows of docs/design/simulation.md, with the same words.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

document=docs/design/simulation.md
mutants=tests/sim/mutants.def
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# Prints records as scripts/mutants.awk does: the mutants, the scenarios that exist, and
# the rows of the document without the run in their last column.
records() {
    awk -f "$scripts/mutants.awk" "$mutants"
    sed -n 's/^SIM_SCENARIO(\([^,]*\),.*/scenario\t\1/p' tests/sim/scenarios/*.c
    sed -n 's/^\(| `\([a-z0-9-]*\)` |.*|\) [0-9]* |$/row\t\2\t\1/p' "$document"
}

{
    "$scripts/make_mutants.sh" "$mutants" src "$made" || :
    records | awk -F '\t' -v mutants="$mutants" -v document="$document" '
    $1 == "mutant" {
        scenario[$2] = $3
        row[$2] = "| `" $2 "` | " $5 " | `" $3 "` |"
    }
    $1 == "scenario" {
        exists[$2] = 1
    }
    $1 == "row" {
        rows[$3] = 1
        if (!($2 in row)) {
            print document ": " $2 " has a row, and is not in " mutants
        }
    }
    END {
        for (name in row) {
            if (!(scenario[name] in exists)) {
                print mutants ": " name ": there is no scenario " scenario[name]
            }
            if (!(row[name] in rows)) {
                print mutants ": " name ": " document " has no row \"" row[name] "\""
            }
        }
    }'
} | finish
