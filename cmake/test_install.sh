#!/bin/sh
# SPDX-License-Identifier: MIT
# One step of the install tests; install_tests.cmake names it and sets the variables.
set -eu

work=$BUILD_DIR/install-test
prefix=$work/prefix
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
    rm -rf "$work"
    mkdir -p "$work"
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

# Builds and runs the consumer against the imported target $1.
find_package() {
    "$CMAKE" -S "$consumer" -B "$work/$1" -G "$GENERATOR" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" -DTUCO_TARGET="tuco::$1"
    "$CMAKE" --build "$work/$1"
    "$work/$1/consumer"
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
    "$CC" -static -o "$work/pkg-static" "$consumer/main.c" \
        $("$PKG_CONFIG" --static --cflags --libs tuco)
    "$work/pkg-static"
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

# Compiles each installed header alone, twice in one file, as $1 -x $2 -std=$3.
headers() {
    for header in "$include"/*.h "$include"/tuco/*.h; do
        name=${header#"$include"/}
        # shellcheck disable=SC2086
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$1" -x "$2" -std="$3" $warnings -I"$include" -fsyntax-only - ||
            fail "$name does not compile alone as $3"
        echo "$name: $3"
    done
}

headers_c() {
    headers "$CC" c c11
}

headers_cxx() {
    [ -n "$CXX" ] || skip "there is no C++ compiler"
    headers "$CXX" c++ c++17
}

"$1"
