#!/bin/sh
# SPDX-License-Identifier: MIT
# A line of C has at most 92 columns, prose in a document 100. Tables, pictures and code in
# documents may be wider, and so may the commands of tests/sim/mutants.def.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

{
    c_files src include tests benchmarks examples tools | grep -vx tests/sim/mutants.def |
        xargs -r awk -v limit=92 'length($0) > limit {
        print FILENAME ":" FNR ": " length($0) " columns, the limit is " limit }'
    find . \( -name build -o -name .git \) -prune -o -type f -name '*.md' -print |
        sed 's|^\./||' | sort | xargs -r awk -v limit=100 '
        FNR == 1 { code = 0 }
        /^ *```/ { code = !code }
        !code && !/^\|/ && !/^    / && length($0) > limit {
            print FILENAME ":" FNR ": " length($0) " columns, the limit is " limit }'
} | finish
