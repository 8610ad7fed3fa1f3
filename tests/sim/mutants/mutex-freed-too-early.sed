# SPDX-License-Identifier: MIT
# An unlock frees the mutex before it takes the next one off the queue.
# file: sync/mutex.c
# scenario: mutex
/^static struct rt_waiter \*unlock_calling/,/^}/ s/^    rt_spin_lock(&m->guard);/    if (!m->starving) {\n        rt_and_acqrel(\&m->state, ~LOCKED);\n    }\n&/
