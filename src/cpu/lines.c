/* SPDX-License-Identifier: MIT */
/* Reads a file of any length line by line, in memory of a fixed size. */
#include "cpu/lines.h"
#include "os/os.h"

/* Moves the unread bytes to the front and reads more behind them. Returns how many bytes
   were read, 0 at the end of the file, or an error. */
static int lines_fill(struct rt_lines *l) {
    memmove(l->buffer, l->buffer + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    int n = os_file_read(l->file, l->buffer + l->end, l->bytes - l->end);
    if (n > 0) {
        l->end += (size_t)n;
    }
    return n;
}

/* Takes the text up to the next newline. Returns false if there is none in the buffer. */
static bool take_line(struct rt_lines *l, struct rt_text *text) {
    struct rt_text rest = {l->buffer + l->start, l->end - l->start};
    if (!rt_text_take(&rest, '\n', text)) {
        return false;
    }
    l->start = l->end - rest.length;
    return true;
}

/* Returns 1 if the next byte begins a line, 0 if the file ended before, or an error. */
static int skip_rest(struct rt_lines *l) {
    struct rt_text rest;
    while (l->skipping) {
        if (take_line(l, &rest)) {
            l->skipping = false;
            break;
        }
        l->start = l->end;
        int n = lines_fill(l);
        if (n <= 0) {
            return n;
        }
    }
    return 1;
}

/* Returns the buffered part of a line whose end is not in the buffer. */
static void cut_line(struct rt_lines *l, struct rt_line *line) {
    line->text = (struct rt_text){l->buffer + l->start, l->end - l->start};
    line->whole = false;
    l->start = l->end;
    l->skipping = true;
}

int rt_lines_next(struct rt_lines *l, struct rt_line *line) {
    int n = skip_rest(l);
    if (n <= 0) {
        return n;
    }
    while (!take_line(l, &line->text)) {
        bool full = l->end - l->start == l->bytes;
        n = full ? 0 : lines_fill(l);
        if (n < 0 || (n == 0 && l->end == l->start)) {
            return n;
        }
        if (n == 0) {
            cut_line(l, line);
            return 1;
        }
    }
    line->whole = true;
    return 1;
}
