/* SPDX-License-Identifier: MIT */
/* aarch64/tls.h: access to the thread-local pointer to the M, without caching.
 *
 * The initial-exec model takes the thread pointer from tpidr_el0 and the variable's offset
 * from the global offset table. It works in executables and shared libraries; where the
 * linker knows the offset it turns the load into a constant. All is in one volatile asm,
 * which compilers keep in order with calls and never merge with another: neither the value
 * nor the thread pointer is reused after a switch.
 */
#ifndef RT_ARCH_TLS_H
#define RT_ARCH_TLS_H

static inline struct rt_m *arch_self(void) {
    struct rt_m *m;
    void *thread;
    __asm__ volatile("mrs %1, tpidr_el0\n\t"
                     "adrp %0, :gottprel:rt_tls_m\n\t"
                     "ldr %0, [%0, #:gottprel_lo12:rt_tls_m]\n\t"
                     "ldr %0, [%1, %0]"
                     : "=&r"(m), "=&r"(thread));
    return m;
}

static inline void arch_self_set(struct rt_m *m) {
    void *thread;
    void *offset;
    __asm__ volatile("mrs %1, tpidr_el0\n\t"
                     "adrp %0, :gottprel:rt_tls_m\n\t"
                     "ldr %0, [%0, #:gottprel_lo12:rt_tls_m]\n\t"
                     "str %2, [%1, %0]"
                     : "=&r"(offset), "=&r"(thread)
                     : "r"(m)
                     : "memory");
}

#endif
