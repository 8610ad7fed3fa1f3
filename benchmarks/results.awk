# SPDX-License-Identifier: MIT
# Reads the JSON lines of tuco and its peers, and merges those of the same figure.
#
# ../bench runs it with another program behind it, table.awk or chart.awk, whose END shows
# what was read. Set by ../bench: versions (PEER=VERSION of the peers, which do not all
# print it) and selected (the names of the cases to show). A figure is known by its name and
# its Ps: its key. Of all its lines the best and the worst repetition are kept, and the
# median of the medians.

# The value of a key that the line has at most once. Absent: the empty string.
function field(line, key) {
    if (!match(line, "\"" key "\":(\"[^\"]*\"|-?[0-9.]+)")) {
        return ""
    }
    line = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    gsub(/"/, "", line)
    return line
}

# Insertion into the sorted list of medians of one peer's figure.
function add_median(id, value,    i) {
    for (i = count[id]++; i > 0 && medians[id, i - 1] > value; i--) {
        medians[id, i] = medians[id, i - 1]
    }
    medians[id, i] = value
}

function median(id,    n) {
    n = count[id]
    return (medians[id, int((n - 1) / 2)] + medians[id, int(n / 2)]) / 2
}

function ratio(peer, key) {
    if (!best["tuco", key] || !best[peer, key]) {
        return 0
    }
    return best[peer, key] / best["tuco", key]
}

# A line of the peer's program: remember the figure, then merge the numbers.
function take(line,    key, id, peer) {
    peer = field(line, "peer")
    if (field(line, "version") != "") {
        version[peer] = field(line, "version")
    }
    key = field(line, "figure") SUBSEP field(line, "procs")
    measured[field(line, "case"), field(line, "procs")] = 1
    if (!(key in figure_of)) {
        figure_of[key] = field(line, "figure")
        case_of[key] = field(line, "case")
        procs_of[key] = field(line, "procs") + 0
        unit[key] = field(line, "unit")
        ops[key] = field(line, "ops")
        reps[key] = field(line, "reps")
        if (index(" " selected " ", " " case_of[key] " ")) {
            order[keys++] = key
        }
    }
    if (field(line, "switches") != "") {
        switches[key] = field(line, "switches")
        pairs[key] = field(line, "pairs")
    }
    id = peer SUBSEP key
    if (!count[id] || field(line, "best") + 0 < best[id]) {
        best[id] = field(line, "best") + 0
    }
    if (!count[id] || field(line, "worst") + 0 > worst[id]) {
        worst[id] = field(line, "worst") + 0
    }
    add_median(id, field(line, "median") + 0)
}

BEGIN {
    keys = 0
    failures = 0
    with_go = versions ~ /^go=/
    for (i = split(versions, pair, " "); i > 0; i--) {
        split(pair[i], part, "=")
        version[part[1]] = part[2]
    }
}

{
    peer = field($0, "peer")
    if (peer != "tuco" && peer != "go") {
        others[peer] = 1
    }
}

# Facts of the machine close a line of tuco_bench; the first line speaks for the run.
{
    line = $0
    if (at = index(line, ",\"machine\":")) {
        if (!machine) {
            machine = substr(line, at + length(",\"machine\":"))
            sub(/}$/, "", machine)
        }
        line = substr(line, 1, at - 1)
    }
}

field(line, "failed") != "" {
    failed[field(line, "peer"), field(line, "case"), field(line, "procs")] = 1
    failures++
    failed_lines = failed_lines line "\n"
    next
}

{
    take(line)
}
