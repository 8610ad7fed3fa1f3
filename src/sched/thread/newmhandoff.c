/* SPDX-License-Identifier: MIT */
/* newmHandoff: what the starter is asked for. */
#include "sched/thread/newmhandoff.h"
#include "os/os.h"
#include "sched/p.h"
#include "sched/thread/pidle.h"
#include "sched/tuning.h"

/* How often a lack that lasts is reported. */
#define AGAIN_NS (60 * RT_STUCK_NS)

struct rt_newmhandoff rt_newmhandoff;

void rt_newm_wake(void) {
    /* sc: after what the starter is woken for; the starter reads that after the sequence.
       Pairs with the acquire in starter_main(). */
    rt_add_sc(&rt_newmhandoff.sequence, 1);
    os_futex_wake(&rt_newmhandoff.sequence, 1);
}

void rt_newm_want_spare(bool needed) {
    uint32_t wish = needed ? RT_SPARE_NEEDED : RT_SPARE_WANTED;
    /* acq_rel: atomic, so that a request wakes the starter once. Pairs with
       start_spare(). */
    if ((rt_or_acqrel(&rt_newmhandoff.spare_wanted, wish) & wish) == 0) {
        rt_newm_wake();
    }
}

void rt_newm_arrived(void) {
    rt_sub_rlx(&rt_newmhandoff.on_the_way, 1); /* relaxed: a count */
    if (rt_pidle_wanted() > 0) {
        rt_newm_wake(); /* the starter may have counted on this thread */
    }
}

bool rt_newm_was_refused(int64_t since_ns) {
    /* relaxed: a time */
    return rt_load_rlx(&rt_newmhandoff.refused_ns) > since_ns;
}

bool rt_lack_lasts(struct rt_lack *lack) {
    int64_t now = os_now();
    if (now - lack->seen_ns > RT_LACK_GAP_NS) {
        lack->since_ns = now;
    }
    lack->seen_ns = now;
    return now - lack->since_ns >= RT_STUCK_NS;
}

bool rt_lack_is_due(int64_t *reported_ns) {
    int64_t now = os_now();
    if (*reported_ns != 0 && now - *reported_ns < AGAIN_NS) {
        return false;
    }
    *reported_ns = now;
    return true;
}
