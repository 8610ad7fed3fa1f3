# SPDX-License-Identifier: MIT
# Prints a line for each function, and each variable, that public headers declare:
#     file line name exported|inline|hidden documented|bare
# It is documented by a comment that ends on the line above it, or if the declaration on
# the line above it is. A function is hidden if it lacks TUCO_API.

FNR == 1 {
    in_comment = in_macro = in_body = 0
    declaration = ""
    documented = 0
}

function declared(    name) {
    if (!match(declaration, /tuco_[a-z0-9_]+[ \t]*\(/) &&
        !(kind == "exported" && match(declaration, /tuco_[a-z0-9_]+[ \t]*;/))) {
        return
    }
    name = substr(declaration, RSTART, RLENGTH - 1)
    sub(/[ \t]+$/, "", name)
    print FILENAME, first_line, name, kind, documented ? "documented" : "bare"
}

in_comment {
    if (index($0, "*/")) {
        in_comment = 0
        documented = 1
    }
    next
}

in_body {
    in_body = !/^}/
    next
}

in_macro || /^[ \t]*#/ {
    in_macro = /\\$/
    documented = 0
    next
}

/^[ \t]*$/ {
    documented = 0
    next
}

declaration == "" && /^[ \t]*\/\*/ {
    in_comment = !index($0, "*/")
    documented = !in_comment
    next
}

declaration == "" {
    first_line = FNR
    if (/^TUCO_API[ \t]/) {
        kind = "exported"
    } else if (/^static[ \t]/) {
        kind = "inline"
    } else if (/^[a-z_].*tuco_[a-z0-9_]+\(/ && !/^(struct|union|enum)[^(]*[{]/) {
        kind = "hidden"
    } else {
        documented = 0
        if (/[{][ \t]*$/ && !/^extern/) {
            in_body = 1
        }
        next
    }
    if (/^typedef[ \t]/) {
        documented = 0
        next
    }
}

{
    declaration = declaration $0
    if (/[{][ \t]*$/) {
        declared()
        in_body = 1
        declaration = ""
    } else if (/;/) {
        declared()
        declaration = ""
    }
}
