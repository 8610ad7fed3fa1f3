# SPDX-License-Identifier: MIT
# Who takes the counter to zero takes the waiters by a second step.
# file: sync/waitgroup.c
# scenario: shared
/^static struct rt_g \*add_and_take/,/^}/ {
    s/after = counter == 0 ? 0 : /after = /
    s/^    return counter == 0 ?/    if (counter == 0) {\n        w = rt_swap_acqrel(word, 0);\n    }\n&/
}
