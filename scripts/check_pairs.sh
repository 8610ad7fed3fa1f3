#!/bin/sh
# SPDX-License-Identifier: MIT
# A comment that says "Pairs with f()" names a function of src/ that has an ordering operation
# in its body: an atomic operation other than relaxed, a fence, or a lock. A partner has a
# name, and no comment apologises for an order that is stronger than needed.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The names of all functions and macros with a body, "name ordered" if there is one in it.
code src | awk '
{
    text = $0
    sub(/^[^:]*:[0-9]+:/, "", text)
}
# A definition begins in the first column, and its name is the last word before the bracket.
text ~ /^[A-Za-z_#]/ && match(text, /[A-Za-z_][A-Za-z_0-9]*\(/) && text !~ /;[ \t]*$/ {
    name = substr(text, RSTART, RLENGTH - 1)
    if (text ~ /^#[ \t]*define/) {
        sub(/^#[ \t]*define[ \t]+/, "", text)
        name = text
        sub(/[^A-Za-z_0-9].*/, "", name)
    }
    defined[name] = 1
}
text ~ /_(acq|rel|acqrel|sc)\(|rt_fence|rt_lock|rt_unlock|rt_spin|rt_attention_|os_futex|membarrier/ {
    ordered[name] = 1
}
END {
    for (name in defined) {
        print name, (name in ordered) ? "ordered" : "plain"
    }
}' >"$work/names"

# "path:line name" for each partner that a comment names.
c_files src | xargs -r awk '
BEGIN {
    order = "(relaxed|release|acquire|acq_rel|sc|order|fence)"
    apology = order "( would do| is not needed|: not needed)|only the RMW matters|" \
        "stronger than needed"
}
function look(    rest, sentence) {
    rest = comment
    gsub(/[ \t\n]*\n[ \t]*\*?[ \t]*/, " ", rest)
    if (match(rest, apology)) {
        print FILENAME ":" begin " apologises: " substr(rest, RSTART, RLENGTH)
    }
    while (match(rest, /[Pp]airs? with /)) {
        rest = substr(rest, RSTART + RLENGTH)
        sentence = rest
        if (match(sentence, /[.;:]( |$)/)) {
            sentence = substr(sentence, 1, RSTART - 1)
        }
        if (sentence ~ /^itself|[ ,]itself/ || sentence !~ /\(\)/) {
            print FILENAME ":" begin " nameless: " sentence
        }
        while (match(sentence, /[A-Za-z_][A-Za-z_0-9]*\(\)/)) {
            print FILENAME ":" begin " " substr(sentence, RSTART, RLENGTH - 2)
            sentence = substr(sentence, RSTART + RLENGTH)
        }
    }
}
{
    line = $0
    while (line != "") {
        if (!inside) {
            if (!match(line, /\/\*|\/\//)) {
                break
            }
            whole = substr(line, RSTART, 2) == "//"
            line = substr(line, RSTART + 2)
            begin = FNR
            comment = ""
            inside = 1
        }
        end = whole ? 0 : index(line, "*/")
        comment = comment (end > 0 ? substr(line, 1, end - 1) : line) "\n"
        if (end > 0 || whole) {
            look()
            inside = 0
            whole = 0
        }
        line = end > 0 ? substr(line, end + 2) : ""
    }
}' | while read -r place name text; do
    case $name in
    apologises:)
        echo "$place: \"$text\": use the order that is needed, or say why this one is"
        continue
        ;;
    nameless:)
        echo "$place: \"pairs with $text\" names no function"
        continue
        ;;
    esac
    case $(grep "^$name " "$work/names") in
    *ordered) ;;
    *plain) echo "$place: pairs with $name(), which has no ordering operation" ;;
    *) echo "$place: pairs with $name(), which does not exist" ;;
    esac
done | finish
