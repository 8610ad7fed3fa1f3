/* SPDX-License-Identifier: MIT */
/* Calls that block the thread: three goroutines wait in read(2), while the only processor
   runs main, which writes to them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tuco.h>
#include <unistd.h>

enum { READERS = 3, TEXT_BYTES = 16 };

struct reader {
    int number;
    int fds[2];
    char text[TEXT_BYTES];
    ssize_t length;
    tuco_wg *begun;
    tuco_chan *answers; /* of struct reader * */
};

/* Blocks its goroutine and the thread that runs it. */
static intptr_t read_text(void *arg) {
    struct reader *r = arg;
    return read(r->fds[0], r->text, TEXT_BYTES - 1);
}

/* Announced, so that another thread takes the processor as soon as a goroutine needs
   it. */
static void wait_for_text(void *arg) {
    struct reader *r = arg;
    tuco_wg_done(r->begun);
    r->length = tuco_blocking(read_text, r);
    tuco_chan_send(r->answers, &r);
}

static int start(struct reader *r) {
    if (pipe(r->fds) != 0) {
        return -errno;
    }
    tuco_wg_add(r->begun, 1);
    return tuco_go(wait_for_text, r);
}

/* Returns when the reader has answered. */
static int tell(const struct reader *r, const char *text) {
    struct reader *answer;
    size_t length = strlen(text);
    if (write(r->fds[1], text, length) != (ssize_t)length) {
        return -EIO;
    }
    tuco_chan_recv(r->answers, &answer);
    printf("reader %d: %.*s\n", answer->number, (int)answer->length, answer->text);
    return 0;
}

static int readers_main(void *unused) {
    (void)unused;
    static const char *const texts[READERS] = {"one", "two", "three"};
    struct reader readers[READERS];
    tuco_wg begun = {0};
    tuco_chan *answers = tuco_chan_make(sizeof(struct reader *), 0);
    int error = answers == NULL ? -ENOMEM : 0;

    tuco_procs(1);
    printf("processors: %d\n", tuco_procs(0));
    for (int i = 0; i < READERS && error == 0; i++) {
        readers[i] =
            (struct reader){.number = i + 1, .begun = &begun, .answers = answers};
        error = start(&readers[i]);
    }
    if (error == 0) {
        tuco_wg_wait(&begun); /* each of them is in its call, or about to be */
    }
    for (int i = READERS - 1; i >= 0 && error == 0; i--) {
        error = tell(&readers[i], texts[i]);
    }
    tuco_chan_unref(answers);
    tuco_procs_auto();
    return error == 0 ? 0 : 1;
}

int main(void) {
    return tuco_run(readers_main, NULL) == 0 ? 0 : 1;
}
