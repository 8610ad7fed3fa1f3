#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests ./bench with programs that print figures from a list instead of measuring them.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
faults=0

fault() {
    echo "$1"
    faults=$((faults + 1))
}

# Makes the program $1 of the tree from standard input.
program() {
    mkdir -p "$(dirname "$tree/$1")"
    { echo "#!/bin/sh" && cat; } >"$tree/$1"
    chmod +x "$tree/$1"
}

# A tree with ./bench, and with programs for cmake, go, tuco_bench and go_bench. The last two
# print the lines of the file figures that have their peer, case and Ps, or fail.
make_tree() {
    mkdir -p "$tree/benchmarks/peers/go" "$tree/build/release/benchmarks"
    cp "$root/bench" "$tree/bench"
    cp "$root/benchmarks/cases.def" "$root"/benchmarks/*.awk "$tree/benchmarks/"
    echo 'exit 0' | program bin/cmake
    program bin/go <<END
case \$1 in
build) cp "$tree/bin/go_bench" "\$3" ;;
env) echo go1.99 ;;
esac
END
    program bin/print_figures <<END
grep "\"peer\":\"\$1\",\"case\":\"\$2\",.*\"procs\":\$3," "$tree/figures" ||
    { echo "\$2 is not among the figures" >&2 && exit 1; }
END
    program bin/go_bench <<END
case \$1 in
--list) sed -n 's/.*"peer":"go","case":"\([^"]*\)".*/\1/p' "$tree/figures" | sort -u ;;
*) exec sh "$tree/bin/print_figures" go "\$1" "\$GOMAXPROCS" ;;
esac
END
    program build/release/benchmarks/tuco_bench <<END
[ "\$1" != --touch-memory ] || exit 0
exec sh "$tree/bin/print_figures" tuco "\$1" "\${TUCOPROCS:-0}"
END
}

# line PEER CASE FIGURE PS UNIT BEST
line() {
    printf '{"peer":"%s","case":"%s","figure":"%s","procs":%s,"unit":"%s"' "$1" "$2" "$3" \
        "$4" "$5"
    printf ',"ops":10,"reps":5,"best":%s,"median":%s,"worst":%s' "$6" "$6" "$6"
    if [ "$1" = tuco ]; then
        printf ',"version":"0.1.0","machine":{"cpu":"A<B> & C","cpus_usable":2'
        printf ',"cpus_online":4,"virtualised":"yes","kernel":"6.1","arch":"x86_64"'
        printf ',"date":"2026-01-02T03:04:05Z","compiler":"GNU 12","build":"Release"'
        printf ',"commit":"0a1b2c3"}'
    fi
    printf '}\n'
}

# pair CASE FIGURE PS UNIT TUCO GO
pair() {
    line tuco "$1" "$2" "$3" "$4" "$5"
    line go "$1" "$2" "$3" "$4" "$6"
}

# run STATUS ARGUMENT...: runs ./bench, with its output in the files out and err
run() {
    expected=$1 && shift
    status=0
    (cd "$tree" && PATH=$tree/bin:$PATH GO=$tree/bin/go ./bench --rounds 1 "$@") \
        >"$tree/out" 2>"$tree/err" </dev/null || status=$?
    if [ "$status" -ne "$expected" ]; then
        fault "./bench $*: status $status, not $expected"
        cat "$tree/out" "$tree/err"
    fi
}

# says FILE REGEX
says() {
    grep -qE -- "$2" "$tree/$1" || {
        fault "$1 does not say '$2':"
        cat "$tree/$1"
    }
}

# Prints what is wrong with the XML in the file $1: elements, attributes and entities.
xml_faults() {
    awk '
    { all = all $0 "\n" }
    function text_ends(text) {
        gsub(/&(amp|lt|gt|quot);/, "", text)
        if (text ~ /&/) {
            print "a bare &: " text
        }
        if (depth == 0 && text ~ /[^ \n]/) {
            print "text outside of the root: " text
        }
    }
    END {
        tag = "^<[/]?[A-Za-z]+([ \n]+[A-Za-z:-]+=\"[^<\"]*\")*[/]?>"
        sub(/^<\?xml version="1.0" encoding="UTF-8"\?>/, "", all)
        while (at = index(all, "<")) {
            text_ends(substr(all, 1, at - 1))
            all = substr(all, at)
            if (!match(all, tag)) {
                print "no tag: " substr(all, 1, 60)
                exit
            }
            element = substr(all, 1, RLENGTH)
            all = substr(all, RLENGTH + 1)
            name = element
            gsub(/^<[\/]?|[ \n\/>].*$/, "", name)
            if (element ~ /^<\//) {
                if (depth == 0 || open[depth--] != name) {
                    print "closes what is not open: " element
                }
            } else {
                if (depth == 0 && roots++) {
                    print "a second root: " element
                }
                if (match(element, / id="[^"]*"/) && ids[substr(element, RSTART, RLENGTH)]++) {
                    print "an id twice: " element
                }
                if (element !~ /\/>$/) {
                    open[++depth] = name
                }
            }
        }
        text_ends(all)
        if (depth != 0 || !roots) {
            print "not closed: " open[depth]
        }
    }' "$1"
}

# well_formed FILE, of the tree
well_formed() {
    if xml_faults "$tree/$1" | grep . ||
        { command -v xmllint >/dev/null && ! xmllint --noout "$tree/$1"; }; then
        fault "$1 is not well-formed"
    fi
}

# Prints for each row of the chart $1: the figure, and the length of tuco's bar over Go's.
# Behind a bar there is room for its figure: it ends 150 pixels before the page does.
bars() {
    awk '
    match($0, /^<g id="[^"]*"/) { figure = substr($0, 8, RLENGTH - 8) }
    match($0, / width="[^"]*"/) { pixels = substr($0, RSTART + 8, RLENGTH - 9) }
    match($0, / x="[^"]*"/) { x = substr($0, RSTART + 4, RLENGTH - 5) }
    /^<rect class="page"/ { page = pixels }
    /^<rect class="(tuco|go)"/ && x + pixels > page - 150 { print figure " is too long" }
    /^<rect class="tuco"/ { tuco = pixels }
    /^<rect class="go"/ { printf "%s %.2f\n", figure, tuco / pixels }' "$tree/$1"
}

# has_bars FILE ROW...
has_bars() {
    drawn=$(bars "$1")
    wanted=$(shift && printf '%s\n' "$@")
    [ "$drawn" = "$wanted" ] || fault "$1 has the bars $drawn instead of $wanted"
}

# The checker of this test finds faults.
for text in '<a><b></a></b>' '<a x=1/>' '<a>&</a>' '<a>' '<a/><a/>' '<a>1<2</a>' 'a' ''; do
    printf '%s' "$text" >"$tree/bad.svg"
    [ -n "$(xml_faults "$tree/bad.svg")" ] || fault "'$text' passed as XML"
done

make_tree
{
    line tuco switch switch 0 ns/op 5
    line tuco atomic_pair atomic_pair 0 ns/op 4
    pair yield yield 1 ns/op 10 50
    pair yield yield 2 ns/op 1 2
    pair pingpong pingpong 1 ns/op 80 100
    pair pingpong pingpong 2 ns/op 60 160
    pair pingpong pingpong 2 ns/op 40 200
    pair spawn_peak spawn_peak 1 B 200 100
    pair million million_bytes 1 B/goroutine 3000 2000
    line tuco timer_func timer_func 1 ns/op 7
    line tuco timer_func timer_func 2 ns/op 7
} >"$tree/figures"

# The bests at the Ps of the row; what Go does not have, and what is no row, is left out.
run 0 --case '^(yield|pingpong|spawn_peak|timer_func)$' --chart chart.svg
says out '^pingpong +2 +ns/op +40.0 +160.0 +4.00'
says out '^timer_func +1 +ns/op +7.00 +- +-'
well_formed chart.svg
has_bars chart.svg 'yield 0.20' 'pingpong 0.25'
says chart.svg '>1 P<'
says chart.svg '>2 Ps<'
says chart.svg '>tuco 40.0 ns<'
says chart.svg '>Go 160 ns<'
says chart.svg '>A&lt;B&gt; &amp; C, 2 of 4 CPUs'
says chart.svg 'tuco 0.1.0 \(commit 0a1b2c3\).*; go1.99; 2026-01-02<'

# Fewer Ps than two, and a bar that is longer than that of Go.
run 0 --case '^(pingpong|million)$' --procs 1 --chart chart.svg --json
well_formed chart.svg
has_bars chart.svg 'pingpong 0.80' 'million_bytes 1.50'

# No row of the chart: an error, and the old chart stays. The table is printed all the same.
cp "$tree/chart.svg" "$tree/before.svg"
run 1 --case '^spawn_peak$' --chart chart.svg
says err 'no chart: it has no case of which tuco and Go were measured'
says out '^spawn_peak +1 +B +200.0 +100.0 +0.50'
cmp "$tree/chart.svg" "$tree/before.svg" || fault 'the old chart was overwritten'

# What cannot work is refused before anything runs.
run 2 --chart chart.svg --no-go
says err 'shows tuco beside Go'
run 2 --chart missing/chart.svg
says err "'missing/chart.svg' cannot be written"
run 2 --chart ''
run 2 --chart

# How far a run is, and what the processes say meanwhile. A step takes 40 seconds.
echo 0 >"$tree/clock"
program bin/date <<END
now=\$((\$(cat "$tree/clock") + 40))
echo \$now | tee "$tree/clock"
END
run 1 --case '^(yield|mutex)$' --procs 1 --rounds 2
cat >"$tree/expected" <<END
bench: round 1 of 2: switch, 1 of 4, 0 failed
bench: round 1 of 2: yield, 3 of 4, 0 failed, about 360 s left
mutex is not among the figures
bench: tuco mutex at 1 Ps: exit status 1
bench: round 2 of 2: switch, 1 of 4, 1 failed, about 200 s left
bench: round 2 of 2: yield, 3 of 4, 1 failed, about 93 s left
mutex is not among the figures
bench: tuco mutex at 1 Ps: exit status 1
bench: 2 runs failed
END
diff "$tree/expected" "$tree/err" || fault 'the lines about the progress are not these'

# On a terminal the line is rewritten, and gone when something else is printed.
if command -v script >/dev/null; then
    echo 0 >"$tree/clock"
    cat >"$tree/on_terminal" <<END
cd "$tree" && PATH=$tree/bin:\$PATH ./bench --no-go --case '^(mutex|timer_func)' --rounds 1
END
    script -qec "sh '$tree/on_terminal'" /dev/null </dev/null >"$tree/typescript" || :
    # Each line as it looks in the end: what follows the last return to its beginning.
    tr -d '\033' <"$tree/typescript" | sed -e 's/\r*$//' >"$tree/written"
    sed -e 's/.*\r//' -e 's/\[K//g' "$tree/written" >"$tree/seen"
    says written 'round 1 of 1: mutex, 3 of 8, 0 failed, about 360 s left'
    says written 'round 1 of 1: timer_func, 8 of 8, 4 failed'
    says seen '^bench: tuco mutex at 1 Ps: exit status 1$'
    says seen '^timer_func +1 +ns/op +7.00'
    ! grep -q 'round 1' "$tree/seen" || fault 'the progress stays on the terminal'
fi

[ "$faults" -eq 0 ]
