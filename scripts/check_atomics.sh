#!/bin/sh
# SPDX-License-Identifier: MIT
# Atomics have one door: only src/base/atomic.h may name the compiler's or C11's.
# The simulated build replaces that header, and finds nothing that goes around it. The
# public headers cannot include it: tuco_checkpoint() looks at its word by itself.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

code src include | awk '
index($0, "src/base/atomic.h:") != 1 &&
!(index($0, "include/tuco/go.h:") == 1 && /__atomic_load_n\(&tuco_private_checkpoint_wanted,/) &&
/<stdatomic\.h>|[^A-Za-z0-9_](_Atomic|__atomic_|__sync_|atomic_[a-z]|memory_order_)/ {
    print $0 "    [use base/atomic.h]"
}' | finish
