/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: in checked builds a goroutine changes its state only along the arrows of
   gstatus.h. */
#include "test.h"
#include "sched/g.h"

static const enum rt_gstatus states[] = {RT_G_DEAD, RT_G_RUNNABLE, RT_G_RUNNING,
                                         RT_G_WAITING};

/* The diagram in gstatus.h, with its additions for foreign threads and for a lack of
   stacks. */
static bool has_arrow(enum rt_gstatus from, enum rt_gstatus to) {
    switch (from) {
    case RT_G_DEAD: return to == RT_G_RUNNABLE || to == RT_G_WAITING;
    case RT_G_RUNNABLE:
        return to == RT_G_RUNNING || to == RT_G_WAITING || to == RT_G_DEAD;
    case RT_G_RUNNING:
        return to == RT_G_RUNNABLE || to == RT_G_WAITING || to == RT_G_DEAD;
    case RT_G_WAITING: return to == RT_G_RUNNABLE;
    }
    return false;
}

struct change {
    enum rt_gstatus real;
    enum rt_gstatus from;
    enum rt_gstatus to;
};

static void make_change(void *arg) {
    struct change *c = arg;
    static struct rt_g g;
    rt_init(&g.slot.state, (uint32_t)c->real);
    rt_gstatus_set(&g, c->from, c->to);
    ASSERT_EQ(rt_load_rlx(&g.slot.state), c->to);
}

TEST(arrows) {
    if (!RT_CHECKS) {
        SKIP("this build does not check changes of state");
    }
    for (int i = 0; i < 16; i++) {
        struct change c = {states[i / 4], states[i / 4], states[i % 4]};
        if (has_arrow(c.from, c.to)) {
            make_change(&c);
        } else {
            EXPECT_DEATH(make_change, &c, "cannot go from");
        }
    }
}

TEST(wrong_start) {
    if (!RT_CHECKS) {
        SKIP("this build does not check changes of state");
    }
    struct change c = {RT_G_WAITING, RT_G_RUNNABLE, RT_G_RUNNING};
    EXPECT_DEATH(make_change, &c, "is waiting and cannot go from runnable to running");
}

TEST(names) {
    ASSERT_STR(rt_gstatus_name(RT_G_DEAD), "dead");
    ASSERT_STR(rt_gstatus_name(RT_G_RUNNABLE), "runnable");
    ASSERT_STR(rt_gstatus_name(RT_G_RUNNING), "running");
    ASSERT_STR(rt_gstatus_name(RT_G_WAITING), "waiting");
}
