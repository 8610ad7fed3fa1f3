#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public function has TUCO_API, a comment above it and a page docs/man/<name>.3; what
# only the headers themselves use, tuco_private_*, has no page. No line of a public header is
# longer than COLUMNS_MAX: clang-format does not break lines of comments.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

COLUMNS_MAX=90

# Prints the lines of public headers that are too long.
long_lines() {
    find include -name '*.h' | sort | xargs -r awk -v most="$COLUMNS_MAX" '
        length > most {
            print FILENAME ":" FNR ": " length " columns, at most " most " are allowed"
        }'
}

# Prints what is wrong with the manual page of the function $1, if anything.
page_fault() {
    page=docs/man/$1.3
    case $1 in
    tuco_private_*)
        return
        ;;
    esac
    if [ ! -s "$page" ]; then
        echo "no manual page $page"
        return
    fi
    # A page can be a reference to the page of a family of functions.
    target=$(sed -n '1,5s/^\.so  *man3\///p' "$page")
    if [ -n "$target" ] && [ ! -s "docs/man/$target" ]; then
        echo "$page refers to docs/man/$target, which does not exist"
    elif ! grep -qw -- "$1" "docs/man/${target:-$1.3}"; then
        echo "$1 does not occur in docs/man/${target:-$1.3}"
    fi
}

# Prints what is wrong with each public function.
function_faults() {
    find include -name '*.h' | sort | xargs -r awk -f "$scripts/public_functions.awk" |
        while read -r file line name kind comment; do
            if [ "$kind" = hidden ]; then
                echo "$file:$line: $name is declared without TUCO_API"
            fi
            if [ "$comment" = bare ]; then
                echo "$file:$line: $name has no comment directly above it"
            fi
            fault=$(page_fault "$name")
            if [ -n "$fault" ]; then
                echo "$file:$line: $fault"
            fi
        done
}

{
    function_faults
    long_lines
} | finish
