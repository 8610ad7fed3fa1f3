# SPDX-License-Identifier: MIT
# Where there is no membarrier, the submitting side has no fence either.
# file: base/fence.h
# scenario: compute
/^static inline void rt_fence_light/,/^}/ s/rt_fence_sc();/rt_fence_compiler();/
