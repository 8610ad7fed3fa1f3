/* SPDX-License-Identifier: MIT */
/* One processor, and goroutines of every kind that want it: all of them have turns. */
#include "scenario.h"
#include "sched/sched.h"

static tuco_wg all;

enum kind {
    YIELDS,
    YIELDS_WIRED,
    COMPUTES, /* until a signal stops it */
    KINDS,
};

/* A goroutine has starved if those of one kind have had so many turns, and it has not had
   enough. Bound goroutines are looked for at every 61st switch at the latest, and the first
   of them may be passed over a few times. */
#define STARVED_TURNS 4000

static struct {
    int count[KINDS];
    int turns[KINDS]; /* that all of a kind have had */
    int enough;
} share;

static bool have_enough(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        if (share.turns[kind] < share.enough * share.count[kind]) {
            return false;
        }
    }
    return true;
}

static void had_turn(enum kind kind) {
    if (++share.turns[kind] > STARVED_TURNS && !have_enough()) {
        sim_fail(
            "a goroutine starves: those that yield have had %d turns, the wired ones "
            "%d, and those that compute %d",
            share.turns[YIELDS], share.turns[YIELDS_WIRED], share.turns[COMPUTES]);
    }
}

static void yields(void *unused) {
    (void)unused;
    while (!have_enough()) {
        sim_spin(); /* the thread of another may be on its way */
        tuco_yield();
        had_turn(YIELDS);
    }
}

static void yields_wired(void *unused) {
    (void)unused;
    tuco_lock_thread();
    while (!have_enough()) {
        sim_spin(); /* the thread of another may be on its way */
        tuco_yield();
        had_turn(YIELDS_WIRED);
    }
}

static uint32_t slices_begun(void) {
    const struct rt_p *p = &rt_sched.ps[0];
    return (uint32_t)sim_load_own(&p->schedtick, sizeof p->schedtick);
}

/* A goroutine that waits in a queue goes before one that has been stopped. Those in the
   list of locked goroutines may have waited for longer. */
static void check_in_line(uint32_t slices) {
    bool alone = share.count[COMPUTES] + share.count[YIELDS_WIRED] == 1;
    if (alone && slices < 2 && !have_enough()) {
        sim_fail("a goroutine that was stopped goes on before others have had a turn");
    }
}

static void computes(void *unused) {
    (void)unused;
    uint32_t before = slices_begun();
    bool lost = false;
    while (!have_enough()) {
        bool had_lost = lost; /* others have had their turn beside it */
        sim_hog(1);
        lost = sim_has_lost_p();
        uint32_t slices = slices_begun() - before;
        if (slices > 0) {
            if (!had_lost && !lost) {
                check_in_line(slices);
            }
            had_turn(COMPUTES);
            before += slices;
        }
    }
}

static void spawn(enum kind kind, tuco_fn *fn, int count) {
    share.count[kind] = count;
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, fn, NULL) == 0);
    }
}

static int shared_p_main(void *unused) {
    (void)unused;
    share.enough = sim_pick(2, 5);
    spawn(YIELDS, yields, sim_pick(1, 2));
    spawn(YIELDS_WIRED, yields_wired, sim_pick(0, 2));
    spawn(COMPUTES, computes, sim_pick(share.count[YIELDS_WIRED] == 0, 2));
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(all_kinds,
             "goroutines that yield, are wired, or compute share a processor") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    sim_main(shared_p_main);
}
