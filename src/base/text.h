/* SPDX-License-Identifier: MIT */
/* Records the address ranges of the library's code, so that a traceback can omit it. The
   build includes this before each source of the library. */
#ifndef RT_BASE_TEXT_H
#define RT_BASE_TEXT_H

/*
 * In a statically linked program, nothing distinguishes the library's functions from
 * others. So each object file puts two labels around each of its two code sections; the
 * second label is in a subsection that the assembler places last. A record in section
 * rt_text holds the distances from the record to the labels. The linker concatenates the
 * rt_text sections into one table and defines its bounds.
 */
#define RT_TEXT_HIGHEST "8191"
#define RT_TEXT_AROUND(section)                                       \
    ".pushsection " section ",0,\"ax\",@progbits\n"                   \
    "0:\n"                                                            \
    ".popsection\n"                                                   \
    ".pushsection " section "," RT_TEXT_HIGHEST ",\"ax\",@progbits\n" \
    "1:\n"                                                            \
    ".popsection\n"                                                   \
    ".pushsection rt_text,0,\"a\",@progbits\n"                        \
    ".balign 8\n"                                                     \
    ".quad 0b - .\n"                                                  \
    ".quad 1b - .\n"                                                  \
    ".popsection\n"

#ifdef __clang__
#define RT_TEXT_COLD ".text.unlikely."
#else
#define RT_TEXT_COLD ".text.unlikely"
#endif

__asm__(RT_TEXT_AROUND(".text") RT_TEXT_AROUND(RT_TEXT_COLD));

#endif
