/* SPDX-License-Identifier: MIT */
/* The last steps of a run, for the report of a failure. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

#define STEPS_KEPT  16384 /* a power of two */
#define STEPS_SHOWN 60
#define LOADS_KEPT  32

struct entry {
    const struct sim_site *site;
    uint64_t step;
    uint64_t value;
    int thread;
    bool has_value;
    bool seen; /* an earlier store of the thread becomes visible */
};

static struct {
    struct entry entries[STEPS_KEPT];
    uint64_t count;
    struct entry *last; /* the entry of the current step */
} trace;

static struct entry *add(const struct sim_thread *t, const struct sim_site *site) {
    struct entry *e = &trace.entries[trace.count++ % STEPS_KEPT];
    *e = (struct entry){.site = site, .step = sim.steps, .thread = t->id};
    sim.hash = (sim.hash ^ (uint64_t)t->id) * UINT64_C(0x100000001b3);
    sim.hash = (sim.hash ^ (uint64_t)site->line) * UINT64_C(0x100000001b3);
    return e;
}

void sim_trace_step(const struct sim_thread *t, const struct sim_site *site) {
    trace.last = add(t, site);
}

void sim_trace_value(uint64_t value) {
    if (!sim.quiet) {
        trace.last->value = value;
        trace.last->has_value = true;
    }
}

void sim_trace_seen(const struct sim_thread *t, const struct sim_stored *stored) {
    struct entry *e = add(t, stored->site);
    e->value = stored->value;
    e->has_value = e->seen = true;
}

/* The path relative to the repository. */
static const char *short_path(const char *path) {
    const char *in_src = strstr(path, "src/");
    const char *in_tests = strstr(path, "tests/");
    return in_src != NULL ? in_src : in_tests != NULL ? in_tests : path;
}

static void print_entry(const struct entry *e) {
    fprintf(stderr, "  %8llu  thread %-3d %-12s %-24s", (unsigned long long)e->step,
            e->thread, e->seen ? "(seen now)" : e->site->what, e->site->operand);
    if (e->has_value) {
        fprintf(stderr, " = 0x%-14llx", (unsigned long long)e->value);
    } else {
        fprintf(stderr, "%17s", "");
    }
    fprintf(stderr, "  %s, %s:%d\n", e->site->function, short_path(e->site->file),
            e->site->line);
}

/* Walking backwards: the loads of a thread since its last step of another kind. */
struct loads {
    const struct sim_site *sites[LOADS_KEPT];
    int count;
};

static struct loads loads[SIM_THREADS_MAX];

static bool only_looks(const struct entry *e) {
    return !e->seen &&
           (strncmp(e->site->what, "load", 4) == 0 || strcmp(e->site->what, "now") == 0);
}

static bool does_nothing(const struct entry *e) {
    return strcmp(e->site->what, "cpu_relax") == 0 ||
           strcmp(e->site->what, "spin") == 0 || strcmp(e->site->what, "after it") == 0;
}

/* A thread that waits in a loop, or searches, loads the same places repeatedly: shows only
   the last time. Must be called from the last entry backwards. */
static bool is_dull(const struct entry *e) {
    struct loads *later = &loads[e->thread];
    if (does_nothing(e)) {
        return true;
    }
    if (e->seen) {
        return false;
    }
    if (!only_looks(e)) {
        later->count = 0;
        return false;
    }
    for (int i = 0; i < later->count; i++) {
        if (later->sites[i] == e->site) {
            return true;
        }
    }
    if (later->count < LOADS_KEPT) {
        later->sites[later->count++] = e->site;
    }
    return false;
}

void sim_trace_print(void) {
    const struct entry *shown[STEPS_SHOWN];
    uint64_t first = trace.count > STEPS_KEPT ? trace.count - STEPS_KEPT : 0;
    int count = 0;
    for (uint64_t at = trace.count; at > first && count < STEPS_SHOWN; at--) {
        const struct entry *e = &trace.entries[(at - 1) % STEPS_KEPT];
        if (!is_dull(e)) {
            shown[count++] = e;
        }
    }
    fprintf(stderr,
            "the last %d steps, without wait loops and loads that are repeated:\n",
            count);
    while (count > 0) {
        print_entry(shown[--count]);
    }
}
