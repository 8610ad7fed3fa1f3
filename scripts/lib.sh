# SPDX-License-Identifier: MIT
# What the checks share. The tree to look at is their first argument, or this one.

scripts=$(cd "$(dirname "$0")" && pwd)
root=${1:-$(dirname "$scripts")}
cd "$root" || exit 2

# Prints the C and assembler files below those of the given directories that exist.
c_files() {
    for dir in "$@"; do
        if [ -d "$dir" ]; then
            find "$dir" -type f \( -name '*.[chS]' -o -name '*.def' \)
        fi
    done | sort
}

# Prints path:line:code for the same files, without comments and the insides of strings.
code() {
    c_files "$@" | xargs -r awk -f "$scripts/code_only.awk"
}

# Ends the check: every line on standard input is a finding, and one is enough to fail.
finish() {
    if grep .; then
        exit 1
    fi
    exit 0
}
