#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the checks: each is green on a small clean tree and red on each planted fault.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
faults=0

# Puts standard input into the file $1 of the tree.
plant() {
    mkdir -p "$(dirname "$tree/$1")"
    cat >"$tree/$1"
}

# Makes the tree anew, with nothing wrong in it, though the comments and strings look bad.
clean_tree() {
    rm -rf "$tree"
    plant include/tuco/go.h <<'END'
/* Does one thing. */
TUCO_API void tuco_one(void);
TUCO_API int
tuco_two(int a,
         int b);

#define TUCO_WRAP(name) \
    int tuco_wrap_##name(void);

/* Does a thing here. */
static inline int tuco_three(void) {
    return tuco_two(1, 2);
}

/* What a callback looks like. */
typedef int (*tuco_callback)(void);

/* Used by what is above. */
TUCO_API extern int tuco_private_count;
TUCO_API void tuco_private_slow(void);
END
    for name in one two three; do
        echo "tuco_$name" | plant docs/man/tuco_$name.3
    done
    echo '.so man3/tuco_one.3' | plant docs/man/tuco_two.3
    echo 'tuco_one tuco_two' | plant docs/man/tuco_one.3
    plant src/base/atomic.h <<'END'
#include <stdatomic.h>
#define rt_load(p) atomic_load_explicit(p, memory_order_relaxed)
END
    plant src/os/linux.c <<'END'
#include <pthread.h>
#include "base/atomic.h"
int os_start(void) { return errno ? pthread_create() : 0; }
END
    plant src/sched/g.h <<'END'
#include <errno.h>
#include "base/atomic.h"
/* atomic_load() and mmap() are only spoken of here, and errno; // "
   #include <pthread.h> */
static const char *text = "atomic_load() errno \" mmap()"; // __atomic_load
struct rt_g { rt_atomic(int) n; int (*mmap)(void); };
END
    plant src/sched/sched.h <<'END'
#include "g.h"
#include "config.h"
END
    plant src/config.h <<'END'
#include "sched/g.h"
END
    plant src/sched/findrunnable.c <<'END'
#include "g.h"
static int find(int a) {
    look(a); look(a);
    rest(a);
    return a;
}
static int rt_find(int a) {
    rest(a);
}
END
    plant tests/sim/scenarios/a.c <<'END'
SIM_SCENARIO(storm, "many") {
}
END
    plant tests/sim/mutants.def <<'END'
# A comment.

[sched/findrunnable.c]

findrunnable-rests, found by storm
    A rule
    is broken.
    in find: s/rest(a);/look(a);/
    in find: /return/d
    in rt_find: s/rest/look/
    in rt_lock of sched/lock.h: s/1/2/
END
    plant src/sched/lock.h <<'END'
static inline int rt_lock(void) { return 1; }
END
    plant docs/design/simulation.md <<'END'
| mutant | the rule that it breaks | scenario | found in run |
|---|---|---|---|
| `findrunnable-rests` | A rule is broken | `storm` | 12 |
END
}

# Runs check $1 on the tree and requires status $2 and, if given, the text $3.
expect() {
    status=0
    output=$("$scripts/$1" "$tree" 2>&1) || status=$?
    if [ "$status" -ne "$2" ] ||
        { [ $# -gt 2 ] && ! printf '%s\n' "$output" | grep -qF -- "$3"; }; then
        echo "$1: status $status, expected $2 with '${3-}'; it said:"
        printf '%s\n' "$output"
        faults=$((faults + 1))
    fi
}

# Plants standard input as file $2 of a clean tree; check $1 has to find it and say $3.
red() {
    clean_tree
    plant "$2"
    expect "$1" 1 "$3"
}

lines() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "    x();" }'
}

clean_tree
for check in atomics circles kernel_door layers headers man_examples mutants pairs size \
    static_names width words; do
    expect check_$check.sh 0
done

red check_atomics.sh src/sched/a.c 'src/sched/a.c:2:' <<'END'
/* a */
#include <stdatomic.h>
END
red check_atomics.sh src/sched/a.c 'src/sched/a.c:1:' <<'END'
int a(int *p) { return __atomic_load_n(p, 0); }
END
red check_atomics.sh src/mem/a.h 'src/mem/a.h:1:' <<'END'
_Atomic(int) word;
END
red check_atomics.sh src/mem/a.c 'src/mem/a.c:2:' <<'END'
/* several
   lines */ int b = atomic_load(&a);
END
red check_atomics.sh src/mem/a.c 'src/mem/a.c:1:' <<'END'
int c = __sync_fetch_and_add(&a, 1);
END

# Plants $1 modules of which each includes the next one, and the last the first.
plant_circle() {
    clean_tree
    for i in $(seq "$1"); do
        echo "#include \"a$((i % $1 + 1)).h\"" | plant "src/sched/a$i.c"
        echo "int a$i;" | plant "src/sched/a$i.h"
    done
}

plant_circle 9
expect check_circles.sh 0
plant_circle 10
expect check_circles.sh 1 'src: 10 modules include each other, at most 9 may: sched/a1 sched/a10'

for header in pthread.h sys/mman.h linux/futex.h unistd.h time.h; do
    echo "#include <$header>" | red check_kernel_door.sh src/sched/a.c 'src/sched/a.c:1:'
done
for call in 'pthread_self()' 'mmap(0)' 'syscall (SYS_x)' 'sigaction(1)' 'madvise(p)'; do
    echo "int a = $call;" | red check_kernel_door.sh src/base/a.c 'src/base/a.c:1:'
done
red check_kernel_door.sh src/net/a.c 'src/net/a.c:2:' <<'END'
#include <errno.h>
int a(void) { return -errno; }
END

red check_layers.sh src/mem/stack.c 'mem/stack.c -> sched/g.h' <<'END'
#include "sched/g.h"
END
red check_layers.sh src/sched/thread/a.c 'sched/thread/a.c -> config.h' <<'END'
#include <config.h>
END
red check_layers.sh src/cpu/topology.c 'cpu/topology.c -> sched/g.h' <<'END'
#include "sched/g.h"
END
red check_layers.sh src/mem/stack.c 'write the path from src/' <<'END'
#include "../sched/g.h"
END
red check_layers.sh src/extra/a.c 'extra is in no layer' <<'END'
#include "sched/g.h"
END
red check_layers.sh src/sched/sched.h 'an exception that nothing uses' <<'END'
#include "g.h"
END

red check_pairs.sh src/sched/a.c 'src/sched/a.c:1: pairs with none(), which does not exist' <<'END'
/* acquire: the list. Pairs with
   none(). */
END
red check_pairs.sh src/sched/a.c 'pairs with plain(), which has no ordering operation' <<'END'
static int plain(void) {
    return 1; // acquire. Pairs with plain().
}
END
red check_pairs.sh src/sched/a.c 'pairs with plain(), which has no ordering operation' <<'END'
/* acquire. Pairs with plain(). */
static void plain(int *p) {
    rt_or_rlx(p, 1);
}
END
red check_pairs.sh src/sched/a.c 'a.c:2: "pairs with itself" names no function' <<'END'
static void one(int *p) {
    rt_swap_acqrel(p, 1); /* acq_rel: one wins. Pairs with itself. */
}
END
red check_pairs.sh src/sched/a.c '"pairs with itself, one()" names no function' <<'END'
static void one(int *p) {
    rt_swap_acqrel(p, 1); /* acq_rel: one wins. Pairs with itself, one(). */
}
END
red check_pairs.sh src/sched/a.c '"pairs with the acquires below" names no function' <<'END'
/* release: the list. Pairs with the
   acquires below. Then comes one(). */
END
for apology in 'release: not needed' 'only the RMW matters' 'relaxed would do' \
    'stronger than needed' 'the acquire is not needed'; do
    echo "int a; /* $apology, it publishes nothing */" |
        red check_pairs.sh src/sched/a.c "a.c:1: \"${apology#the }"
done

red check_static_names.sh src/sched/a.c \
    'src/sched/findrunnable.c:2: src/sched/a.c has a static find() as well' <<'END'
static RT_NOINLINE struct rt_g *find(int a,
                                     int b);
END

red check_headers.sh include/tuco/x.h 'x.h:3: tuco_one has no comment' <<'END'
/* A comment that belongs to nothing. */

TUCO_API void tuco_one(void);
END
red check_headers.sh include/tuco/x.h 'x.h:2: tuco_one is declared without' <<'END'
/* Does one thing. */
void tuco_one(void);
END
red check_headers.sh include/tuco/x.h 'no manual page docs/man/tuco_four.3' <<'END'
/* Does a fourth thing. */
TUCO_API void tuco_four(void);
END
red check_headers.sh include/tuco/x.h 'no manual page docs/man/tuco_five.3' <<'END'
/* A fifth thing. */
TUCO_API extern int tuco_five;
END
red check_headers.sh include/tuco/x.h 'x.h:1: tuco_private_five has no comment' <<'END'
TUCO_API extern int tuco_private_five;
END
printf '/* %088d */\n' 0 |
    red check_headers.sh include/tuco/x.h 'x.h:1: 94 columns, at most 90 are allowed'
echo '.so man3/tuco_none.3' |
    red check_headers.sh docs/man/tuco_two.3 'docs/man/tuco_none.3, which does not exist'
echo 'something else' |
    red check_headers.sh docs/man/tuco_two.3 'tuco_two does not occur'

# Plants a file of mutants: the group of findrunnable.c, with standard input in it.
red_mutant() {
    { echo '[sched/findrunnable.c]'; cat; } |
        red check_mutants.sh tests/sim/mutants.def "$1"
}

# The same, for the command $1 of the mutant that the document knows.
red_command() {
    red_mutant "$2" <<END
findrunnable-rests, found by storm
    A rule is broken.
    $1
END
}

red_command 'in find: s/look(a);//' 'matches 2 places in find() of sched/findrunnable.c'
red_command 'in find: s/a);$//' 'matches 2 places in find() of sched/findrunnable.c'
red_command 'in find: /(a);/d' 'matches 2 places in find() of sched/findrunnable.c'
red_command 'in rt_find: s/return//' 'matches 0 places in rt_find() of sched/findrunnable.c'
red_command 'in find: /none/d' 'findrunnable-rests: matches 0 places in find()'
red_command 'in look: s/rest//' 'matches 0 places in look() of sched/findrunnable.c'
red_command 'in find: s/rest/rest/' 'findrunnable-rests: changes nothing in sched/'
red_command 'in find: s/\(rest//' 'Unmatched ( or'
red_command 'in find: s/rest//g' 'mutants.def:4: a command is an s without flags'
red_command 'in find: p' 'a command is an s without flags'
red_command 's/rest//' 'a command begins with "in function: "'
red_command 'in rt_lock of sched/none.h: s/1/2/' 'the source sched/none.h does not exist'
red_command '' 'findrunnable-rests has no command'
red_mutant 'findrunnable-rests has no rule, as a sentence' <<'END'
findrunnable-rests, found by storm
    A rule is broken
    in find: s/rest//
END
red_mutant 'has no row "| `findrunnable-c` | Another | `storm` |"' <<'END'
findrunnable-c, found by storm
    Another.
    in find: s/rest//
END
red_mutant 'has no row "| `findrunnable-rests` | Another rule | `storm` |"' <<'END'
findrunnable-rests, found by storm
    Another rule.
    in find: s/rest//
END
red_mutant 'there is no scenario calm' <<'END'
findrunnable-rests, found by calm
    A rule is broken.
    in find: s/rest//
END
red_mutant 'the name find-rests does not begin with findrunnable-' <<'END'
find-rests, found by storm
END
red_mutant 'findrunnable-a comes before findrunnable-b in the alphabet' <<'END'
findrunnable-b, found by storm
findrunnable-a, found by storm
END
red_mutant 'the name findrunnable-b is there twice' <<'END'
findrunnable-b, found by storm
findrunnable-b, found by storm
END
red_mutant '[sched/a.c] comes before [sched/findrunnable.c] in the alphabet' <<'END'
[sched/a.c]
END
red_mutant 'mutants.def:2: this is no [path]' <<'END'
findrunnable-rests
END
echo 'findrunnable-rests, found by storm' |
    red check_mutants.sh tests/sim/mutants.def 'findrunnable-rests is below no [path]'
red check_mutants.sh docs/design/simulation.md 'd-e has a row, and is not in' <<'END'
| `findrunnable-rests` | A rule is broken | `storm` | 12 |
| `d-e` | A rule is broken | `storm` | 12 |
END

clean_tree
printf '```c\nint a;\n```\n' | plant README.md
echo 'int a;' | plant examples/00-readme.c
expect check_readme.sh 0
echo 'int b;' | plant examples/00-readme.c
expect check_readme.sh 1 'int b;'

lines 801 | red check_size.sh src/sched/a.c 'the file has 801 lines'
{ echo 'static int *long_one(int a,'; echo '    int b) {'; lines 68; echo '}'; } |
    red check_size.sh src/sched/a.c 'src/sched/a.c:1: long_one has 71 lines'
clean_tree
{ echo 'int f(void) {'; lines 68; echo '}'; echo 'int t[] = {'; lines 90; echo '};'; } |
    plant src/sched/a.c
expect check_size.sh 0

# Plants a manual page with the lines $1 as an example.
plant_example() {
    printf '.SH EXAMPLES\n.PP\n.EX\n%s\n.EE\n.SH NOTES\n.EX\nno C\n.EE\n' "$1" |
        plant docs/man/tuco_three.3
}

clean_tree
plant_example '#include <tuco/go.h>
static const char text[] = "a\(aqb\en\-c\&";
int main(void) { return text[0]; }'
printf '#define TUCO_API\n' | plant include/tuco/go.h
expect check_man_examples.sh 0
plant_example 'int a;
int main(void) { return b; }'
expect check_man_examples.sh 1 'docs/man/tuco_three.3:5:'
plant_example 'int main(void) { int unused; return 0; }'
expect check_man_examples.sh 1 'docs/man/tuco_three.3:4:'

printf '/* %90s */\n' x | red check_width.sh src/sched/a.h 'src/sched/a.h:1: 96 columns'
printf '/* %90s */\n' x | red check_width.sh tests/unit/a_test.c 'tests/unit/a_test.c:1: 96 columns'
printf 'x %99s\n' x | red check_width.sh docs/a.md 'docs/a.md:1: 101 columns'
clean_tree
printf '| %99s |\n    %99s\n```c\n%101s\n```\n' x x x | plant docs/a.md
expect check_width.sh 0

open_end='TO''DO'
echo "/* $open_end: later */" | red check_words.sh src/sched/a.c 'src/sched/a.c:1:'
clean_tree
echo "/* $open_end(#12): later */" | plant src/sched/a.c
expect check_words.sh 0
pronoun='some''body'
echo "/* wakes $pronoun */" | red check_words.sh src/sched/a.c 'src/sched/a.c:1:'
echo "/* $pronoun waits */" | red check_words.sh tests/unit/a_test.c 'tests/unit/a_test.c:1:'
echo "Wakes $pronoun." | red check_words.sh docs/design/a.md 'docs/design/a.md:1:'
echo "A program of $pronoun" | red check_words.sh docs/man/a.3 'docs/man/a.3:1:'
echo "# for $pronoun" | red check_words.sh cmake/a.cmake 'cmake/a.cmake:1:'

if command -v clang-format >/dev/null; then
    clean_tree
    cp "$scripts/../.clang-format" "$tree/"
    printf 'int  a( void )\n{ return 1 ; }\n' | plant src/sched/a.c
    expect check_format.sh 1 'src/sched/a.c:1:'
fi

if [ "$faults" -gt 0 ]; then
    exit 1
fi
