/* SPDX-License-Identifier: MIT */
/* What do a bare stack switch and a pair of uncontended atomic additions cost here? */
#include <stddef.h>
#include <stdint.h>

#include <arch/arch.h>
#include <base/atomic.h>

#include "cases.h"
#include "harness.h"

#define SWITCHES 20000000
#define PAIRS    20000000

#define PARTNER_STACK_BYTES 65536

static struct arch_context here;
static struct arch_context partner;
static _Alignas(64) char partner_stack[PARTNER_STACK_BYTES];

static void nothing(void *arg) {
    (void)arg;
}

/* One call site for both sides, as for goroutines that block in the same function. */
static __attribute__((noinline)) void take_turns(struct arch_context *mine,
                                                 struct arch_context *other, size_t n) {
    for (size_t i = 0; i < n; i++) {
        arch_switch(mine, other, nothing, NULL);
    }
}

static void switch_back(void *arg) {
    (void)arg;
    take_turns(&partner, &here, SIZE_MAX);
}

/* A turn is there and back: two switches. */
static void switches(size_t n) {
    take_turns(&here, &partner, n / 2);
}

void bench_switch(void) {
    arch_context_prepare(&partner, partner_stack + sizeof partner_stack, switch_back,
                         NULL);
    bench_time(SWITCHES, switches, (struct bench_floor){0});
}

/* acquire and release, as the last decrement of a wait group needs. No partner: the
   counter has one user. */
static void pairs(size_t n) {
    static _Alignas(64) rt_atomic(int64_t) counter;
    for (size_t i = 0; i < n; i++) {
        rt_add_acqrel(&counter, 1);
        rt_add_acqrel(&counter, -1);
    }
}

void bench_atomic_pair(void) {
    bench_time(PAIRS, pairs, (struct bench_floor){0});
}
