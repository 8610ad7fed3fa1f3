# SPDX-License-Identifier: MIT
# Prints path:line:code of C sources with comments removed and string literals emptied.
# The name in an #include stays. Lines left blank are printed too.

FNR == 1 {
    in_comment = 0
}

{
    rest = $0
    out = ""
    include = !in_comment && rest ~ /^[ \t]*#[ \t]*include/
    while (rest != "") {
        if (in_comment) {
            end = index(rest, "*/")
            if (end == 0) {
                break
            }
            in_comment = 0
            out = out " "
            rest = substr(rest, end + 2)
            continue
        }
        if (!match(rest, /\/\*|\/\/|["']/)) {
            out = out rest
            break
        }
        token = substr(rest, RSTART, RLENGTH)
        out = out substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "//") {
            break
        }
        if (token == "/*") {
            in_comment = 1
            continue
        }
        if (include) {
            out = out token
            continue
        }
        # A literal: skip to its end over escaped characters.
        while (rest != "" && substr(rest, 1, 1) != token) {
            rest = substr(rest, substr(rest, 1, 1) == "\\" ? 3 : 2)
        }
        rest = substr(rest, 2)
        out = out token token
    }
    print FILENAME ":" FNR ":" out
}
