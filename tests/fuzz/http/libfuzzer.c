/* SPDX-License-Identifier: MIT */
/* The entry of libFuzzer, which chooses inputs by what code they reach:

       CC=clang cmake -B build/fuzz -G Ninja -DTUCO_LIBFUZZER=ON -DTUCO_SANITIZE=address
       cmake --build build/fuzz --target fuzz.http.libfuzzer
       mkdir -p build/fuzz/found
       build/fuzz/tests/fuzz/http/libfuzzer -max_len=4096 -max_total_time=60 \
           -dict=tests/fuzz/http/http.dict build/fuzz/found tests/fuzz/http/corpus */
#include "http/conversation.h"

#include <stdlib.h>
#include <tuco.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

struct input {
    const uint8_t *bytes;
    size_t length;
};

static void try_input(void *arg) {
    const struct input *input = arg;
    conversation_try(input->bytes, input->length);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    if (tuco_start() != 0) {
        abort();
    }
    conversation_init();
    return 0;
}

/* Called by a thread of libFuzzer, which is not a goroutine and waits for one. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct input input = {.bytes = bytes, .length = length};
    tuco_wg done = {0};
    if (tuco_wg_go(&done, try_input, &input) != 0) {
        abort();
    }
    tuco_wg_wait(&done);
    return 0;
}
