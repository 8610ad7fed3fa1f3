# SPDX-License-Identifier: MIT
# Reads tests/sim/mutants.def, whose head explains the format, and prints a record for each
# thing in it, its fields separated by tabs:
#
#     mutant   name  scenario  path  rule
#     command  line  name  path  function  command
#     fault    line  text
#
# The path of a mutant is that of its group; a rule is in one line and has no period.

function fault(text) {
    print "fault", FNR, text
}

# The last part of a path, without its ending.
function stem(path) {
    sub(/^.*\//, "", path)
    sub(/\.[a-z]*$/, "", path)
    return path
}

function mutant_ends() {
    if (name != "" && rule_open) {
        fault(name " has no rule, as a sentence that ends in a period")
    } else if (name != "" && commands == 0) {
        fault(name " has no command")
    }
    name = ""
}

function mutant_begins() {
    last = name_in_group
    name = $1
    sub(/,$/, "", name)
    name_in_group = name
    scenario = $NF
    rule = ""
    rule_open = 1
    commands = 0
    if (path == "") {
        fault(name " is below no [path]")
    } else if (index(name, stem(path) "-") != 1) {
        fault("the name " name " does not begin with " stem(path) "-")
    }
    if (name in names) {
        fault("the name " name " is there twice")
    } else if (name < last) {
        fault(name " comes before " last " in the alphabet")
    }
    names[name] = 1
}

function rule_goes_on(text) {
    rule = rule (rule == "" ? "" : " ") text
    if (rule ~ /\.$/) {
        rule_open = 0
        print "mutant", name, scenario, path, substr(rule, 1, length(rule) - 1)
    }
}

function command(text,    place, words) {
    place = text
    sub(/:.*/, "", place)
    sub(/^[^:]*: /, "", text)
    split(place, words, " ")
    if (place !~ /^in [a-z_0-9]+( of [^ ]+)?$/) {
        fault("a command begins with \"in function: \" or \"in function of path: \"")
    } else if (text !~ /^([^s].* )?s\/.*\/$/ && text !~ /^\/.*\/d$/) {
        fault("a command is an s without flags, with / around its parts, or a d")
    } else {
        print "command", FNR, name, (words[4] == "" ? path : words[4]), words[2], text
    }
    commands++
}

BEGIN {
    OFS = "\t"
}
/^#/ || /^$/ {
    next
}
/^\[[^ ]*\]$/ {
    mutant_ends()
    last = path
    path = substr($0, 2, length($0) - 2)
    name_in_group = ""
    if (path <= last) {
        fault("[" path "] comes before [" last "] in the alphabet")
    }
    next
}
/^[a-z0-9-]+, found by [a-z_0-9]+$/ {
    mutant_ends()
    mutant_begins()
    next
}
/^    [^ ]/ && name != "" {
    if (rule_open) {
        rule_goes_on(substr($0, 5))
    } else {
        command(substr($0, 5))
    }
    next
}
{
    fault("this is no [path], no \"name, found by scenario\", and no line of a mutant")
}
END {
    mutant_ends()
}
