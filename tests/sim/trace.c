/* SPDX-License-Identifier: MIT */
/* The last steps of a run, for the report of a failure. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

#define STEPS_KEPT  4096 /* a power of two */
#define STEPS_SHOWN 40

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
    struct entry *last; /* the one of the step that is being made */
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

/* The path from the repository on. */
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

/* Turns in a wait loop tell nothing. */
static bool is_dull(const struct entry *e) {
    return strcmp(e->site->what, "cpu_relax") == 0 || strcmp(e->site->what, "spin") == 0;
}

void sim_trace_print(void) {
    uint64_t first = trace.count > STEPS_KEPT ? trace.count - STEPS_KEPT : 0;
    uint64_t at = trace.count;
    int shown = 0;
    while (at > first && shown < STEPS_SHOWN) {
        shown += !is_dull(&trace.entries[--at % STEPS_KEPT]);
    }
    fprintf(stderr, "the last %d steps, wait loops left out:\n", shown);
    for (; at < trace.count; at++) {
        const struct entry *e = &trace.entries[at % STEPS_KEPT];
        if (!is_dull(e)) {
            print_entry(e);
        }
    }
}
