/* SPDX-License-Identifier: MIT */
/* Reports each goroutine that leaves its thread with a pthread mutex locked, once for each
   place. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "debug/mutexcheck.h"
#include "base/atomic.h"
#include "base/die.h"
#include "sched/g.h"
#include "sched/gstatus.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* The symbol that tools/mutexcheck.c exports. */
#define TAKE_NAME "tuco_mutexcheck_take"

/* How many pairs of places are distinguished; further pairs are not reported. */
#define PLACES 1024u

#define PLACE_BYTES 256

rt_mutexcheck_fn *rt_mutexcheck_take;

/* Atomic: each entry is written once, from 0. */
static rt_atomic(uintptr_t) places[PLACES];

/* Returns true to the first caller with this pair. */
static bool is_new(const void *left_at, const void *locked_at) {
    uint64_t mixed = (uint64_t)(uintptr_t)left_at * 0x9e3779b97f4a7c15u;
    uintptr_t key = (uintptr_t)(mixed ^ (uintptr_t)locked_at);
    key = key == 0 ? 1 : key;
    for (uint32_t i = 0; i < PLACES; i++) {
        uintptr_t found = 0;
        /* acq_rel: publishes nothing; the winner of the CAS reports the pair. */
        if (rt_cas_acqrel(&places[(key + i) % PLACES], &found, key)) {
            return true;
        }
        if (found == key) {
            return false;
        }
    }
    return false;
}

/* Formats pc as FILE+0xOFFSET, for addr2line. Does not use dladdr(), which waits for a
   lock of the C library: see preempt.c. */
static void describe(const void *pc, char text[PLACE_BYTES]) {
    struct dl_find_object object;
    if (pc == NULL || _dl_find_object((void *)(uintptr_t)pc, &object) != 0) {
        snprintf(text, PLACE_BYTES, "%p", pc);
        return;
    }
    const char *path = object.dlfo_link_map->l_name;
    const char *slash = strrchr(path, '/');
    const char *name = *path == '\0'   ? program_invocation_short_name
                       : slash != NULL ? slash + 1
                                       : path;
    snprintf(text, PLACE_BYTES, "%s+0x%zx", name,
             (size_t)((uintptr_t)pc - object.dlfo_link_map->l_addr));
}

static void mutex_report(const struct rt_g *g, const void *left_at, const void *mutex,
                         const void *locked_at) {
    /* relaxed: only the caller changes it */
    uint32_t state = rt_load_rlx(&g->slot.state);
    char left[sizeof " at " + PLACE_BYTES] = "";
    char locked[PLACE_BYTES];
    if (left_at != NULL) {
        strcpy(left, " at ");
        describe(left_at, left + strlen(left));
    }
    describe(locked_at, locked);
    rt_print("tuco: mutexcheck: goroutine %llu %s%s with the pthread mutex %p locked, "
             "since %s\n",
             (unsigned long long)g->id,
             state == RT_G_WAITING ? "waits"
             : state == RT_G_DEAD  ? "ends"
                                   : "gives way",
             left, mutex, locked);
}

/* A goroutine with a lockedm does not leave its thread. */
void rt_mutexcheck_slow(const struct rt_g *g) {
    const void *mutex;
    const void *locked_at;
    if ((g->flags & RT_G_FLAG_LOCKEDM) != 0) {
        return;
    }
    /* relaxed: only the caller changes it */
    bool waits = rt_load_rlx(&g->slot.state) == RT_G_WAITING;
    const void *left_at = waits ? g->wait_pc : NULL;
    while (rt_mutexcheck_take(&mutex, &locked_at)) {
        if (is_new(left_at, locked_at)) {
            mutex_report(g, left_at, mutex, locked_at);
        }
    }
}

void rt_mutexcheck_start(bool wanted) {
    rt_mutexcheck_take = NULL;
    if (!wanted) {
        return;
    }
    void *take = dlsym(RTLD_DEFAULT, TAKE_NAME);
    if (take == NULL) {
        rt_print("tuco: TUCODEBUG=mutexcheck=1: nothing is checked without "
                 "LD_PRELOAD=libtuco-mutexcheck.so\n");
        return;
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        rt_store_rlx(&places[i], 0); /* relaxed: no other thread runs yet */
    }
    memcpy(&rt_mutexcheck_take, &take, sizeof take);
}
