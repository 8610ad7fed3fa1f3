# SPDX-License-Identifier: MIT
# What is urgent does not count as queued.
# file: sched/globq.c
# scenario: poll_busy
/^static void publish_and_unlock/,/^}/ s/globq.urgent.count + globq.list.count/globq.list.count/
