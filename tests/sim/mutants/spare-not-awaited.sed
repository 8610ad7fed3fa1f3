# SPDX-License-Identifier: MIT
# A spare M that was taken at its last moment goes on before it is woken.
# file: sched/spare.c
# scenario: spares
/^static bool wait_for_p/,/^}/ s/^        rt_note_sleep(m, OS_NEVER);//
