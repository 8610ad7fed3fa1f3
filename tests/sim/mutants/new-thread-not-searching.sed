# SPDX-License-Identifier: MIT
# A new thread does not know that it counts as a searcher.
# file: sched/thread.c
# scenario: compute
/^static struct rt_m \*m_make/,/^}/ s/m->spinning = true;/m->spinning = false;/
