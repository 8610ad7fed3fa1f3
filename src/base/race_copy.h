/* SPDX-License-Identifier: MIT */
/* Included before every source that ThreadSanitizer does not instrument: the sanitizer's
   memcpy() and the like would report accesses to the runtime's memory. See race.h. */
#ifndef RT_BASE_RACE_COPY_H
#define RT_BASE_RACE_COPY_H

#define _GNU_SOURCE /* some of the sources define it first */
#include <stddef.h>
#include <string.h>

/* Keeps the compiler from turning the loop into a call of memcpy(). */
#define RT_RACE_KEEP_LOOP() __asm__ volatile("" ::: "memory")

static inline void *rt_race_memmove(void *to, const void *from, size_t bytes) {
    char *t = to;
    const char *f = from;
    if (t < f) {
        for (size_t i = 0; i < bytes; i++) {
            t[i] = f[i];
            RT_RACE_KEEP_LOOP();
        }
    } else {
        for (size_t i = bytes; i-- > 0;) {
            t[i] = f[i];
            RT_RACE_KEEP_LOOP();
        }
    }
    return to;
}

static inline void *rt_race_memset(void *to, int byte, size_t bytes) {
    char *t = to;
    for (size_t i = 0; i < bytes; i++) {
        t[i] = (char)byte;
        RT_RACE_KEEP_LOOP();
    }
    return to;
}

static inline size_t rt_race_strlen(const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
        RT_RACE_KEEP_LOOP();
    }
    return length;
}

static inline char *rt_race_strcpy(char *to, const char *from) {
    return rt_race_memmove(to, from, rt_race_strlen(from) + 1);
}

#define memcpy  rt_race_memmove
#define memmove rt_race_memmove
#define memset  rt_race_memset
#define strlen  rt_race_strlen
#define strcpy  rt_race_strcpy

#endif
