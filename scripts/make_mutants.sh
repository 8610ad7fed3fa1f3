#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the sources of the simulator's mutants: make_mutants.sh mutants.def src out
#
# out/<name>/<path> is src/<path> as the mutant changes it, and out/list has a line "name
# scenario path..." for each mutant. Prints what is wrong, and fails then: above all each
# command that does not match in exactly one place.
set -eu
LC_ALL=C
export LC_ALL
scripts=$(cd "$(dirname "$0")" && pwd)
mutants=$1
src=$(cd "$2" && pwd)
out=$3

# Every line on standard input is a fault, and one ends the script.
stop_at_faults() {
    if grep .; then
        exit 1
    fi
}

rm -rf "$out"
mkdir -p "$out/work"
awk -f "$scripts/mutants.awk" "$mutants" >"$out/work/records"
cd "$out"
awk -F '\t' -v mutants="$mutants" '$1 == "fault" {
    print mutants ":" $2 ": " $3
}' work/records | stop_at_faults

# Writes the list, and for each source of a mutant its directory, a job "number name path",
# and the script of the number. In the script each command also writes its line of
# mutants.def to standard error, once for each match: twice if a line of the source has two.
: >list
: >work/dirs
: >work/jobs
awk -F '\t' '
# Leaves the pattern space as it is.
function note(line) {
    return "h\ns/.*/" line "/w /dev/stderr\ng\n"
}
# A "t" is taken if the command before it has changed something, and once only.
function noting(line, command) {
    if (command ~ /d$/) {
        return substr(command, 1, length(command) - 1) " {\n" note(line) "d\n}\n"
    }
    return command "2\nt twice" line "\n" command "\nt once" line "\nb end" line "\n" \
        ":twice" line "\n" note(line) ":once" line "\n" note(line) "t end" line "\n" \
        ":end" line "\n"
}
$1 == "mutant" {
    mutants[++mutants_count] = $2
    list[$2] = $2 " " $3
}
$1 == "command" {
    job = $3 " " $4
    if (!(job in number)) {
        number[job] = ++jobs_count
        dir = $3 "/" $4
        sub(/\/[^\/]*$/, "", dir)
        print dir >"work/dirs"
        print jobs_count, job >"work/jobs"
        list[$3] = list[$3] " " $4
    }
    script[number[job]] = script[number[job]] "/^[a-z].*[ *]" $5 "(/,/^}/ {\n" \
        noting($2, $6) "}\n"
}
END {
    for (i = 1; i <= mutants_count; i++) {
        print list[mutants[i]] >"list"
    }
    for (i = 1; i <= jobs_count; i++) {
        file = "work/" i ".sed"
        printf "%s", script[i] >file
        close(file)
    }
}' work/records

xargs -r mkdir -p <work/dirs
: >work/matches
while read -r number name path; do
    if [ ! -f "$src/$path" ]; then
        echo "$mutants: $name: the source $path does not exist"
    elif ! sed -f "work/$number.sed" "$src/$path" >"$name/$path" 2>>work/matches; then
        echo "$mutants: $name: $(tail -n 1 work/matches)"
    fi
done <work/jobs | stop_at_faults

awk -F '\t' -v mutants="$mutants" '
FILENAME == "work/matches" {
    matches[$1]++
}
$1 == "command" && matches[$2] != 1 {
    print mutants ":" $2 ": " $3 ": matches " matches[$2] + 0 " places in " $5 "() of " $4 \
        ", and has to match one: " $6
}' work/matches work/records | stop_at_faults

while read -r number name path; do
    if cmp -s "$src/$path" "$name/$path"; then
        echo "$mutants: $name: changes nothing in $path"
    fi
done <work/jobs | stop_at_faults
