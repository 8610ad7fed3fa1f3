/* SPDX-License-Identifier: MIT */
/* Wraps src/mem/gpool.h in the simulation: checks the descriptors of ended goroutines. */
#ifndef SIM_GPOOL_H
#define SIM_GPOOL_H

#include_next "mem/gpool.h"

#ifndef SIM_GPOOL_PLAIN
/* A free descriptor must not be written: its contents must be the same when it is
   allocated as when it was freed. See oracle.c. */
void sim_oracle_slot_freed(const struct rt_gslot *s);
struct rt_gslot *sim_oracle_slot_taken(struct rt_gslot *s);
void sim_oracle_slots_gone(void);

#define rt_gpool_get(c)        sim_oracle_slot_taken(rt_gpool_get(c))
#define rt_gpool_get_shared()  sim_oracle_slot_taken(rt_gpool_get_shared())
#define rt_gpool_put(c, s)     (sim_oracle_slot_freed(s), rt_gpool_put(c, s))
#define rt_gpool_put_shared(s) (sim_oracle_slot_freed(s), rt_gpool_put_shared(s))
#define rt_gpool_free_all()    (sim_oracle_slots_gone(), rt_gpool_free_all())
#endif

#endif
