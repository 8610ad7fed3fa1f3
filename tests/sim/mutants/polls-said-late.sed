# SPDX-License-Identifier: MIT
# The monitor says that it polls after it has looked whether it was woken.
# file: sched/monitor.c
# scenario: poll_monitor
/^static void sleep_polling/,/^}/ {
    s/rt_store_[a-z]*(&monitor.polls, true);//
    s/rt_poll_monitor_sleep(until);/rt_store_rlx(\&monitor.polls, true);\n        &/
}
