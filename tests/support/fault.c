/* SPDX-License-Identifier: MIT */
/* fault.c: makes chosen calls of src/os/os.h fail, and counts them. */
#include "fault.h"
#include "test.h"

#include <string.h>

/* Written while the runtime is not running, but for calls. */
struct plan {
    int first;
    int times;
    int error;
    atomic_int calls; /* by any thread */
};

static struct plan plans[OS_FAULT_KINDS];

static int decide(enum os_fault_kind kind) {
    struct plan *plan = &plans[kind];
    int call = atomic_fetch_add(&plan->calls, 1) + 1;
    bool fails = call >= plan->first && call - plan->first < plan->times;
    return fails ? plan->error : 0;
}

void test_fault_plan(enum os_fault_kind kind, int first, int times, int error) {
    struct plan *plan = &plans[kind];
    plan->first = first;
    plan->times = times;
    plan->error = error;
    atomic_store(&plan->calls, 0);
    os_fault_hook = decide;
}

void test_fault_clear(void) {
    os_fault_hook = NULL;
    memset(plans, 0, sizeof(plans));
}

int test_fault_calls(enum os_fault_kind kind) {
    return atomic_load(&plans[kind].calls);
}
