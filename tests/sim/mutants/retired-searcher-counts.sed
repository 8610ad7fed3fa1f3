# SPDX-License-Identifier: MIT
# A searcher whose P goes out of use still counts as one.
# file: sched/find.c
# scenario: resize
/^static bool retire(/,/^}/ s/stop_without_p(m);//
