#!/bin/sh
# SPDX-License-Identifier: MIT
# Work left open in the code has a number under which it can be found, or does not exist.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

words='TO''DO|FIX''ME|XX''X|HA''CK'

{
    c_files src include tests benchmarks examples cmake tools
    find . -maxdepth 1 -type f \( -name CMakeLists.txt -o -perm -u+x \)
    for dir in scripts cmake benchmarks tests .ci; do
        if [ -d "$dir" ]; then
            find "$dir" -type f \( -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
                -o -name '*.go' -o -name CMakeLists.txt -o -perm -u+x \)
        fi
    done
} | sed 's|^\./||' | sort -u | xargs -r grep -nwE "$words" /dev/null |
    grep -vE "($words)[ (]*#?[0-9]+" | finish
