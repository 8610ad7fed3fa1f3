# SPDX-License-Identifier: MIT
# Draws what results.awk has read as SVG: a few figures, tuco's bar beside Go's.
#
# Set by ../bench: rounds. The length of a bar is the figure over that of Go, so that each
# bar of Go has the length 1, less is better in every row, and rows of different units can
# stand in one chart. Each bar has its own figure behind it. Figures that the run does not
# have of both are left out. Exit status 1 if none remains.

BEGIN {
    # Pixels. The room behind the longest bar is for its figure and for Go/tuco.
    width = 860
    margin = 24
    bars_x = 310
    bars_width = 360
    bars_y = 92
    bar_height = 11
    bar_gap = 2
    row_height = 34

    colours = 0
    colour("page", "#ffffff", "#0d1117")
    colour("ink", "#1f2328", "#e6edf3")
    colour("dim", "#59636e", "#9aa4af")
    colour("tuco", "#0969da", "#4493f8")
    colour("go", "#8c959f", "#6e7681")

    rows = 0
    headline("yield", 1, "yield of two goroutines")
    headline("spawn", "most", "start a million goroutines, each")
    headline("spawn_seq", "most", "start a goroutine, wait for it")
    headline("fib", "most", "tree of goroutines, fib(27), each")
    headline("skynet", "most", "skynet with a million leaves, each")
    headline("pingpong", "most", "ping-pong over two channels")
    headline("chan_buf128", "most", "channel with room for 128, a value")
    headline("ring1000", "most", "ring of 1,000 goroutines, a hop")
    headline("select2", "most", "select from two channels")
    headline("mutex", 1, "mutex without contention")
    headline("timer_func", 1, "start and stop a timer")
    headline("ctx_cancel", "most", "cancel 10,000 contexts, each")
    headline("hogs_sleep_p50", "most", "sleep beside busy loops, median")
    headline("echo_100", "most", "echo, 100 connections, a request")
    headline("http", "most", "HTTP, 100 connections, a request")
    headline("million_bytes", 1, "memory of a waiting goroutine")
}

# A class of elements, and what fills them on a light page and on a dark one.
function colour(class, light, dark) {
    class_of[colours++] = class
    light_of[class] = light
    dark_of[class] = dark
}

# A row of the chart, if the run has it: at so many Ps, or at the most Ps of the run.
function headline(figure, ps, label) {
    wanted[rows] = figure
    wanted_ps[rows] = ps
    label_of[rows] = label
    rows++
}

# The key of the row, of which tuco and Go both have a figure; the empty string if none is.
function choose_key(row,    i, key, ps, chosen) {
    ps = wanted_ps[row]
    for (i = 0; i < keys; i++) {
        key = order[i]
        if (figure_of[key] == wanted[row] && (ps == "most" || ps == procs_of[key]) &&
            ratio("go", key) && (chosen == "" || procs_of[key] > procs_of[chosen])) {
            chosen = key
        }
    }
    return chosen
}

# Drops the rows without a key, and finds how far the longest bar reaches.
function choose_rows(    row, key, kept) {
    kept = 0
    longest = 1
    for (row = 0; row < rows; row++) {
        if ((key = choose_key(row)) == "") {
            continue
        }
        key_of[kept] = key
        label_of[kept] = label_of[row]
        if (relative(key) > longest) {
            longest = relative(key)
        }
        kept++
    }
    rows = kept
}

# The cost in tuco if that in Go is 1.
function relative(key) {
    return best["tuco", key] / best["go", key]
}

function escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}

function digits(v) {
    return sprintf(v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v)
}

# The figure of a peer with its unit, which is the same for both peers: the next larger one
# from a thousand on, if the smaller figure of the two is as large.
function amount(peer, key,    name, scale, least) {
    name = unit[key]
    scale = 1
    least = best["tuco", key] < best["go", key] ? best["tuco", key] : best["go", key]
    if (name ~ /^ns/ && least >= 1000) {
        sub(/^ns/, "us", name)
        scale = 1000
    }
    sub(/\/.*/, "", name)
    return digits(best[peer, key] / scale) " " name
}

function processors(key) {
    return procs_of[key] " P" (procs_of[key] == 1 ? "" : "s")
}

# The chart in words, for screen readers.
function description(    row, key, text) {
    text = "Horizontal bars: the cost in tuco relative to the cost in Go. Less is better."
    for (row = 0; row < rows; row++) {
        key = key_of[row]
        text = text sprintf(" %s, %s: tuco %s, Go %s.", label_of[row], processors(key),
            amount("tuco", key), amount("go", key))
    }
    return text
}

# Elements are filled for a light page by an attribute, which the style sheet replaces on a
# dark one: a viewer that ignores style sheets shows a light chart, on a ground of its own.
function style(    i, class) {
    print "<style>"
    print "@media (prefers-color-scheme: dark) {"
    for (i = 0; i < colours; i++) {
        class = class_of[i]
        printf "  .%s { fill: %s }\n", class, dark_of[class]
    }
    print "}"
    print "</style>"
}

function filled(class) {
    return sprintf("class=\"%s\" fill=\"%s\"", class, light_of[class])
}

# anchor: the end of the words that is at x, start or end
function write(x, y, size, class, anchor, words) {
    printf "<text %s x=\"%s\" y=\"%s\" font-size=\"%s\" text-anchor=\"%s\">%s</text>\n",
        filled(class), x, y, size, anchor, escape(words)
}

function box(class, x, y, w, h) {
    printf "<rect %s x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", filled(class), x, y,
        w, h
}

# share: the length, as a part of that of Go
function bar(peer, name, y, share, key,    pixels) {
    pixels = bars_width * share / longest
    if (pixels < 1) {
        pixels = 1
    }
    box(peer, bars_x, y, sprintf("%.1f", pixels), bar_height)
    write(sprintf("%.1f", bars_x + pixels + 6), y + 10, 11, peer == "tuco" ? "ink" : "dim",
        "start", name " " amount(peer, key))
}

function chart_row(row, y,    key) {
    key = key_of[row]
    printf "<g id=\"%s\">\n", figure_of[key]
    write(margin, y + 17, 13, "ink", "start", label_of[row])
    write(bars_x - 14, y + 17, 11, "dim", "end", processors(key))
    bar("tuco", "tuco", y, relative(key), key)
    bar("go", "Go", y + bar_height + bar_gap, 1, key)
    write(width - margin, y + 17, 13, "ink", "end", sprintf("%.1f", ratio("go", key)))
    print "</g>"
}

function small_print(y) {
    write(margin, y, 11, "dim", "start", sprintf("tuco %s (commit %s), %s %s; %s; %s",
        version["tuco"], field(machine, "commit"), field(machine, "compiler"),
        field(machine, "build"), version["go"], substr(field(machine, "date"), 1, 10)))
    write(margin, y + 16, 11, "dim", "start",
        sprintf("%s, %s of %s CPUs, virtualised: %s; Linux %s %s", field(machine, "cpu"),
            field(machine, "cpus_usable"), field(machine, "cpus_online"),
            field(machine, "virtualised"), field(machine, "kernel"),
            field(machine, "arch")))
}

function chart(    row, height) {
    height = bars_y + rows * row_height + 44
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"system-ui, sans-serif\""
    printf "  width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"\n", width, height, width,
        height
    print "  role=\"img\" aria-labelledby=\"chart-title chart-desc\">"
    print "<title id=\"chart-title\">tuco beside Go</title>"
    printf "<desc id=\"chart-desc\">%s</desc>\n", escape(description())
    style()
    box("page", 0, 0, width, height)
    write(margin, 36, 20, "ink", "start", "tuco beside Go")
    write(margin, 58, 13, "dim", "start",
        sprintf("Cost relative to Go, the best of %d round%s. Shorter bars are better.",
            rounds, rounds == 1 ? "" : "s"))
    write(width - margin, 80, 11, "dim", "end", "Go/tuco")
    for (row = 0; row < rows; row++) {
        chart_row(row, bars_y + row * row_height)
    }
    small_print(bars_y + rows * row_height + 14)
    print "</svg>"
}

END {
    choose_rows()
    if (rows == 0) {
        print "bench: no chart: it has no case of which tuco and Go were measured" \
            >"/dev/stderr"
        exit 1
    }
    chart()
}
