/* SPDX-License-Identifier: MIT */
/* x86_64/tls.h: the thread-local pointer to the M, read so that nothing caches it.
 *
 * The initial-exec model takes one load of the variable's offset from the thread pointer
 * and one access through %fs. It serves executables and shared libraries alike; where the
 * linker knows the offset it makes the load a constant. Both instructions are one
 * volatile asm, which compilers keep in order with calls and never merge with another:
 * neither the value nor the address survives from before a switch.
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
