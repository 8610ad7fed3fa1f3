# SPDX-License-Identifier: MIT
# A P that somebody has claimed by the count is set aside all the same.
# file: sched/idle.c
# scenario: refused
/^static void set_cold_aside/,/^}/ s/bit_set(maps.cold, (uint32_t)id);/bit_set(maps.aside, (uint32_t)id);/
