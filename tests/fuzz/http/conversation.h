/* SPDX-License-Identifier: MIT */
/* conversation.h: sends bytes to the server of examples/http and checks its answers. */
#ifndef FUZZ_HTTP_CONVERSATION_H
#define FUZZ_HTTP_CONVERSATION_H

#include <stddef.h>
#include <stdint.h>

/* Longer inputs are cut to this. */
#define CONVERSATION_MAX_BYTES 4096

/* Sets the server up. Once, while the runtime runs. */
void conversation_init(void);

/* Frees what conversation_init() has allocated. */
void conversation_exit(void);

/* Sends the bytes to the server twice: at once, and in pieces that it reads one by one.
   The server must end both times, by itself or at the end of the bytes, and give the same
   answers, which must be responses. Otherwise the process is aborted with the reason and
   the input. Called by a goroutine. */
void conversation_try(const uint8_t *bytes, size_t length);

#endif
