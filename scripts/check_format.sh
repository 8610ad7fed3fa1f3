#!/bin/sh
# SPDX-License-Identifier: MIT
# The C sources look as .clang-format says; scripts/format.sh makes them so.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v clang-format >/dev/null; then
    echo "clang-format is not installed: the form of the sources was not checked"
    exit 77
fi
c_files src include tests benchmarks examples cmake tools | grep '\.[ch]$' |
    xargs -r clang-format --dry-run 2>&1 |
    sed -n 's/^\([^ :][^:]*:[0-9]*\):[0-9]*: [a-z]*: /\1: /p' | uniq | finish
