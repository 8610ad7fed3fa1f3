/* SPDX-License-Identifier: MIT */
/* cpu_texts.h: texts in place of files, for the tests of the line readers in src/cpu. */
#ifndef CPU_TEXTS_H
#define CPU_TEXTS_H

#include "test.h"
#include "cpu/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Begins to read a text with a buffer of exactly that size, so that AddressSanitizer
   knows its end. */
static struct rt_lines texts_open(const char *text, size_t length, size_t buffer_bytes) {
    int fd = memfd_create("text", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(write(fd, text, length), length);
    ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
    struct rt_lines l = {
        .file = fd,
        .buffer = malloc(buffer_bytes),
        .bytes = buffer_bytes,
    };
    ASSERT(l.buffer != NULL);
    return l;
}

static void texts_close(struct rt_lines *l) {
    close(l->file);
    free(l->buffer);
}

#endif
