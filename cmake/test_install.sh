#!/bin/sh
# SPDX-License-Identifier: MIT
# One step of the install tests; install_tests.cmake names it and sets the variables.
set -eu

installed=$BUILD_DIR/install-test
prefix=$installed/prefix
work=$installed/steps/$1 # of this step alone: the steps run side by side
lib=$prefix/$LIBDIR
include=$prefix/$INCLUDEDIR
consumer=$SOURCE_DIR/cmake/consumer
warnings="-Wall -Wextra -pedantic-errors -Werror"

fail() {
    echo "$*" >&2
    exit 1
}

# Says why this machine cannot tell, in the way that ctest counts as skipped.
skip() {
    echo "skipped: $*"
    exit 77
}

prefix() {
    rm -rf "$installed"
    "$CMAKE" --install "$BUILD_DIR" --prefix "$prefix"
    [ -f "$include/tuco.h" ] || fail "tuco.h was not installed"
    [ -f "$lib/libtuco.a" ] || fail "libtuco.a was not installed"
    [ -e "$lib/libtuco.so" ] || fail "libtuco.so was not installed"
    [ -f "$lib/pkgconfig/tuco.pc" ] || fail "tuco.pc was not installed"
    # Nothing may remember where it was built.
    if grep -rIn "$SOURCE_DIR/include" "$prefix"; then
        fail "an installed file names the source directory"
    fi
}

# The program $1, compiled with the exported flags, ends with the report of an overflow.
expect_overflow() {
    if "$1" 2>"$work/overflow"; then
        fail "$1 has stepped over the guard of its stack"
    fi
    grep -q 'fatal error: stack overflow' "$work/overflow" ||
        fail "$1: $(cat "$work/overflow")"
}

# Builds and runs the consumer against the imported target $1.
find_package() {
    "$CMAKE" -S "$consumer" -B "$work/$1" -G "$GENERATOR" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" -DTUCO_TARGET="tuco::$1"
    "$CMAKE" --build "$work/$1"
    "$work/$1/consumer"
    expect_overflow "$work/$1/big_frame"
}

find_package_shared() {
    find_package tuco
    "$READELF" -d "$work/tuco/consumer" | grep -qF "[$SONAME]" ||
        fail "the consumer does not ask for $SONAME"
}

find_package_static() {
    find_package tuco_static
    if "$READELF" -d "$work/tuco_static/consumer" | grep -F libtuco; then
        fail "the statically linked consumer asks for the shared library"
    fi
}

# Word splitting is what the output of pkg-config is made for.
# shellcheck disable=SC2046
pkg_config() {
    [ -n "$PKG_CONFIG" ] || skip "there is no pkg-config"
    PKG_CONFIG_PATH=$lib/pkgconfig
    export PKG_CONFIG_PATH
    "$CC" -o "$work/pkg-shared" "$consumer/main.c" $("$PKG_CONFIG" --cflags --libs tuco)
    LD_LIBRARY_PATH=$lib "$work/pkg-shared"
    "$CC" -O2 -o "$work/pkg-frame" "$consumer/big_frame.c" -Wl,-rpath,"$lib" \
        $("$PKG_CONFIG" --cflags --libs tuco)
    expect_overflow "$work/pkg-frame"
    "$CC" -static -o "$work/pkg-static" "$consumer/main.c" \
        $("$PKG_CONFIG" --static --cflags --libs tuco)
    "$work/pkg-static"
}

# The library stays when it is unloaded with a goroutine of it left behind.
dlclose() {
    "$CC" -o "$work/dlclose" "$consumer/dlclose.c" -ldl
    "$work/dlclose" "$lib/libtuco.so"
}

# Builds $1.c of the consumer with the variant $2 as $work/$2-$1, by pkg-config.
# shellcheck disable=SC2046
build_variant() {
    [ -n "$PKG_CONFIG" ] || skip "there is no pkg-config"
    PKG_CONFIG_PATH=$lib/pkgconfig
    export PKG_CONFIG_PATH
    "$CC" -g -o "$work/$2-$1" "$consumer/$1.c" \
        $("$PKG_CONFIG" --cflags --libs "tuco-$2")
}

# The leak of a goroutine is found, and what one holds while it waits is none.
asan() {
    find_package tuco_asan
    build_variant leak asan
    LD_LIBRARY_PATH=$lib "$work/asan-leak"
    if LD_LIBRARY_PATH=$lib "$work/asan-leak" lose 2>"$work/leak.log"; then
        fail "the leak of a goroutine was not found"
    fi
    grep -q "LeakSanitizer" "$work/leak.log" && grep -q " in lose " "$work/leak.log" ||
        fail "no leak in lose(): $(cat "$work/leak.log")"
}

# A program without a race runs in silence; a race is found every time, also where the two
# goroutines have one processor. $LAUNCHER: see tests.cmake.
# shellcheck disable=SC2086
tsan() {
    build_variant main tsan
    LD_LIBRARY_PATH=$lib $LAUNCHER "$work/tsan-main"
    build_variant race tsan
    for procs in 1 4; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            status=0
            TUCOPROCS=$procs LD_LIBRARY_PATH=$lib $LAUNCHER "$work/tsan-race" \
                2>"$work/race.log" || status=$?
            [ "$status" -eq 66 ] && grep -q "data race" "$work/race.log" ||
                fail "run $i with $procs processors: no race was found, status $status"
        done
    done
}

# The exported names are the declared ones, no more and no fewer, all of one version.
symbols() {
    "$READELF" -d "$lib/libtuco.so" | grep -F SONAME | grep -qF "[$SONAME]" ||
        fail "the soname is not $SONAME"
    # The node itself is listed as an absolute symbol.
    "$NM" -D --defined-only "$lib/libtuco.so" |
        awk -v node="$VERSION_NODE" '$NF != node && $NF != node "@@" node { print $NF }' |
        sort >"$work/exported"
    awk -f "$SOURCE_DIR/scripts/public_functions.awk" "$include"/*.h "$include"/tuco/*.h |
        awk -v node="$VERSION_NODE" '$4 == "exported" { print $3 "@@" node }' |
        sort >"$work/declared"
    [ -s "$work/declared" ] || fail "the headers declare nothing"
    diff "$work/declared" "$work/exported" ||
        fail "declared (<) and exported (>) names differ"
}

# Compiles each installed header alone, twice in one file, as $1 -x $2 -std=$3; and calls of
# the functions that only read with pointers to const.
headers() {
    for header in "$include"/*.h "$include"/tuco/*.h; do
        name=${header#"$include"/}
        # shellcheck disable=SC2086
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$1" -x "$2" -std="$3" $warnings -I"$include" -fsyntax-only - ||
            fail "$name does not compile alone as $3"
        echo "$name: $3"
    done
    # shellcheck disable=SC2086
    "$1" -x "$2" -std="$3" $warnings -I"$include" -fsyntax-only "$consumer/readers.c" ||
        fail "a function that only reads refuses a pointer to const as $3"
}

headers_c() {
    headers "$CC" c c11
}

headers_cxx() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    headers "$CXX" c++ c++17
}

# Compiles the lines on standard input as $1 -x $2, and requires that errno in the last of
# them becomes $3.
expect_errno() {
    "$1" -x "$2" -I"$include" -E -P - | tail -n 1 | grep -qF "$3" ||
        fail "errno is not $3 in $2 after $name"
}

# Each header that declares a call defines errno anew, whatever was included before or is
# included later, and leaves it alone if asked to.
errno_in() {
    for header in "$include"/*.h "$include"/tuco/*.h; do
        name=${header#"$include"/}
        [ "$name" != tuco/version.h ] || continue
        printf '#include <errno.h>\n#include <%s>\nerrno\n' "$name" |
            expect_errno "$1" "$2" tuco_private_errno
        printf '#include <%s>\n#include <errno.h>\nerrno\n' "$name" |
            expect_errno "$1" "$2" tuco_private_errno
        printf '#define TUCO_KEEP_ERRNO\n#include <%s>\nerrno\n' "$name" |
            expect_errno "$1" "$2" __errno_location
    done
}

errno_c() {
    errno_in "$CC" c
}

# Builds cmake/consumer/$1.cpp with the shared library and with the archive, and runs both.
cxx_program() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    # shellcheck disable=SC2086
    "$CXX" -std=c++17 -O2 $warnings -I"$include" -o "$work/$1-shared" \
        "$consumer/$1.cpp" -L"$lib" -ltuco -Wl,-rpath,"$lib"
    "$work/$1-shared"
    # shellcheck disable=SC2086
    "$CXX" -std=c++17 -O2 $warnings -I"$include" -o "$work/$1-static" \
        "$consumer/$1.cpp" "$lib/libtuco.a" -pthread -ldl
    "$work/$1-static"
}

# Compiles select.c with $1 -x $2 -std=$3: as it is, and with each wrong size, which must be
# refused for that reason.
sizes_in() {
    # shellcheck disable=SC2086
    "$1" -x "$2" -std="$3" $warnings -I"$include" -fsyntax-only "$consumer/select.c" ||
        fail "cases of the right size do not compile as $3"
    for wrong in WRONG_SEND WRONG_RECV WRONG_ARRAY; do
        # shellcheck disable=SC2086
        if "$1" -x "$2" -std="$3" $warnings -I"$include" -fsyntax-only -D$wrong \
            "$consumer/select.c" 2>"$work/sizes"; then
            fail "$wrong compiles as $3"
        fi
        grep -q 'differ in size' "$work/sizes" || fail "$wrong: $(cat "$work/sizes")"
    done
}

sizes_c() {
    sizes_in "$CC" c c11
    sizes_in "$CC" c gnu11
}

sizes_cxx() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    sizes_in "$CXX" c++ c++11
    sizes_in "$CXX" c++ c++20
}

# Compiles results.c with $1 -x $2 -std=$3: the result of each call in it is not used, and the
# compiler warns about each.
results_in() {
    "$1" -x "$2" -std="$3" -Wall -I"$include" -S -o "$work/results.s" \
        "$consumer/results.c" 2>"$work/results" ||
        fail "results.c does not compile as $3: $(cat "$work/results")"
    grep -n '^    [a-z_]*(.*;$' "$consumer/results.c" | cut -d: -f1 >"$work/results-wanted"
    sed -n 's/^[^ ]*results\.c:\([0-9]*\):.*\[-Wunused-result\]$/\1/p' "$work/results" |
        sort -nu >"$work/results-found"
    [ -s "$work/results-wanted" ] || fail "there are no calls in results.c"
    diff "$work/results-wanted" "$work/results-found" ||
        fail "lines with a call (<) and with a warning (>) differ as $3"
}

results_c() {
    results_in "$CC" c c11
}

results_cxx() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    results_in "$CXX" c++ c++17
}

exceptions_cxx() {
    cxx_program exceptions
}

errno_cxx() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    errno_in "$CXX" c++
    cxx_program errno
}

[ "$1" = prefix ] || mkdir -p "$work"
"$1"
