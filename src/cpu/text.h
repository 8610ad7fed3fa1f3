/* SPDX-License-Identifier: MIT */
/* String slices, parsed without copies. */
#ifndef RT_CPU_TEXT_H
#define RT_CPU_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Not terminated; may contain any byte. */
struct rt_text {
    const char *start;
    size_t length;
};

static inline bool rt_text_is(struct rt_text t, const char *word) {
    return t.length == strlen(word) && memcmp(t.start, word, t.length) == 0;
}

/* Moves the text before the next separator from *rest to *taken and drops the separator.
   Returns false if there is none; then both are unchanged. */
static inline bool rt_text_take(struct rt_text *rest, char separator,
                                struct rt_text *taken) {
    /* start may be NULL if the length is 0, which memchr() does not allow. */
    const char *at =
        rest->length > 0 ? memchr(rest->start, separator, rest->length) : NULL;
    if (at == NULL) {
        return false;
    }
    size_t length = (size_t)(at - rest->start);
    *taken = (struct rt_text){rest->start, length};
    *rest = (struct rt_text){at + 1, rest->length - length - 1};
    return true;
}

/* Whether word is one of the items of list. */
static inline bool rt_text_has(struct rt_text list, char separator, const char *word) {
    struct rt_text item;
    while (rt_text_take(&list, separator, &item)) {
        if (rt_text_is(item, word)) {
            return true;
        }
    }
    return rt_text_is(list, word);
}

#endif
