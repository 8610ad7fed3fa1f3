# SPDX-License-Identifier: MIT
# Ps are not asked to look for what is urgent.
# file: sched/park.c
# scenario: poll_busy
/^void rt_ready_urgent/,/^}/ s/rt_sched_ask_attention(RT_ATTENTION_POLL);//
