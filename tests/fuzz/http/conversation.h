/* SPDX-License-Identifier: MIT */
/* conversation.h: bytes that are said to the server of examples/http, and what it
   answers. */
#ifndef FUZZ_HTTP_CONVERSATION_H
#define FUZZ_HTTP_CONVERSATION_H

#include <stddef.h>
#include <stdint.h>

/* Longer inputs are cut to this. */
#define CONVERSATION_MAX_BYTES 4096

/* Sets the server up. Once, while the runtime runs. */
void conversation_init(void);

/* Gives back what that took. */
void conversation_exit(void);

/* Says the bytes to the server twice: at once, and in pieces, each of which it reads by
   itself. The server has to end both times, by itself or when the bytes do, and to give
   the same answers, which are responses. If it does not, the process is aborted with the
   reason and the input. Called by a goroutine. */
void conversation_try(const uint8_t *bytes, size_t length);

#endif
