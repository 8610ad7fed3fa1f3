#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of the manual pages compile without a warning: the blocks between .EX and .EE
# below EXAMPLES, each as a file of its own.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# Writes each example of a page as C into a file, whose lines have the numbers of the page.
write_examples() {
    find docs/man -type f -name '*.[37]' | sort | xargs -r awk -v made="$made" '
    /^\.SH / {
        examples = $2 == "EXAMPLES"
    }
    /^\.EE/ {
        inside = 0
    }
    inside {
        gsub(/\\&/, "")
        gsub(/\\-/, "-")
        gsub(/\\\(aq/, "\047")
        gsub(/\\e/, "\\")
        print >file
    }
    /^\.EX/ && examples {
        inside = 1
        close(file)
        file = sprintf("%s/%03d.c", made, ++count)
        printf "#line %d \"%s\"\n", FNR + 1, FILENAME >file
    }'
}

write_examples
for example in "$made"/*.c; do
    [ -e "$example" ] || continue
    "${CC:-cc}" -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Iinclude "$example" 2>&1 || :
done | finish
