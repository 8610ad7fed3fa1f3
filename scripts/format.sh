#!/bin/sh
# SPDX-License-Identifier: MIT
# Brings the C sources, or only those given, into the form of .clang-format.
set -eu
if [ $# -gt 0 ]; then
    exec clang-format -i "$@"
fi
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
c_files src include tests benchmarks examples cmake tools | grep '\.[ch]$' |
    xargs -r clang-format -i
