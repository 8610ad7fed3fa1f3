/* SPDX-License-Identifier: MIT */
/* Exhaustive search: all runs of a scenario with few deviations from the plain run. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "explore.h"
#include "machine.h"
#include "scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Delay bounding (Emmi, Qadeer, Rakamaric, 2011: delay-bounded scheduling). The default
 * run is deterministic: a thread runs until it sleeps or waits in a loop, then the next
 * one by number runs. A deviation moves the running thread behind all others, at any step,
 * or makes a store visible late. The search makes all runs with at most --bound
 * deviations. Most bugs need one or two.
 *
 * fork() walks the tree of runs: at each point the child deviates and runs to the end; the
 * parent waits for it and continues without the deviation. Nothing is recorded or
 * replayed, and what runs have in common is executed once.
 *
 * Steps on memory that only one thread uses commute with all steps of others, so only
 * steps on shared memory and system calls are points. The search learns which memory is
 * shared: it repeats the walk until it has found no further shared place.
 */

#define PLACES    (1u << 16) /* a power of two */
#define PATH_MAX_ 16
#define NO_THREAD (-1)

struct place {
    uintptr_t address; /* 0: free */
    int thread;        /* the last thread that accessed it */
    bool written;
    bool shared;
};

/* Shared by all processes of the search. They run one at a time, so it needs no
   atomics. */
struct knowledge {
    struct place places[PLACES];
    bool grown; /* this walk found another shared place */
};

struct deviation {
    uint64_t step;
    char kind;
};

/* This process only. */
static struct {
    struct knowledge *known;
    bool on;
    bool replays;
    uint64_t first_step; /* of this process */
    struct deviation path[PATH_MAX_];
    int path_count;
    int replayed;
} explore;

bool sim_exploring(void) {
    return explore.on;
}

uint64_t sim_explore_steps(void) {
    return sim.steps - explore.first_step;
}

/* Memory */

static struct place *place_of(const void *p) {
    uintptr_t address = (uintptr_t)p;
    uint32_t i = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    for (uint32_t n = 0; n < PLACES; n++, i++) {
        struct place *place = &explore.known->places[i % PLACES];
        if (place->address == 0) {
            *place = (struct place){.address = address, .thread = NO_THREAD};
        }
        if (place->address == address) {
            return place;
        }
    }
    sim_fail("the scenario uses too much memory to be searched");
}

void sim_explore_touch(const void *p, bool writes) {
    if (!explore.on || sim.quiet) {
        return;
    }
    struct place *place = place_of(p);
    bool other = place->thread != NO_THREAD && place->thread != sim.self->id;
    if (!place->shared && other && (writes || place->written)) {
        place->shared = explore.known->grown = true;
    }
    place->thread = sim.self->id;
    place->written |= writes;
}

bool sim_explore_shared(const void *p) {
    return place_of(p)->shared;
}

/* The walk */

static void wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        _exit(1); /* the child has printed the reason */
    }
}

static pid_t fork_or_fail(void) {
    pid_t child = fork();
    if (child < 0) {
        sim_fail("fork: no more processes");
    }
    if (child == 0) {
        explore.first_step = sim.steps;
        alarm(sim.options.seconds_max); /* a child inherits no alarm */
    }
    return child;
}

static bool deviates_in_replay(enum sim_deviation deviation) {
    const struct deviation *next = &explore.path[explore.replayed];
    if (explore.replayed < explore.path_count && next->step == sim.steps &&
        next->kind == (char)deviation) {
        explore.replayed++;
        return true;
    }
    return false;
}

bool sim_explore_deviates(enum sim_deviation deviation) {
    if (explore.replays) {
        return deviates_in_replay(deviation);
    }
    if (explore.path_count >= sim.options.bound) {
        return false;
    }
    pid_t child = fork_or_fail();
    if (child == 0) {
        explore.path[explore.path_count++] =
            (struct deviation){.step = sim.steps, .kind = (char)deviation};
        return true;
    }
    alarm(0); /* only the child's time counts meanwhile */
    wait_for(child);
    alarm(sim.options.seconds_max);
    return false;
}

void sim_search(void) {
    if (sim.options.strategy != SIM_EXHAUSTIVE || explore.known != NULL) {
        return;
    }
    explore.known = mmap(NULL, sizeof *explore.known, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (explore.known == MAP_FAILED) {
        sim_fail("no memory for the search");
    }
    if (explore.replays) {
        explore.on = true;
        return;
    }
    alarm(0);
    do {
        explore.known->grown = false;
        pid_t child = fork_or_fail();
        if (child == 0) {
            explore.on = true;
            return;
        }
        wait_for(child);
    } while (explore.known->grown);
    _exit(0);
}

/* The path to a failure */

void sim_explore_print(void) {
    if (explore.path_count > 0) {
        fprintf(stderr, " --deviate ");
    }
    for (int i = 0; i < explore.path_count; i++) {
        fprintf(stderr, "%s%llu%c", i == 0 ? "" : ",",
                (unsigned long long)explore.path[i].step, explore.path[i].kind);
    }
}

bool sim_explore_replay(const char *list) {
    explore.replays = true;
    while (explore.path_count < PATH_MAX_) {
        char *end;
        errno = 0;
        uint64_t step = strtoull(list, &end, 10);
        if (errno != 0 || end == list ||
            (*end != SIM_DEVIATE_TURN && *end != SIM_DEVIATE_STORE)) {
            return false;
        }
        explore.path[explore.path_count++] =
            (struct deviation){.step = step, .kind = *end};
        if (end[1] == '\0') {
            return true;
        }
        if (end[1] != ',') {
            return false;
        }
        list = end + 2;
    }
    return false;
}
