#!/bin/sh
# SPDX-License-Identifier: MIT
# Work left open has a number under which it can be found, or does not exist. No text has a
# pronoun in place of the actor: see "English" in docs/style.md.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

open='TO''DO|FIX''ME|XX''X|HA''CK'
pronouns='wh''o|wh''om|wh''oever|some''body|no''body|any''body|every''body'

sources() {
    {
        c_files src include tests benchmarks examples cmake tools
        find . -maxdepth 1 -type f \( -name CMakeLists.txt -o -perm -u+x \)
        for dir in scripts cmake benchmarks tests .ci; do
            if [ -d "$dir" ]; then
                find "$dir" -type f \( -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
                    -o -name '*.go' -o -name CMakeLists.txt -o -perm -u+x \)
            fi
        done
    } | sed 's|^\./||' | sort -u
}

# docs/style.md names the pronouns.
documents() {
    find . \( -name build -o -name .git \) -prune -o -type f \
        \( -name '*.md' -o -path './docs/man/*' \) -print |
        sed 's|^\./||' | grep -vx docs/style.md | sort
}

{
    sources | xargs -r grep -nwE "$open" /dev/null | grep -vE "($open)[ (]*#?[0-9]+"
    { sources; documents; } | xargs -r grep -nwiE "$pronouns" /dev/null
} | finish
