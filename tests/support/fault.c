/* SPDX-License-Identifier: MIT */
/* fault.c: injects failures into chosen calls of src/os/os.h, and counts them. */
#include "fault.h"
#include "sched/sched.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Written while the runtime is not running, except for the counts. */
struct plan {
    int first;
    int times;
    int error;
    atomic_int calls;  /* by any thread */
    atomic_int failed; /* by any thread */
};

static struct plan own_plans[OS_FAULT_KINDS];

/* In memory shared with child processes if it came from the environment. */
static struct plan *plans = own_plans;
static bool from_environment;

/* What this process holds, counted while the hook is set. */
static atomic_int blocks;
static atomic_int reservations;

static const char *const names[] = {
#define OS_FAULT_KIND(name, error, where) #name,
#include "os/faults.def"
#undef OS_FAULT_KIND
};

static const int usual_errors[] = {
#define OS_FAULT_KIND(name, error, where) error,
#include "os/faults.def"
#undef OS_FAULT_KIND
};

const char *test_fault_name(enum os_fault_kind kind) {
    return names[kind];
}

int test_fault_usual_error(enum os_fault_kind kind) {
    return usual_errors[kind];
}

static void keep_balance(enum os_fault_kind kind, bool fails) {
    atomic_fetch_add(&blocks,
                     (kind == OS_FAULT_ALLOC && !fails) - (kind == OS_FAULT_FREE));
    atomic_fetch_add(&reservations,
                     (kind == OS_FAULT_RESERVE && !fails) - (kind == OS_FAULT_RELEASE));
}

static int decide(enum os_fault_kind kind) {
    struct plan *plan = &plans[kind];
    int call = atomic_fetch_add(&plan->calls, 1) + 1;
    bool fails = call >= plan->first && call - plan->first < plan->times;
    keep_balance(kind, fails);
    atomic_fetch_add(&plan->failed, fails);
    return fails ? plan->error : 0;
}

void test_fault_plan(enum os_fault_kind kind, int first, int times, int error) {
    struct plan *plan = &plans[kind];
    plan->first = first;
    plan->times = times;
    plan->error = error;
    atomic_store(&plan->calls, 0);
    atomic_store(&plan->failed, 0);
    os_fault_hook = decide;
}

void test_fault_clear(void) {
    os_fault_hook = NULL;
    memset(plans, 0, sizeof(own_plans));
    atomic_store(&blocks, 0);
    atomic_store(&reservations, 0);
}

int test_fault_calls(enum os_fault_kind kind) {
    return atomic_load(&plans[kind].calls);
}

void test_fault_expect_balance(void) {
    ASSERT_EQ(atomic_load(&blocks), 0);
    ASSERT_EQ(atomic_load(&reservations), 0);
}

atomic_int test_fault_denying;

int test_fault_deny_reserve(enum os_fault_kind kind) {
    return kind == OS_FAULT_RESERVE && atomic_load(&test_fault_denying) != 0 ? ENOMEM : 0;
}

/* ---- From the environment ---- */

/* Parses ":number" at *text, if there is one. Returns false if it is malformed. */
static bool take_number(const char **text, int *number) {
    if (**text == '\0') {
        return true;
    }
    char *end;
    long n = strtol(*text + 1, &end, 10);
    bool good = **text == ':' && end != *text + 1 && n >= 0 && n < TEST_FAULT_ALWAYS;
    *text = end;
    *number = (int)n;
    return good;
}

static int find_kind(const char *text, size_t length) {
    for (int kind = 0; kind < OS_FAULT_KINDS; kind++) {
        if (strlen(names[kind]) == length && memcmp(names[kind], text, length) == 0) {
            return kind;
        }
    }
    return -1;
}

static bool parse(const char *text, int *kind, struct plan *plan) {
    size_t length = strcspn(text, ":");
    *kind = find_kind(text, length);
    text += length;
    if (*kind < 0 || *text == '\0') {
        return false;
    }
    plan->times = 1;
    plan->error = usual_errors[*kind];
    return take_number(&text, &plan->first) && take_number(&text, &plan->times) &&
           take_number(&text, &plan->error) && *text == '\0';
}

bool test_fault_from_environment(void) {
    const char *text = getenv("TEST_FAULT");
    struct plan plan = {0};
    int kind;
    if (text == NULL) {
        return true;
    }
    if (!parse(text, &kind, &plan)) {
        fprintf(stderr, "TEST_FAULT=%s: not KIND:CALL[:TIMES[:ERROR]]\n", text);
        return false;
    }
    plans = mmap(NULL, sizeof(own_plans), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT(plans != MAP_FAILED);
    from_environment = true;
    if (plan.first == 0) {
        plan.first = TEST_FAULT_ALWAYS; // never reached
    }
    test_fault_plan((enum os_fault_kind)kind, plan.first,
                    plan.times != 0 ? plan.times : TEST_FAULT_ALWAYS, plan.error);
    return true;
}

static int keep_balance_only(enum os_fault_kind kind) {
    keep_balance(kind, false);
    return 0;
}

/* Goroutines that were left behind, and a foreign thread that was leaving the runtime as
   it ended, keep their memory until the next run. So this runs the runtime once more, if
   the test's settings allow it. */
void test_fault_finish(void) {
    if (!from_environment || rt_phase_now() != RT_STOPPED) {
        return;
    }
    os_fault_hook = keep_balance_only;
    if (tuco_run(test_empty_main, NULL) == 0) {
        test_fault_expect_balance();
    }
}

void test_fault_print(void) {
    for (int kind = 0; from_environment && kind < OS_FAULT_KINDS; kind++) {
        int calls = atomic_load(&plans[kind].calls);
        if (calls > 0) {
            printf("fault %s: %d calls, %d failed\n", names[kind], calls,
                   atomic_load(&plans[kind].failed));
        }
    }
}
