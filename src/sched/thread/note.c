/* SPDX-License-Identifier: MIT */
/* The note of an M. The rules are in note.h. */
#include "sched/thread/note.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "os/os.h"
#include "sched/m.h"
#include "sched/netpoll/pollset.h"

#include <errno.h>

enum note_state {
    NOTE_AWAKE = 0,
    NOTE_ASLEEP = 1,
    NOTE_WOKEN = 2,
    NOTE_POLLING = 3,
};

/* How often the note is read before the clock is. */
#define NOTE_TURNS 8

int rt_note_near(void) {
    const struct rt_m *m = arch_self();
    return m != NULL && m->hands_p_off ? os_cpu_current() : RT_NOTE_ANYWHERE;
}

void rt_note_reset(struct rt_m *m) {
    rt_store_rlx(&m->note, NOTE_AWAKE); /* relaxed: published with the M itself */
}

void rt_note_wake(struct rt_m *m) {
    /* release: publishes why the M is woken. Pairs with rt_note_watch(), rt_note_sleep(),
       rt_note_poll_begin() and rt_note_poll_end(). */
    uint32_t old = rt_swap_acqrel(&m->note, NOTE_WOKEN);
    if (old == NOTE_ASLEEP) {
        os_futex_wake(&m->note, 1);
    } else if (old == NOTE_POLLING) {
        rt_netpoll_break();
    }
}

bool rt_note_watch(struct rt_m *m, int64_t end_ns) {
    do {
        for (int i = 0; i < NOTE_TURNS; i++) {
            /* acquire: pairs with the release in rt_note_wake(). */
            if (rt_load_acq(&m->note) == NOTE_WOKEN) {
                return true;
            }
            rt_cpu_relax();
        }
    } while (os_now() < end_ns);
    return false;
}

/* A wake-up before the compare-and-swap makes it fail; one between it and the futex makes
   the futex return. */
bool rt_note_sleep(struct rt_m *m, int64_t deadline_ns) {
    uint32_t awake = NOTE_AWAKE;
    /* acquire, here and below: pairs with the release in rt_note_wake(). The note may be
       ASLEEP already, if the M sleeps again after a timeout. */
    if (!rt_cas_acqrel(&m->note, &awake, NOTE_ASLEEP) && awake == NOTE_WOKEN) {
        return true;
    }
    while (rt_load_acq(&m->note) != NOTE_WOKEN) {
        if (os_futex_wait(&m->note, NOTE_ASLEEP, deadline_ns) == -ETIMEDOUT) {
            return rt_load_acq(&m->note) == NOTE_WOKEN;
        }
    }
    return true;
}

bool rt_note_poll_begin(struct rt_m *m) {
    /* acquire, here and below: pairs with the release in rt_note_wake(). */
    uint32_t note = rt_load_acq(&m->note);
    while (note != NOTE_WOKEN) {
        if (rt_cas_acqrel(&m->note, &note, NOTE_POLLING)) {
            return true;
        }
    }
    return false;
}

bool rt_note_is_woken(const struct rt_m *m) {
    return rt_load_acq(&m->note) == NOTE_WOKEN;
}

bool rt_note_poll_end(struct rt_m *m) {
    uint32_t polling = NOTE_POLLING;
    return !rt_cas_acqrel(&m->note, &polling, NOTE_AWAKE);
}
