# SPDX-License-Identifier: MIT
# An M whose P was claimed by a waker goes on with it all the same.
# file: sched/idle.c
# scenario: foreign
/^bool rt_idle_come_back/,/^}/ s/if (!bit_clear(maps.parked, p->id))/bit_clear(maps.parked, p->id);\n    if (false)/
