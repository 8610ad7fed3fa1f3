# SPDX-License-Identifier: MIT
# Who slept takes the lock as if nobody else could sleep on it.
# file: base/lock.c
# scenario: storm
s/rt_swap_acqrel(&l->word, 2) != 0/rt_swap_acqrel(\&l->word, 1) != 0/
s/os_futex_wait(&l->word, 2, OS_NEVER)/os_futex_wait(\&l->word, 1, OS_NEVER)/
