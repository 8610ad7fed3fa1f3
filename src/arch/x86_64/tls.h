/* SPDX-License-Identifier: MIT */
/* x86_64/tls.h: access to the thread-local pointer to the M, without caching.
 *
 * The initial-exec model loads the variable's offset from the thread pointer and accesses
 * it through %fs. It works in executables and shared libraries; where the linker knows the
 * offset it turns the load into a constant. Both instructions are in one volatile asm,
 * which compilers keep in order with calls and never merge with another: neither the value
 * nor the address is reused after a switch.
 */
#ifndef RT_ARCH_TLS_H
#define RT_ARCH_TLS_H

static inline struct rt_m *arch_self(void) {
    struct rt_m *m;
    __asm__ volatile("movq rt_tls_m@gottpoff(%%rip), %0\n\t"
                     "movq %%fs:(%0), %0"
                     : "=r"(m));
    return m;
}

static inline void arch_self_set(struct rt_m *m) {
    void *offset;
    __asm__ volatile("movq rt_tls_m@gottpoff(%%rip), %0\n\t"
                     "movq %1, %%fs:(%0)"
                     : "=&r"(offset)
                     : "r"(m)
                     : "memory");
}

#endif
