# SPDX-License-Identifier: MIT
# The Ms are woken for the end before they are asked to stop.
# file: runtime.c
# scenario: restart
/^static void release_all(/,/^}/ {
    /rt_sched_ask_attention(RT_ATTENTION_STOP);/d
    s/^    rt_bound_release_all();/&\n    rt_sched_ask_attention(RT_ATTENTION_STOP);/
}
