# SPDX-License-Identifier: MIT
# A receiver is woken before it has its value.
# file: chan/chan.c
# scenario: chan_foreign
/^static RT_INLINE void meet_receiver/,/^}/ {
    s/if (partner->value != NULL) {/void *to = partner->value;\n    partner->result = 0;\n    rt_ready(g);\n    if (to != NULL) {/
    s/rt_chan_copy(c, partner->value, value);/rt_chan_copy(c, to, value);/
    /^    partner->result = 0;/d
    /^    rt_ready(g);/d
}
