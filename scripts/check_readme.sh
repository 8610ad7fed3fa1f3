#!/bin/sh
# SPDX-License-Identifier: MIT
# The program that README.md shows first is examples/00-readme.c, which the tests compile and run.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

if [ ! -f README.md ] || [ ! -f examples/00-readme.c ]; then
    exit 0
fi
awk '/^```c$/ { inside = 1; next } /^```$/ && inside { exit } inside' README.md |
    diff -u - examples/00-readme.c | finish
