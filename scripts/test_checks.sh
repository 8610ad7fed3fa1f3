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
    plant src/sched/find.c <<'END'
#include "g.h"
#include "time/timer.h"
END
    plant src/time/timer.h <<'END'
#include "sched/g.h"
END
    plant tests/sim/scenarios/a.c <<'END'
SIM_SCENARIO(storm, "many") {
}
END
    plant tests/sim/mutants/a-b.sed <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken.
# file: sched/find.c
# scenario: storm
s/a/b/
END
    plant docs/design/simulation.md <<'END'
| mutant | the rule that it breaks | scenario | found in run |
|---|---|---|---|
| `a-b` | A rule is broken | `storm` | 12 |
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
for check in atomics kernel_door layers headers mutants size words; do
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
red check_layers.sh src/sched/loop.c 'sched/loop.c -> time/timer.h' <<'END'
#include <time/timer.h>
END
red check_layers.sh src/trace/dump.c 'trace/dump.c -> sched/g.h' <<'END'
#include "sched/g.h"
END
red check_layers.sh src/mem/stack.c 'write the path from src/' <<'END'
#include "../sched/g.h"
END
red check_layers.sh src/extra/a.c 'extra is in no layer' <<'END'
#include "sched/g.h"
END
red check_layers.sh src/sched/find.c 'an exception that nothing uses' <<'END'
#include "g.h"
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
echo '.so man3/tuco_none.3' |
    red check_headers.sh docs/man/tuco_two.3 'docs/man/tuco_none.3, which does not exist'
echo 'something else' |
    red check_headers.sh docs/man/tuco_two.3 'tuco_two does not occur'

red check_mutants.sh tests/sim/mutants/c.sed 'has no row "| `c` | Another | `storm` |"' <<'END'
# SPDX-License-Identifier: MIT
# Another.
# file: sched/find.c
# scenario: storm
END
red check_mutants.sh tests/sim/mutants/a-b.sed 'no rule, as a sentence' <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken
# file: sched/find.c
# scenario: storm
END
red check_mutants.sh tests/sim/mutants/a-b.sed 'src/sched/none.c does not exist' <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken.
# file: sched/none.c
# scenario: storm
END
red check_mutants.sh tests/sim/mutants/a-b.sed 'src/sched/none.c does not exist' <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken.
# file: sched/find.c
# file: sched/none.c
# scenario: storm
END
red check_mutants.sh tests/sim/mutants/a-b.sed 'no file' <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken.
# scenario: storm
END
red check_mutants.sh tests/sim/mutants/a-b.sed "there is no scenario 'calm'" <<'END'
# SPDX-License-Identifier: MIT
# A rule is broken.
# file: sched/find.c
# scenario: calm
END
red check_mutants.sh docs/design/simulation.md 'd-e has a row, and no script' <<'END'
| `a-b` | A rule is broken | `storm` | 12 |
| `d-e` | A rule is broken | `storm` | 12 |
END

lines 801 | red check_size.sh src/sched/a.c 'the file has 801 lines'
{ echo 'static int *long_one(int a,'; echo '    int b) {'; lines 68; echo '}'; } |
    red check_size.sh src/sched/a.c 'src/sched/a.c:1: long_one has 71 lines'
clean_tree
{ echo 'int f(void) {'; lines 68; echo '}'; echo 'int t[] = {'; lines 90; echo '};'; } |
    plant src/sched/a.c
expect check_size.sh 0

open_end='TO''DO'
echo "/* $open_end: later */" | red check_words.sh src/sched/a.c 'src/sched/a.c:1:'
clean_tree
echo "/* $open_end(#12): later */" | plant src/sched/a.c
expect check_words.sh 0

if command -v clang-format >/dev/null; then
    clean_tree
    cp "$scripts/../.clang-format" "$tree/"
    printf 'int  a( void )\n{ return 1 ; }\n' | plant src/sched/a.c
    expect check_format.sh 1 'src/sched/a.c:1:'
fi

if [ "$faults" -gt 0 ]; then
    exit 1
fi
