# SPDX-License-Identifier: MIT
# A deadline is set aside without another look whether a runtime runs.
# file: ctx/deadline.c
# scenario: ctx_start
/^static bool set_aside/,/^}/ s/bool waits = .*;/bool waits = true;/
