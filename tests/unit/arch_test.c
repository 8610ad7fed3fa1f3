/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: contexts keep their registers, control words and stacks, on any thread. */
#include "arch_contexts.h"
#include "rounding.h"

#include <signal.h>

/* A word for the side that is resumed: then leaves it here. */
static void *carried;

static void carry(void *arg) {
    carried = arg;
}

/* Passes word to the other side and returns the word that comes back. */
static INLINED void *exchange(struct arch_context *save, const struct arch_context *load,
                              void *word) {
    arch_switch(save, load, carry, word);
    return carried;
}

/* ---- Switching ---- */

static void echo(void *arg) {
    (void)arg;
    for (;;) {
        exchange(&a, &home, carried);
    }
}

TEST(a_switch_calls_then_with_its_argument) {
    prepare(&a, low_top, echo);
    for (uintptr_t i = 0; i < 100; i++) {
        void *word = (void *)(i * UINT64_C(0x0123456789abcdef));
        ASSERT(exchange(&home, &a, word) == word);
    }
}

TEST(a_switch_to_oneself_calls_then) {
    ASSERT(exchange(&home, &home, &a) == &a);
}

static void tell_argument(void *arg) {
    ASSERT(carried == &b); // then runs first
    exchange(&a, &home, arg);
    go_home_for_ever(&a);
}

TEST(a_context_begins_with_its_argument) {
    prepare_with(&a, low_top, tell_argument, &stacks);
    ASSERT(exchange(&home, &a, &b) == &stacks);
}

static uint64_t sum_a;
static uint64_t sum_b;

static void add_and_go_to_b(void *arg) {
    (void)arg;
    for (;;) {
        sum_a += (uintptr_t)carried;
        exchange(&a, &b, (void *)((uintptr_t)carried + 1));
    }
}

static void add_and_go_home(void *arg) {
    (void)arg;
    for (;;) {
        sum_b += (uintptr_t)carried;
        exchange(&b, &home, (void *)((uintptr_t)carried + 1));
    }
}

TEST(a_million_switches_in_a_ring) {
    const uint64_t rounds = TEST_SIZE(333334, 33334);
    prepare(&a, low_top, add_and_go_to_b);
    prepare(&b, high_top, add_and_go_home);
    uintptr_t n = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        n = (uintptr_t)exchange(&home, &a, (void *)n);
    }
    ASSERT_EQ(n, 2 * rounds);
    ASSERT_EQ(sum_a, rounds * (rounds - 1));
    ASSERT_EQ(sum_b, rounds * rounds);
}

/* ---- Registers ---- */

/* Fills all callee-saved registers from in[], switches, and stores what they hold
   after it to out[]. All its users switch by the same call instruction. */
void registers_across_switch(struct arch_context *save, const struct arch_context *load,
                             arch_then *then, void *arg, const uint64_t *in,
                             uint64_t *out);

/* Overwrites all registers that a function need not keep. */
void spoil_registers(void *arg);

#if defined(__x86_64__)

#define REGISTER_COUNT 6
__asm__(".pushsection .text\n"
        ".globl registers_across_switch\n"
        ".type registers_across_switch, @function\n"
        "registers_across_switch:\n"
        "    pushq %rbx\n"
        "    pushq %rbp\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    pushq %r9\n" // out; the stack is aligned now
        "    movq (%r8), %rbx\n"
        "    movq 8(%r8), %rbp\n"
        "    movq 16(%r8), %r12\n"
        "    movq 24(%r8), %r13\n"
        "    movq 32(%r8), %r14\n"
        "    movq 40(%r8), %r15\n"
        "    call arch_switch\n"
        "    popq %rcx\n"
        "    movq %rbx, (%rcx)\n"
        "    movq %rbp, 8(%rcx)\n"
        "    movq %r12, 16(%rcx)\n"
        "    movq %r13, 24(%rcx)\n"
        "    movq %r14, 32(%rcx)\n"
        "    movq %r15, 40(%rcx)\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    ret\n"
        ".size registers_across_switch, . - registers_across_switch\n"
        ".globl spoil_registers\n"
        ".type spoil_registers, @function\n"
        "spoil_registers:\n"
        "    endbr64\n"
        "    movq $-1, %rax\n"
        "    movq %rax, %rcx\n"
        "    movq %rax, %rdx\n"
        "    movq %rax, %rsi\n"
        "    movq %rax, %rdi\n"
        "    movq %rax, %r8\n"
        "    movq %rax, %r9\n"
        "    movq %rax, %r10\n"
        "    movq %rax, %r11\n"
        "    ret\n"
        ".size spoil_registers, . - spoil_registers\n"
        ".popsection\n");

#elif defined(__aarch64__)

#define REGISTER_COUNT 19
__asm__(".pushsection .text\n"
        ".globl registers_across_switch\n"
        ".type registers_across_switch, %function\n"
        "registers_across_switch:\n"
        "    stp x29, x30, [sp, #-176]!\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    str x5, [sp, #160]\n" // out
        "    ldp x19, x20, [x4]\n"
        "    ldp x21, x22, [x4, #16]\n"
        "    ldp x23, x24, [x4, #32]\n"
        "    ldp x25, x26, [x4, #48]\n"
        "    ldp x27, x28, [x4, #64]\n"
        "    ldp d8, d9, [x4, #80]\n"
        "    ldp d10, d11, [x4, #96]\n"
        "    ldp d12, d13, [x4, #112]\n"
        "    ldp d14, d15, [x4, #128]\n"
        "    ldr x29, [x4, #144]\n"
        "    bl arch_switch\n"
        "    ldr x5, [sp, #160]\n"
        "    stp x19, x20, [x5]\n"
        "    stp x21, x22, [x5, #16]\n"
        "    stp x23, x24, [x5, #32]\n"
        "    stp x25, x26, [x5, #48]\n"
        "    stp x27, x28, [x5, #64]\n"
        "    stp d8, d9, [x5, #80]\n"
        "    stp d10, d11, [x5, #96]\n"
        "    stp d12, d13, [x5, #112]\n"
        "    stp d14, d15, [x5, #128]\n"
        "    str x29, [x5, #144]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x29, x30, [sp], #176\n"
        "    ret\n"
        ".size registers_across_switch, . - registers_across_switch\n"
        ".globl spoil_registers\n"
        ".type spoil_registers, %function\n"
        "spoil_registers:\n"
        "    hint #34\n" // bti c
        "    mov x0, #-1\n"
        "    mov x1, x0\n"
        "    mov x2, x0\n"
        "    mov x3, x0\n"
        "    mov x4, x0\n"
        "    mov x5, x0\n"
        "    mov x6, x0\n"
        "    mov x7, x0\n"
        "    mov x8, x0\n"
        "    mov x9, x0\n"
        "    mov x10, x0\n"
        "    mov x11, x0\n"
        "    mov x12, x0\n"
        "    mov x13, x0\n"
        "    mov x14, x0\n"
        "    mov x15, x0\n"
        "    mov x16, x0\n"
        "    mov x17, x0\n"
        "    ret\n"
        ".size spoil_registers, . - spoil_registers\n"
        ".popsection\n");

#endif

/* Switches once with register values that no other call uses, and requires them back. */
static void keep_registers(struct arch_context *save, const struct arch_context *load) {
    static uint64_t last;
    uint64_t in[REGISTER_COUNT];
    uint64_t out[REGISTER_COUNT] = {0};
    for (int i = 0; i < REGISTER_COUNT; i++) {
        in[i] = (last += UINT64_C(0x9e3779b97f4a7c15));
    }
    registers_across_switch(save, load, spoil_registers, NULL, in, out);
    for (int i = 0; i < REGISTER_COUNT; i++) {
        ASSERT_EQ(out[i], in[i]);
    }
}

static void keep_registers_and_go_to_b(void *arg) {
    (void)arg;
    for (;;) {
        keep_registers(&a, &b);
    }
}

static void keep_registers_and_go_home(void *arg) {
    (void)arg;
    for (;;) {
        keep_registers(&b, &home);
    }
}

TEST(registers_survive_between_equal_call_sites) {
    prepare(&a, low_top, keep_registers_and_go_to_b);
    prepare(&b, high_top, keep_registers_and_go_home);
    for (int i = 0; i < 1000; i++) {
        keep_registers(&home, &a);
    }
}

TEST(registers_survive_between_different_call_sites) {
    prepare(&a, low_top, echo);
    for (int i = 0; i < 1000; i++) {
        keep_registers(&home, &a);
    }
}

/* ---- Floating-point control ---- */

/* The mode of the side that is resumed is in force already when then runs. */
static void require_rounding(void *arg) {
    ASSERT_EQ(test_rounding_get(), *(unsigned *)arg);
}

static unsigned home_mode;
static unsigned a_mode;

static void keep_rounding(void *arg) {
    (void)arg;
    ASSERT_EQ(test_rounding_get(), 0); // not what the test has set before
    for (;;) {
        a_mode = (unsigned)(uintptr_t)carried;
        test_rounding_set(a_mode);
        arch_switch(&a, &home, require_rounding, &home_mode);
        ASSERT_EQ(test_rounding_get(), a_mode);
        exchange(&a, &home, NULL);
    }
}

TEST(each_context_keeps_its_rounding_mode) {
    prepare(&a, low_top, keep_rounding);
    for (uintptr_t pair = TEST_ROUNDING_MODES * TEST_ROUNDING_MODES; pair-- > 0;) {
        home_mode = (unsigned)(pair / TEST_ROUNDING_MODES);
        test_rounding_set(home_mode);
        exchange(&home, &a, (void *)(pair % TEST_ROUNDING_MODES));
        ASSERT_EQ(test_rounding_get(), home_mode);
        arch_switch(&home, &a, require_rounding, &a_mode);
        ASSERT_EQ(test_rounding_get(), home_mode);
    }
}

static void go_home_to_another_mode(void *arg) {
    (void)arg;
    arch_switch(&a, &home, require_rounding, &home_mode);
    go_home_for_ever(&a);
}

TEST(a_context_begins_with_the_mode_of_a_fresh_process) {
    for (home_mode = 1; home_mode < TEST_ROUNDING_MODES; home_mode++) {
        test_rounding_set(home_mode);
        a_mode = 0;
        prepare(&a, low_top, go_home_to_another_mode);
        arch_switch(&home, &a, require_rounding, &a_mode);
        ASSERT_EQ(test_rounding_get(), home_mode);
    }
}

TEST(a_reset_gives_the_mode_of_a_fresh_process) {
    for (unsigned mode = 0; mode < TEST_ROUNDING_MODES; mode++) {
        test_rounding_set(mode);
        arch_fp_reset();
        ASSERT_EQ(test_rounding_get(), 0);
    }
}

#if defined(__x86_64__)

#define MXCSR_FLAGS            0x3fu   // exceptions that happened; the rest is control
#define MXCSR_FLUSH            0x8040u // flush to zero, denormals are zero
#define X87_DOUBLE_PRECISION   0x027fu
#define X87_INEXACT_NOT_MASKED 0x035fu

static unsigned mxcsr(void) {
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word & ~MXCSR_FLAGS;
}

static unsigned x87_word(void) {
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void mxcsr_set(unsigned word) {
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
}

static void x87_word_set(uint16_t word) {
    __asm__ volatile("fldcw %0" : : "m"(word));
}

static void change_x87_alone(void *arg) {
    (void)arg;
    x87_word_set(X87_DOUBLE_PRECISION);
    go(&a, &home);
    ASSERT_EQ(x87_word(), X87_DOUBLE_PRECISION);
    ASSERT_EQ(mxcsr(), ARCH_MXCSR_INITIAL);
    go_home_for_ever(&a);
}

static void change_mxcsr_alone(void *arg) {
    (void)arg;
    mxcsr_set(ARCH_MXCSR_INITIAL | MXCSR_FLUSH);
    go(&a, &home);
    ASSERT_EQ(mxcsr(), ARCH_MXCSR_INITIAL | MXCSR_FLUSH);
    ASSERT_EQ(x87_word(), ARCH_X87_CW_INITIAL);
    go_home_for_ever(&a);
}

TEST(each_control_word_is_kept_by_itself) {
    void (*const entries[])(void *) = {change_x87_alone, change_mxcsr_alone};
    for (int i = 0; i < 2; i++) {
        prepare(&a, low_top, entries[i]);
        for (int k = 0; k < 2; k++) {
            go(&home, &a);
            ASSERT_EQ(x87_word(), ARCH_X87_CW_INITIAL);
            ASSERT_EQ(mxcsr(), ARCH_MXCSR_INITIAL);
        }
    }
}

static void use_x87_unmasked(void *arg) {
    (void)arg;
    x87_word_set(X87_INEXACT_NOT_MASKED);
    go(&a, &home);
    __asm__ volatile("fld1\n\tfstp %%st(0)\n\tfwait" : : : "memory");
    go_home_for_ever(&a);
}

static volatile long double one = 1;
static volatile long double three = 3;

TEST(a_masked_exception_is_not_raised_in_another_context) {
    prepare(&a, low_top, use_x87_unmasked);
    go(&home, &a);
    ASSERT(one / three * three != 0); // inexact, which is masked here
    go(&home, &a);
}

TEST(a_reset_sets_each_control_word) {
    mxcsr_set(ARCH_MXCSR_INITIAL | MXCSR_FLUSH);
    arch_fp_reset();
    ASSERT_EQ(mxcsr(), ARCH_MXCSR_INITIAL);
    x87_word_set(X87_DOUBLE_PRECISION);
    arch_fp_reset();
    ASSERT_EQ(x87_word(), ARCH_X87_CW_INITIAL);
}

TEST(a_reset_forgets_a_pending_exception) {
    x87_word_set(X87_INEXACT_NOT_MASKED);
    __asm__ volatile("fldt %0\n\t"
                     "fldt %1\n\t"
                     "fdivrp" // raises it in the next x87 instruction that looks
                     :
                     : "m"(three), "m"(one));
    arch_fp_reset();
    __asm__ volatile("fstp %%st(0)\n\tfwait" : : : "memory");
    ASSERT_EQ(x87_word(), ARCH_X87_CW_INITIAL);
}

#endif

/* ---- Stacks ---- */

/* Aligned as the ABI lets every function assume. */
static RT_NOINLINE void require_aligned_stack(const char *stack) {
    char local[16] __attribute__((aligned(16)));
    char *address = local;
    // or the compiler would answer from what it knows
    __asm__ volatile("" : "+r"(address));
    ASSERT(is_on(stack, address));
    ASSERT_EQ((uintptr_t)address % 16, 0);
#if defined(__x86_64__)
    __asm__ volatile("movaps %%xmm0, %0" : "=m"(local));
#endif
}

static void *require_aligned_high_stack(void *arg) {
    require_aligned_stack(stacks.high);
    return arg;
}

static void end_aligned(void *arg) {
    (void)arg;
    require_aligned_stack(stacks.high);
    go_home_for_ever(&a);
}

static void start_aligned(void *arg) {
    require_aligned_stack(stacks.low);
    char *odd_top = high_top - (uintptr_t)arg;
    ASSERT(arch_call_on(odd_top, require_aligned_high_stack, arg) == arg);
    arch_jump(odd_top, end_aligned, NULL);
}

TEST(functions_begin_on_an_aligned_stack) {
    for (uintptr_t i = 0; i < 16; i++) {
        prepare_with(&a, low_top - i, start_aligned, (void *)i);
        go(&home, &a);
    }
}

#define NEAR_BYTES ((size_t)4096)

/* What look_around() expects after a switch. */
struct place {
    const char *stack;
    const char *frame; // of the suspended context
};

static int looks;

static void look_around(void *arg) {
    const struct place *place = arg;
    const char *own_frame = __builtin_frame_address(0);
    require_aligned_stack(place->stack);
    ASSERT(own_frame < place->frame + ARCH_FRAME_SIZE);
    ASSERT(own_frame > place->frame - NEAR_BYTES);
    looks++;
}

static INLINED void switch_and_look(struct arch_context *save,
                                    const struct arch_context *load, const char *stack) {
    struct place place = {.stack = stack, .frame = load->sp};
    arch_switch(save, load, look_around, &place);
}

/* One call instruction for both contexts. */
static RT_NOINLINE void look_from_one_place(struct arch_context *save,
                                            const struct arch_context *load,
                                            const char *stack) {
    switch_and_look(save, load, stack);
    __asm__ volatile(""); // no tail call
}

static void look_on_high(void *arg) {
    (void)arg;
    look_from_one_place(&a, &b, stacks.high); // b has not begun
    look_from_one_place(&a, &b, stacks.high); // between equal call sites
    switch_and_look(&a, &b, stacks.high);     // between different ones
    go_home_for_ever(&a);
}

static void look_on_low(void *arg) {
    (void)arg;
    for (;;) {
        look_from_one_place(&b, &a, stacks.low);
    }
}

TEST(then_runs_next_to_the_frame_that_is_entered) {
    for (int i = 0; i < 16; i++) {
        prepare(&a, low_top - i, look_on_high);
        prepare(&b, high_top - i, look_on_low);
        switch_and_look(&home, &a, stacks.low);
    }
    ASSERT_EQ(looks, 16 * (1 + 3 + 3));
}

/* Walkers of frame pointers stop where the pointer is zero. */
#define REQUIRE_OUTERMOST_FRAME() ASSERT(*(void **)__builtin_frame_address(0) == NULL)

static void land(void *arg) {
    char local = 0;
    REQUIRE_OUTERMOST_FRAME();
    ASSERT(arg == &b);
    ASSERT(is_on(low_top - NEAR_BYTES, &local));
    ASSERT(&local < low_top);
    ASSERT_EQ(test_rounding_get(), 0);
    go_home_for_ever(&a);
}

static void dive(void *arg) {
    (void)arg;
    REQUIRE_OUTERMOST_FRAME();
    volatile char depth[2 * NEAR_BYTES];
    depth[0] = 0; // or the compiler would leave it out
    ASSERT(depth < low_top - NEAR_BYTES);
    test_rounding_set(1);
    forget_frames(low_top);
    arch_jump(low_top, land, &b);
}

TEST(a_jump_restarts_the_stack) {
    prepare(&a, low_top, dive);
    go(&home, &a);
    go(&home, &a);
}

static void *call_on_low(void *arg) {
    char local = 0;
    ASSERT(is_on(stacks.low, &local));
    *(int *)arg += 1;
    return &stacks.low;
}

static void *call_on_high(void *arg) {
    char local = 0;
    ASSERT(is_on(stacks.high, &local));
    ASSERT(arch_call_on(low_top, call_on_low, arg) == &stacks.low);
    ASSERT(is_on(stacks.high, &local));
    *(int *)arg += 1;
    return &stacks.high;
}

TEST(a_call_on_another_stack_returns_its_result) {
    int calls = 0;
    for (int i = 0; i < 100; i++) {
        ASSERT(arch_call_on(high_top, call_on_high, &calls) == &stacks.high);
    }
    ASSERT_EQ(calls, 200);
}

static void return_from_entry(void *arg) {
    (void)arg;
}

static void run_entry_that_returns(void *arg) {
    (void)arg;
    signal(SIGILL, SIG_DFL); // sanitizers have handlers of their own
    signal(SIGTRAP, SIG_DFL);
    prepare(&a, low_top, return_from_entry);
    go(&home, &a);
}

TEST(an_entry_that_returns_traps) {
    static struct test_child child;
    test_child_run(&child, run_entry_that_returns, NULL);
    ASSERT(child.signal == SIGILL || child.signal == SIGTRAP);
}

/* ---- Threads ---- */

/* Returns from each switch the M of the thread that it runs on. */
static void tell_self(void *arg) {
    (void)arg;
    for (;;) {
        exchange(&a, carried, arch_self());
    }
}

static void ask_in_thread(void *arg) {
    struct arch_context own_home;
    ASSERT(arch_self() == NULL);
    arch_self_set(arg);
    ASSERT(arch_self() == arg);
    ASSERT(exchange(&own_home, &a, &own_home) == arg);
}

TEST(a_context_sees_the_thread_that_resumes_it) {
    static char ms[4]; // only their addresses matter
    prepare(&a, low_top, tell_self);
    ask_in_thread(&ms[0]);
    for (int i = 1; i < 4; i++) {
        struct test_thread thread;
        test_thread_start(&thread, ask_in_thread, &ms[i]);
        test_thread_join(&thread);
        ASSERT(exchange(&home, &a, &home) == &ms[0]);
    }
    arch_self_set(NULL);
}

/* The second thread resumes a while the first is still in the switch from a to b. */
static char second_m; // only its address matters
static struct arch_context second_home;
static atomic_int given;   // 1: a is the second thread's to resume
static atomic_int arrived; // 1: the first thread is out of the switch
static atomic_int rounds;  // how often the second thread has suspended a again

static void give_away(void *arg) {
    (void)arg;
    atomic_store(&given, 1);
    test_spin(&given, 0);
}

/* Overwrites the frame that a switch left of a with b's frame: a switch that still
   compared the two would fail. Not by memcpy(), whose own frame would be there. */
static INLINED void replace_frame(void *left, const void *other) {
    volatile uint64_t *to = left;
    const uint64_t *from = other;
    for (size_t i = 0; i < ARCH_FRAME_SIZE / sizeof *to; i++) {
        to[i] = from[i];
    }
}

static void be_given_away(void *arg) {
    (void)arg;
    for (;;) {
        uint64_t frame_of_b[ARCH_FRAME_SIZE / sizeof(uint64_t)];
        memcpy(frame_of_b, b.sp, sizeof frame_of_b);
        test_rounding_set(1);
        arch_switch(&a, &b, give_away, NULL);
        ASSERT_EQ(test_rounding_get(), 1);
        ASSERT(arch_self() == (struct rt_m *)&second_m);
        replace_frame(a.sp, frame_of_b);
        atomic_store(&given, 0);
        while (atomic_load(&arrived) == 0) {
            // no call: its frame would overwrite the copy
        }
        go(&a, &second_home);
    }
}

static void resume_a(void *arg) {
    const int count = *(int *)arg;
    arch_self_set((struct rt_m *)&second_m);
    for (int i = 0; i < count; i++) {
        test_spin(&given, 1);
        go(&second_home, &a);
        atomic_store(&rounds, i + 1);
    }
}

static void keep_all_and_go_home(void *arg) {
    (void)arg;
    atomic_store(&arrived, 1);
    ASSERT_EQ(test_rounding_get(), 0);
    test_rounding_set(2);
    for (;;) {
        keep_registers(&b, &home);
        atomic_store(&arrived, 1);
        ASSERT_EQ(test_rounding_get(), 2);
    }
}

TEST(a_context_may_be_resumed_while_then_still_runs) {
    int count = 100;
    struct test_thread second;
    prepare(&a, low_top, be_given_away);
    prepare(&b, high_top, keep_all_and_go_home);
    test_thread_start(&second, resume_a, &count);
    for (int i = 0; i < count; i++) {
        atomic_store(&arrived, 0);
        go(&home, &a);
        test_spin(&rounds, i + 1);
    }
    test_thread_join(&second);
}
