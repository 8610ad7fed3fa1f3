/* SPDX-License-Identifier: MIT */
/* Proves: lines are read one by one with a buffer of any size; a line that does not fit
   is marked, shown as far as it fits, and skipped. */
#include "cpu_texts.h"
#include "fault.h"

#include <errno.h>

#define BUFFER_BYTES 8

/* Requires these lines of a text: each ends with "|", or with "!" if it is not whole. */
static void expect_lines(const char *text, const char *wanted) {
    struct rt_lines l = texts_open(text, strlen(text), BUFFER_BYTES);
    struct rt_line line;
    char shown[128];
    size_t at = 0;
    while (rt_lines_next(&l, &line) > 0) {
        ASSERT_LE(line.text.length, BUFFER_BYTES);
        ASSERT_LT(at + BUFFER_BYTES + 1, sizeof(shown));
        memcpy(shown + at, line.text.start, line.text.length);
        at += line.text.length;
        shown[at++] = line.whole ? '|' : '!';
    }
    shown[at] = '\0';
    ASSERT_STR(shown, wanted);
    ASSERT_EQ(rt_lines_next(&l, &line), 0);
    texts_close(&l);
}

TEST(whole_lines) {
    expect_lines("", "");
    expect_lines("\n", "|");
    expect_lines("\n\n\n", "|||");
    expect_lines("1234\n", "1234|");
    expect_lines("1234\n5678\n", "1234|5678|");
    expect_lines("12\n34\n56\n78\n", "12|34|56|78|");
}

TEST(a_line_fits_if_its_newline_does) {
    expect_lines("1234567\n", "1234567|");
    expect_lines("1\n1234567\n2\n", "1|1234567|2|");
    expect_lines("12345678\n", "12345678!");
    expect_lines("12345678\n1234567\n", "12345678!1234567|");
}

TEST(the_last_line_lacks_its_newline) {
    expect_lines("1234", "1234!");
    expect_lines("1234\n5678", "1234|5678!");
    expect_lines("12345678", "12345678!");
    expect_lines("123456789", "12345678!");
}

TEST(the_rest_of_a_long_line_is_passed_over) {
    expect_lines("1234\n1234567890\n5678\n", "1234|12345678!5678|");
    expect_lines("1234\n123456789012345678901234567890123456789\n5678\n",
                 "1234|12345678!5678|");
    expect_lines("12345678\n\n9\n", "12345678!|9|");
    expect_lines("1234567890\n0987654321\n", "12345678!09876543!");
    expect_lines("1234567890123456", "12345678!");
}

TEST(a_buffer_of_one_byte_is_enough) {
    struct rt_lines l = texts_open("\nab\nc", 5, 1);
    struct rt_line line;
    ASSERT_EQ(rt_lines_next(&l, &line), 1);
    ASSERT_EQ(line.text.length, 0);
    ASSERT(line.whole);
    ASSERT_EQ(rt_lines_next(&l, &line), 1);
    ASSERT_EQ(line.text.start[0], 'a');
    ASSERT(!line.whole);
    ASSERT_EQ(rt_lines_next(&l, &line), 1);
    ASSERT_EQ(line.text.start[0], 'c');
    ASSERT(!line.whole);
    ASSERT_EQ(rt_lines_next(&l, &line), 0);
    texts_close(&l);
}

TEST(any_byte_is_text) {
    struct rt_lines l = texts_open("a\0b\n\xff\r\n", 7, BUFFER_BYTES);
    struct rt_line line;
    ASSERT_EQ(rt_lines_next(&l, &line), 1);
    ASSERT_EQ(line.text.length, 3);
    ASSERT_EQ(memcmp(line.text.start, "a\0b", 3), 0);
    ASSERT_EQ(rt_lines_next(&l, &line), 1);
    ASSERT_EQ(line.text.length, 2);
    ASSERT_EQ(memcmp(line.text.start, "\xff\r", 2), 0);
    texts_close(&l);
}

/* Each read fails in turn: at a line, inside a line, and in a skipped part. */
TEST(the_error_of_a_read_is_returned) {
    for (int call = 1; call <= 4; call++) {
        struct rt_lines l =
            texts_open("1\n12345678901234567890123456\n", 29, BUFFER_BYTES);
        struct rt_line line;
        test_fault_plan(OS_FAULT_READ, call, 1, EIO);
        int rc = 1;
        while (rc > 0) {
            rc = rt_lines_next(&l, &line);
        }
        ASSERT_EQ(rc, -EIO);
        test_fault_clear();
        texts_close(&l);
    }
}
