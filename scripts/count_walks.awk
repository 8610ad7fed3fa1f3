# SPDX-License-Identifier: MIT
# Reads the output of addr2line -a -f -i, then that of count_walks.c, and prints one walk.
#
#     awk -v title=... -v goal=FILES -v stations="NAME..." -f count_walks.awk NAMES LOG
#
# A station is a function at which the goroutine, the P or the byte changes hands. NAME
# stands for its begin, NAME:X for its end, NAME@ for its begin on any thread. A function is
# on the way if it is on the stack at a station and ran between the marks. What else ran is
# beside the way, and is printed apart.

function layer_is_leaf(file) {
    return file ~ /^(base|os|arch|cpu|mem|debug)\// || file ~ /^sched\/(g|m|p|sched)\.h$/
}

# Puts the functions at an address into found[1..], the outermost first, and returns how
# many they are: several if some are inlined. Functions of the program and of the C library
# are not among them.
function expand(address,    i, n) {
    n = 0
    for (i = depth[address]; i >= 1; i--) {
        if (file_at[address, i] != "") {
            found[++n] = name_at[address, i] " " file_at[address, i]
        }
    }
    return n
}

# Whether an entry of a thread is part of the walk. Of the thread that begins the walk: but
# for the time between its two calls. Of the thread that runs the other goroutine: until
# that begins. Of the thread that ends the walk: all.
function counts(thread) {
    if (thread == first) {
        return !returned || called_again
    }
    if (thread == runner) {
        return !runs || (thread == last && called_again)
    }
    return thread == last
}

# Notes that a thread ran the code at an address. set is "walk" or "beside".
function add_ran(set, thread, address,    i, n) {
    n = expand(address)
    for (i = 1; i <= n; i++) {
        ran[thread, found[i]] = 1
        if (!((set, found[i]) in seen)) {
            seen[set, found[i]] = 1
            seen_list[set, ++seen_count[set]] = found[i]
        }
    }
}

# Adds the stack of the entry field[1..fields] to the way.
function add_way(thread,    i, j, n) {
    for (i = fields; i >= 4; i--) {
        n = expand(field[i])
        for (j = 1; j <= n; j++) {
            if (((thread, found[j]) in ran) && !(found[j] in on_way)) {
                on_way[found[j]] = 1
                way[++way_count] = thread_name(thread) " " found[j]
            }
        }
    }
}

function thread_name(thread) {
    if (!(thread in letter)) {
        letter[thread] = substr("ABCDEFGH", ++letters, 1)
    }
    return letter[thread]
}

function scan_marks(    i, part) {
    first = runner = last = ""
    for (i = 1; i <= lines; i++) {
        split(line[i], part, " ")
        if (part[1] == "B") first = part[2]
        if (part[1] == "f") runner = part[2]
        if (part[1] == "Z") last = part[2]
    }
}

function follow_marks(kind) {
    returned = returned || kind == "r"
    called_again = called_again || kind == "c"
    runs = runs || kind == "f"
}

# Whether the entry field[1..] is a station; its name is noted as passed.
function is_station(    name, key) {
    if (field[1] == "Z") {
        return 1
    }
    name = name_at[field[4], 1]
    key = name (field[1] == "X" ? ":X" : "")
    if ((key in station) && counts(field[2])) {
        passed[key] = 1
        return 1
    }
    if (field[1] == "E" && ((name "@") in station) && !runs) {
        passed[name "@"] = 1
        return 1
    }
    return 0
}

# Goes through the walk of line[1..lines]: first which functions ran, then which of them are
# on the way.
function walk(    i, pass, key) {
    scan_marks()
    split("", ran); split("", seen); split("", seen_list); split("", seen_count)
    split("", on_way); split("", way); split("", letter); split("", passed)
    way_count = letters = 0
    for (pass = 1; pass <= 2; pass++) {
        returned = called_again = runs = 0
        for (i = 1; i <= lines; i++) {
            fields = split(line[i], field, " ")
            if (pass == 2 && is_station()) {
                add_way(field[2])
            } else if (pass == 1 && field[1] ~ /[EX]/) {
                key = counts(field[2]) ? "walk" : "beside"
                add_ran(key, field[2], field[4])
                if (fields > 4) {
                    add_ran(key, field[2], field[5]) # called it, or goes on after it
                }
            }
            follow_marks(field[1])
        }
    }
    finish_walk()
}

# Counts the files of a list of lines that end with a file.
function count_files(list, n, leaf,    i, part, k, total, had) {
    for (i = 1; i <= n; i++) {
        k = split(list[i], part, " ")
        if (layer_is_leaf(part[k]) == leaf && !(part[k] in had)) {
            had[part[k]] = 1
            total++
        }
    }
    return total + 0
}

# A walk that did not come by all stations took another way: it is only counted.
function finish_walk(    i, text, n, lacks) {
    walks++
    for (i in station) {
        if (!(i in passed)) {
            missed[i]++
            lacks = 1
        }
    }
    if (lacks) {
        return
    }
    complete++
    text = ""
    for (i = 1; i <= way_count; i++) {
        text = text way[i] "\n"
    }
    n = count_files(way, way_count, 0)
    least = complete == 1 || n < least ? n : least
    most = n > most ? n : most
    if (++times[text] > times[common]) {
        common = text
        keep()
    }
}

# Keeps what is printed of the walk that is the most frequent so far.
function keep(    i) {
    split("", kept_way); split("", kept_ran); split("", kept_beside)
    kept_count = way_count
    for (i = 1; i <= way_count; i++) kept_way[i] = way[i]
    kept_ran_count = seen_count["walk"] + 0
    for (i = 1; i <= kept_ran_count; i++) kept_ran[i] = seen_list["walk", i]
    kept_beside_count = seen_count["beside"] + 0
    for (i = 1; i <= kept_beside_count; i++) kept_beside[i] = seen_list["beside", i]
    split("", kept_on_way)
    for (i in on_way) kept_on_way[i] = 1
}

# Prints the files of a list whose functions are not on the way, with these functions.
function print_others(what, list, n,    i, part, files, names, order) {
    for (i = 1; i <= n; i++) {
        split(list[i], part, " ")
        if (list[i] in kept_on_way) continue
        if (!(part[2] in names)) order[++files] = part[2]
        names[part[2]] = names[part[2]] " " part[1]
    }
    printf "  %s, %d files:\n", what, files
    for (i = 1; i <= files; i++) {
        printf "    %-28s%s\n", order[i], names[order[i]]
    }
}

function print_files(what, leaf,    i, part, had, text, n) {
    for (i = 1; i <= kept_count; i++) {
        split(kept_way[i], part, " ")
        if (layer_is_leaf(part[3]) == leaf && !(part[3] in had)) {
            had[part[3]] = 1
            text = text " " part[3]
            n++
        }
    }
    printf "  %s, %d:%s\n", what, n, text
}

function print_walk(    i, part, n, modules, had, stem) {
    n = count_files(kept_way, kept_count, 0)
    for (i = 1; i <= kept_count; i++) {
        split(kept_way[i], part, " ")
        stem = part[3]
        sub(/\.[ch]$/, "", stem)
        if (!layer_is_leaf(part[3]) && !(stem in had)) {
            had[stem] = 1
            modules++
        }
    }
    printf "%s: %d functions on the way, in %d files (%d modules); the goal is %d files%s\n",
        title, kept_count, n, modules, goal, (n > goal ? ": NOT REACHED" : "")
    printf "  %d of %d walks came by all stations, with %d to %d files; %d took this way\n",
        complete, walks, least, most, times[common]
    for (i = 1; i <= kept_count; i++) {
        split(kept_way[i], part, " ")
        printf "  %3d  thread %s  %-28s%s\n", i, part[1], part[2], part[3]
    }
    print_files("files of the way", 0)
    print_files("files of base, os, arch, cpu, mem and debug, and the structs", 1)
    if (verbose) {
        print_others("looked at beside the way", kept_ran, kept_ran_count)
        print_others("on other threads meanwhile", kept_beside, kept_beside_count)
    } else {
        printf "  all that these threads ran: %d functions, in %d files and %d of the last\n",
            kept_ran_count, count_files(kept_ran, kept_ran_count, 0),
            count_files(kept_ran, kept_ran_count, 1)
    }
}

BEGIN {
    count = split(stations, word, " ")
    for (i = 1; i <= count; i++) {
        station[word[i]] = 1
    }
    common = ""
    times[common] = 0
}

# The first file: an address, and for each function there a line with its name and one with
# the place, the innermost first.
FNR == NR && /^0x/ {
    address = $1
    sub(/^0x0*/, "", address)
    depth[address] = 0
    next
}
FNR == NR {
    name_line = $1
    getline
    place = $1
    sub(/:[0-9?]*$/, "", place)
    if (place ~ /count_walks\.c$/ || !sub(/^.*\/src\//, "", place)) {
        place = ""
    }
    depth[address]++
    name_at[address, depth[address]] = name_line
    file_at[address, depth[address]] = place
    next
}

$1 == "B" {
    lines = 0
}
{
    line[++lines] = $0
}
$1 == "Z" {
    walk()
}

END {
    if (complete > 0) {
        print_walk()
        exit 0
    }
    printf "count_walks: %s: none of %d walks came by all stations\n", title, walks \
        >"/dev/stderr"
    for (i in missed) {
        printf "  %d walks did not come by %s\n", missed[i], i >"/dev/stderr"
    }
    exit 1
}
