#!/bin/sh
# SPDX-License-Identifier: MIT
# A file can be held in the hand and a function in the head: 800 and 70 lines at most.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

code src | awk -v max_file=800 -v max_function=70 '
function file_ends() {
    if (lines > max_file) {
        print file ":" lines ": the file has " lines " lines, " max_file " are the limit"
    }
}
{
    now = $0
    sub(/:.*/, "", now)
    text = $0
    sub(/^[^:]*:[^:]*:/, "", text)
    if (now != file) {
        file_ends()
        file = now
        lines = 0
        in_function = in_macro = 0
        head = ""
    }
    lines++
}
# A function is told from a struct or a table by the parameter list before its brace.
!in_function {
    if (head == "") {
        head_line = lines
    }
    if (in_macro || text ~ /^[ \t]*#/) {
        in_macro = text ~ /\\$/
        next
    }
    if (text ~ /^[ \t]*$/) {
        next
    }
    head = head text
    if (head ~ /\)[^=]*[{][ \t]*$/ && head !~ /(struct|union|enum)[^()]*[{][ \t]*$/) {
        in_function = 1
        next
    }
    if (text ~ /;[ \t]*$/ || text ~ /^[}]/) {
        head = ""
    }
    next
}
text ~ /^[}]/ {
    length_of = lines - head_line + 1
    if (length_of > max_function) {
        name = head
        sub(/[ \t]*\(.*/, "", name)
        sub(/^.*[ *]/, "", name)
        print file ":" head_line ": " name " has " length_of " lines, " max_function \
            " are the limit"
    }
    in_function = 0
    head = ""
}
END {
    file_ends()
}' | finish
