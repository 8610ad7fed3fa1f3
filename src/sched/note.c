/* SPDX-License-Identifier: MIT */
/* The note of an M. The rules are in note.h. */
#include "sched/note.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "os/os.h"
#include "sched/m.h"
#include "sched/poll.h"

#include <errno.h>

enum note_state {
    NOTE_AWAKE = 0,
    NOTE_ASLEEP = 1,
    NOTE_WOKEN = 2,
    NOTE_POLLING = 3,
};

/* Looks at the note before the clock is asked again. */
#define NOTE_TURNS 8

int rt_note_near(void) {
    const struct rt_m *m = arch_self();
    return m != NULL && m->gives_way ? os_cpu_current() : RT_NOTE_ANYWHERE;
}

void rt_note_reset(struct rt_m *m) {
    rt_store_rlx(&m->note, NOTE_AWAKE); /* relaxed: published with the M itself */
}

/* See 'Where'. */
static void bring(struct rt_m *m) {
    const struct rt_m *self = arch_self();
    /* relaxed, both: one that has not got so far as to sleep, or to begin, is not moved */
    if (self != NULL && self->gives_way && m->locked_g == NULL &&
        rt_load_rlx(&m->note) == NOTE_ASLEEP) {
        m->brought |= os_thread_bring(rt_load_rlx(&m->number), os_cpu_current());
    }
}

void rt_note_wake(struct rt_m *m) {
    bring(m);
    /* acq_rel: publishes why it is woken. Pairs with the acquires of the M below. */
    uint32_t old = rt_swap_acqrel(&m->note, NOTE_WOKEN);
    if (old == NOTE_ASLEEP) {
        os_futex_wake(&m->note, 1);
    } else if (old == NOTE_POLLING) {
        rt_poll_break();
    }
}

/* True, for the callers' convenience. It may have been brought although it only watched its
   note: after a sleep that had come to its end. */
static bool woken(struct rt_m *m) {
    if (m->brought) {
        m->brought = !os_thread_let_go();
    }
    return true;
}

bool rt_note_watch(struct rt_m *m, int64_t end_ns) {
    do {
        for (int i = 0; i < NOTE_TURNS; i++) {
            /* acquire: pairs with the release in rt_note_wake(). */
            if (rt_load_acq(&m->note) == NOTE_WOKEN) {
                return woken(m);
            }
            rt_cpu_relax();
        }
    } while (os_now() < end_ns);
    return false;
}

/* A wake that comes before the compare-and-swap makes it fail; one that comes between it
   and the futex makes the futex return. */
static bool sleep_until_woken(struct rt_m *m, int64_t deadline_ns) {
    uint32_t awake = NOTE_AWAKE;
    /* acquire, here and below: pairs with the release in rt_note_wake(). It may be asleep
       already: this is then the second sleep of one idleness. */
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

bool rt_note_sleep(struct rt_m *m, int64_t deadline_ns) {
    return sleep_until_woken(m, deadline_ns) && woken(m);
}

bool rt_note_poll_begin(struct rt_m *m) {
    /* acquire, here and below: pairs with the release in rt_note_wake(). */
    uint32_t note = rt_load_acq(&m->note);
    while (note != NOTE_WOKEN) {
        if (rt_cas_acqrel(&m->note, &note, NOTE_POLLING)) {
            return true;
        }
    }
    return !woken(m);
}

bool rt_note_is_woken(const struct rt_m *m) {
    return rt_load_acq(&m->note) == NOTE_WOKEN;
}

bool rt_note_poll_end(struct rt_m *m) {
    uint32_t polling = NOTE_POLLING;
    return !rt_cas_acqrel(&m->note, &polling, NOTE_AWAKE) && woken(m);
}
