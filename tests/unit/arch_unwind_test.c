/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: contexts can be unwound from any place to their beginning. */
#include "arch_contexts.h"
#include "rounding.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#define DEPTH      50
#define FRAMES_MAX (2 * DEPTH)

struct frames {
    void *pc[FRAMES_MAX];
    int count;
};

static bool has_frame(const struct frames *f, const void *pc) {
    for (int i = 0; i < f->count; i++) {
        if (f->pc[i] == pc) {
            return true;
        }
    }
    return false;
}

/* Whether the outermost frame is the code that calls the entry of a context. In
   switch.S that code stands before arch_context_enter(). */
static bool ends_at_start(const struct frames *f) {
    uintptr_t pc = f->count > 0 ? (uintptr_t)f->pc[f->count - 1] : 0;
    return f->count < FRAMES_MAX && pc >= (uintptr_t)arch_context_start &&
           pc < (uintptr_t)arch_context_enter;
}

static RT_NOINLINE void unwind_from_depth(int depth) {
    if (depth > 0) {
        unwind_from_depth(depth - 1);
        __asm__ volatile(""); // after the call: the compiler shall not make a loop of it
        return;
    }
    struct frames f;
    f.count = backtrace(f.pc, FRAMES_MAX);
    ASSERT_GT(f.count, DEPTH);
    ASSERT(ends_at_start(&f));
}

static void unwind(void *arg) {
    (void)arg;
    unwind_from_depth(DEPTH);
    go_home_for_ever(&a);
}

TEST(unwinding_ends_where_the_context_began) {
    prepare(&a, low_top, unwind);
    go(&home, &a);
}

static void *take_frames(void *arg) {
    struct frames *f = arg;
    f->count = backtrace(f->pc, FRAMES_MAX);
    return f;
}

/* Returns whether frames taken on the other stack show the return address of this
   function. */
static RT_NOINLINE bool is_seen_from(char *other_top, struct frames *f) {
    arch_call_on(other_top, take_frames, f);
    return has_frame(f, __builtin_return_address(0));
}

static void unwind_through_call_on(void *arg) {
    struct frames f;
    ASSERT(is_seen_from(arg, &f));
    ASSERT(ends_at_start(&f));
    go_home_for_ever(&a);
}

TEST(unwinding_passes_through_a_call_on_another_stack) {
    struct frames f;
    ASSERT(is_seen_from(low_top, &f));
    prepare_with(&a, low_top, unwind_through_call_on, high_top);
    go(&home, &a);
    prepare_with(&a, high_top, unwind_through_call_on, low_top);
    go(&home, &a);
}

static struct frames then_frames;

static void take_frames_in_then(void *arg) {
    (void)arg;
    take_frames(&then_frames);
}

/* Requires that then, which ran before this returned, saw the caller in its backtrace. */
static RT_NOINLINE void unwind_from_one_place(struct arch_context *save,
                                              const struct arch_context *load) {
    arch_switch(save, load, take_frames_in_then, NULL);
    ASSERT(has_frame(&then_frames, __builtin_return_address(0)));
    ASSERT(ends_at_start(&then_frames));
}

static RT_NOINLINE void unwind_from_another_place(struct arch_context *save,
                                                  const struct arch_context *load) {
    arch_switch(save, load, take_frames_in_then, NULL);
    ASSERT(has_frame(&then_frames, __builtin_return_address(0)));
    ASSERT(ends_at_start(&then_frames));
}

static void unwind_and_go_to_b(void *arg) {
    (void)arg;
    ASSERT(ends_at_start(&then_frames));
    unwind_from_one_place(&a, &b);
    unwind_from_one_place(&a, &b);
    unwind_from_another_place(&a, &b);
    go_home_for_ever(&a);
}

static void unwind_and_go_to_a(void *arg) {
    (void)arg;
    ASSERT(ends_at_start(&then_frames));
    for (;;) {
        unwind_from_one_place(&b, &a);
    }
}

TEST(unwinding_begins_in_then) {
    prepare(&a, low_top, unwind_and_go_to_b);
    prepare(&b, high_top, unwind_and_go_to_a);
    arch_switch(&home, &a, take_frames_in_then, NULL);
}

#if defined(__x86_64__)

#define TRAP_FLAG 0x100u

struct walk {
    struct {
        uintptr_t pc;
        uintptr_t sp; // its value, now or later, at pc
    } frame[FRAMES_MAX];
    int count;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg) {
    struct walk *w = arg;
    if (w->count == FRAMES_MAX || _Unwind_GetIP(context) == 0) {
        return _URC_END_OF_STACK;
    }
    w->frame[w->count].pc = _Unwind_GetIP(context);
    w->frame[w->count].sp = _Unwind_GetCFA(context);
    w->count++;
    return _URC_NO_REASON;
}

/* The functions of switch.S in their order there. The last ends within 32 bytes. */
enum { IN_SWITCH, IN_START, IN_ENTER, IN_CALL_ON, ELSEWHERE, PLACES };

static int place_of(uintptr_t pc) {
    const uintptr_t begin[] = {(uintptr_t)arch_switch, (uintptr_t)arch_context_start,
                               (uintptr_t)arch_context_enter, (uintptr_t)arch_call_on,
                               (uintptr_t)arch_call_on + 32};
    int place = ELSEWHERE;
    for (int i = 0; i < ELSEWHERE; i++) {
        if (pc >= begin[i] && pc < begin[i + 1]) {
            place = i;
        }
    }
    return place;
}

static int steps[PLACES];
static int steps_into_then;
static int steps_without_caller; // in arch_context_enter(), off the caller's stack

/* The stack pointer that the caller of the function at hand will get back, by the
   function and the stack that it returns on. */
static uintptr_t caller_sp[PLACES][2];

/* Requires that the walk from pc and sp finds the right caller and the right end. */
static void check_walk(const struct walk *w, uintptr_t pc, uintptr_t sp) {
    int place = place_of(pc);
    int on_high = is_on(stacks.high, (void *)sp);
    int i = 0;
    while (i < w->count && (w->frame[i].pc != pc || w->frame[i].sp != sp)) {
        i++; // the handler's own frames
    }
    ASSERT_LT(i, w->count);
    if (place == IN_ENTER && i == w->count - 1) {
        steps_without_caller++;
        return;
    }
    if (pc == (uintptr_t)arch_switch || pc == (uintptr_t)arch_call_on) {
        caller_sp[place][on_high] = sp + sizeof(uintptr_t);
    }
    if (place == IN_SWITCH) {
        ASSERT_EQ(w->frame[i + 1].sp, caller_sp[place][on_high]);
    } else if (place == IN_CALL_ON) {
        ASSERT_EQ(w->frame[i + 1].sp, caller_sp[place][0]);
    }
    uintptr_t last_sp = w->frame[w->count - 1].sp;
    ASSERT_EQ(place_of(w->frame[w->count - 1].pc), IN_START);
    ASSERT(last_sp == (uintptr_t)(on_high && place != IN_CALL_ON ? high_top : low_top));
}

/* The processor traps after every instruction: walk the stack from each. */
static void on_step(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    (void)info;
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct walk w = {.count = 0};
    _Unwind_Backtrace(add_frame, &w);
    steps[place_of((uintptr_t)registers[REG_RIP])]++;
    steps_into_then += (uintptr_t)registers[REG_RIP] == (uintptr_t)nothing;
    check_walk(&w, (uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP]);
}

static void start_stepping(void) {
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    ASSERT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

static void stop_stepping(void *arg) {
    (void)arg;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
    forget_frames(low_top); // those of step_a()
    go_home_for_ever(&a);
}

/* One call instruction for both contexts. */
static RT_NOINLINE void hop(struct arch_context *save, const struct arch_context *load) {
    arch_switch(save, load, nothing, NULL);
    __asm__ volatile(""); // no tail call
}

static void *return_argument(void *arg) {
    return arg;
}

static void step_a(void *arg) {
    (void)arg;
    caller_sp[IN_SWITCH][1] = (uintptr_t)high_top; // b has not begun
    test_rounding_set(1);                          // has to be loaded after each switch
    start_stepping();
    hop(&a, &b);
    hop(&a, &b); // between equal call sites
    go(&a, &b);  // between different ones
    arch_call_on(stacks.low + STACK_BYTES / 2, return_argument, NULL);
    arch_jump(low_top, stop_stepping, NULL);
}

static void step_b(void *arg) {
    (void)arg;
    for (;;) {
        hop(&b, &a);
    }
}

TEST(every_instruction_can_be_unwound) {
    prepare(&a, low_top, step_a);
    prepare(&b, high_top, step_b);
    go(&home, &a);
    ASSERT_GT(steps[IN_SWITCH], 6 * 30);
    ASSERT_GT(steps[IN_START], 3);
    ASSERT_GT(steps[IN_ENTER], 6);
    ASSERT_GT(steps[IN_CALL_ON], 9);
    ASSERT_GT(steps_without_caller, 3);
    ASSERT_EQ(steps_into_then, 6);
}

#endif
