# SPDX-License-Identifier: MIT
# Prints what results.awk has read: a table, or a JSON line per figure.
#
# Set by ../bench: mode (table or json) and rounds. Go has columns beside tuco if it has a
# version; other peers have a table below. Exit status 1 if a run failed.

function number(v) {
    if (v == 0) {
        return "0"
    }
    return sprintf(v < 1 ? "%.3f" : v < 10 ? "%.2f" : v < 1000 ? "%.1f" : "%.0f", v)
}

# What cannot be less on one P, from the costs measured in this run. Zero: not known.
function limit(key,    in_switches) {
    if (procs_of[key] != 1 || !(switches[key] + pairs[key])) {
        return 0
    }
    if (!count["tuco", "switch", 0] || !count["tuco", "atomic_pair", 0]) {
        return 0
    }
    in_switches = switches[key] * best["tuco", "switch", 0]
    return in_switches + pairs[key] * best["tuco", "atomic_pair", 0]
}

# From the best repetition to the worst.
function spread(id) {
    if (!count[id]) {
        return "-"
    }
    if (best[id] > 0) {
        return sprintf("+%.0f%%", 100 * (worst[id] - best[id]) / best[id])
    }
    return worst[id] > 0 ? "to " number(worst[id]) : "0"
}

function failed_or_dash(peer, name, ps) {
    return (peer, name, ps) in failed ? "failed" : "-"
}

function cell(id, key, peer) {
    if (count[id]) {
        return number(best[id])
    }
    return failed_or_dash(peer, case_of[key], procs_of[key])
}

function or_dash(v, format) {
    return v ? sprintf(format, v) : "-"
}

function row(name, ps, unit, tuco, go, by, floor, tuco_spread, go_spread) {
    printf "%-20s %3s  %-11s %9s", name, ps, unit, tuco
    if (with_go) {
        printf " %9s %8s", go, by
    }
    printf " %8s %8s", floor, tuco_spread
    if (with_go) {
        printf " %8s", go_spread
    }
    printf "\n"
}

function table_row(key,    tuco, go) {
    tuco = "tuco" SUBSEP key
    go = "go" SUBSEP key
    row(figure_of[key], procs_of[key] ? procs_of[key] : "-", unit[key],
        cell(tuco, key, "tuco"), cell(go, key, "go"), or_dash(ratio("go", key), "%.2f"),
        limit(key) ? number(limit(key)) : "-", spread(tuco), spread(go))
}

# The peers that have no column: their figures one below the other.
function table_of_others(    i, peer, key, shown) {
    for (i = 0; i < keys; i++) {
        key = order[i]
        for (peer in others) {
            if (!count[peer, key] && !((peer, case_of[key], procs_of[key]) in failed)) {
                continue
            }
            if (!shown++) {
                printf "\n%-27s %3s  %-11s %9s %8s %8s\n", "without a runtime", "Ps",
                    "unit", "best", "/tuco", "spread"
            }
            printf "%-27s %3s  %-11s %9s %8s %8s\n", figure_of[key] ", " peer,
                procs_of[key], unit[key], cell(peer SUBSEP key, key, peer),
                or_dash(ratio(peer, key), "%.2f"), spread(peer SUBSEP key)
        }
    }
}

# Cases of which no process of any peer printed anything.
function rows_without_figures(    id, part, shown) {
    for (id in failed) {
        split(id, part, SUBSEP)
        if (!((part[2], part[3]) in measured) && !shown[part[2], part[3]]++) {
            row(part[2], part[3], "-", failed_or_dash("tuco", part[2], part[3]),
                failed_or_dash("go", part[2], part[3]), "-", "-", "-", "-")
        }
    }
}

function heading() {
    printf "tuco %s (commit %s)", version["tuco"], field(machine, "commit")
    printf "%s%s; rounds: %d\n", version["go"] ? " beside " version["go"] : "",
        version["nginx"] ? " and nginx " version["nginx"] : "", rounds
    printf "%s, %s of %s CPUs, virtualised: %s, governor: %s, load %s\n",
        field(machine, "cpu"), field(machine, "cpus_usable"),
        field(machine, "cpus_online"), field(machine, "virtualised"),
        field(machine, "governor"), field(machine, "load_1min")
    printf "Linux %s %s, huge pages: %s, %s %s, %s\n\n", field(machine, "kernel"),
        field(machine, "arch"), field(machine, "thp"), field(machine, "compiler"),
        field(machine, "build"), field(machine, "date")
}

function table(    i) {
    heading()
    row("case", "Ps", "unit", "tuco", "Go", "Go/tuco", "limit", "spread", "Go's")
    for (i = 0; i < keys; i++) {
        table_row(order[i])
    }
    rows_without_figures()
    table_of_others()
    printf "\nLess is better%s. Limit: the switches and atomic additions\n",
        with_go ? ", except in Go/tuco" : ""
    printf "that the case cannot do without on one P, at their cost in this run.\n"
    printf "Spread: the worst repetition over the best. See benchmarks/README.md.\n"
}

function json_peer(peer, key,    id) {
    id = peer SUBSEP key
    if (!count[id]) {
        return ""
    }
    return sprintf(",\"%s\":{%s\"best\":%s,\"median\":%s,\"worst\":%s}", peer,
        version[peer] ? "\"version\":\"" version[peer] "\"," : "", best[id], median(id),
        worst[id])
}

function json_row(key,    peer) {
    printf "{\"figure\":\"%s\",\"case\":\"%s\",\"procs\":%d,\"unit\":\"%s\",\"ops\":%s",
        figure_of[key], case_of[key], procs_of[key], unit[key], ops[key]
    printf ",\"rounds\":%d,\"reps\":%d", rounds, reps[key]
    printf "%s%s", json_peer("tuco", key), json_peer("go", key)
    for (peer in others) {
        printf "%s", json_peer(peer, key)
    }
    printf "%s", or_dash_json("ratio", ratio("go", key))
    printf "%s", or_dash_json("limit", limit(key))
    printf ",\"machine\":%s}\n", machine
}

function or_dash_json(name, v) {
    return v ? sprintf(",\"%s\":%.4f", name, v) : ""
}

END {
    if (mode == "json") {
        printf "%s", failed_lines
        for (i = 0; i < keys; i++) {
            json_row(order[i])
        }
    } else {
        table()
    }
    if (failures) {
        printf "bench: %d runs failed\n", failures >"/dev/stderr"
        exit 1
    }
}
