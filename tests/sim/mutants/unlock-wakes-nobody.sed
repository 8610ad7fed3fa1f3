# SPDX-License-Identifier: MIT
# Who unlocks does not wake those who sleep on the lock.
# file: base/lock.h
# scenario: storm
s/rt_swap_acqrel(&l->word, 0) == 2/rt_swap_acqrel(\&l->word, 0) == 3/
