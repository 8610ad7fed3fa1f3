/* SPDX-License-Identifier: MIT */
/* Proves: a NULL handle ends the process with a message that names the function, in
   goroutines and threads; tuco_fd_ref and tuco_fd_unref accept it. */
#include "test.h"

#include <sys/uio.h>

static char byte;
static struct iovec piece = {&byte, 1};

#define MISUSE(name, call)                 \
    static int name##_main(void *unused) { \
        (void)unused;                      \
        return (int)(call);                \
    }

MISUSE(raw, tuco_fd_raw(NULL))
MISUSE(read, tuco_fd_read(NULL, &byte, 1))
MISUSE(read_nothing, tuco_fd_read(NULL, &byte, 0))
MISUSE(write, tuco_fd_write(NULL, &byte, 1))
MISUSE(write_some, tuco_fd_write_some(NULL, &byte, 1))
MISUSE(readv, tuco_fd_readv(NULL, &piece, 1))
MISUSE(writev, tuco_fd_writev(NULL, &piece, 1))
MISUSE(writev_some, tuco_fd_writev_some(NULL, &piece, 1))
MISUSE(recvfrom, tuco_fd_recvfrom(NULL, &byte, 1, NULL, NULL))
MISUSE(sendto, tuco_fd_sendto(NULL, &byte, 1, NULL, 0))
MISUSE(deadline, tuco_fd_set_deadline(NULL, 0))
MISUSE(read_deadline, tuco_fd_set_read_deadline(NULL, 0))
MISUSE(write_deadline, tuco_fd_set_write_deadline(NULL, 0))
MISUSE(shutdown, tuco_fd_shutdown(NULL, 0))
MISUSE(close, tuco_fd_close(NULL))
MISUSE(accept, tuco_accept(NULL, &(tuco_fd *){NULL}))
MISUSE(local_address, tuco_local_address(NULL, &byte, 1))
MISUSE(remote_address, tuco_remote_address(NULL, &byte, 1))

TEST(each_function) {
    RUN_DIES(raw_main, "panic: tuco_fd_raw of nil handle");
    RUN_DIES(read_main, "panic: tuco_fd_read of nil handle");
    RUN_DIES(read_main, "goroutine 1 [running]:");
    RUN_DIES(read_nothing_main, "panic: tuco_fd_read of nil handle");
    RUN_DIES(write_main, "panic: tuco_fd_write of nil handle");
    RUN_DIES(write_some_main, "panic: tuco_fd_write_some of nil handle");
    RUN_DIES(readv_main, "panic: tuco_fd_readv of nil handle");
    RUN_DIES(writev_main, "panic: tuco_fd_writev of nil handle");
    RUN_DIES(writev_some_main, "panic: tuco_fd_writev_some of nil handle");
    RUN_DIES(recvfrom_main, "panic: tuco_fd_recvfrom of nil handle");
    RUN_DIES(sendto_main, "panic: tuco_fd_sendto of nil handle");
    RUN_DIES(deadline_main, "panic: tuco_fd_set_deadline of nil handle");
    RUN_DIES(read_deadline_main, "panic: tuco_fd_set_read_deadline of nil handle");
    RUN_DIES(write_deadline_main, "panic: tuco_fd_set_write_deadline of nil handle");
    RUN_DIES(shutdown_main, "panic: tuco_fd_shutdown of nil handle");
    RUN_DIES(close_main, "panic: tuco_fd_close of nil handle");
    RUN_DIES(accept_main, "panic: tuco_accept of nil handle");
    RUN_DIES(local_address_main, "panic: tuco_local_address of nil handle");
    RUN_DIES(remote_address_main, "panic: tuco_remote_address of nil handle");
}

static void read_on_thread(void *unused) {
    (void)unused;
    (void)tuco_fd_read(NULL, &byte, 1);
}

TEST(on_a_thread) {
    EXPECT_DEATH(read_on_thread, NULL, "panic: tuco_fd_read of nil handle");
}

TEST(taken) {
    ASSERT(tuco_fd_ref(NULL) == NULL);
    tuco_fd_unref(NULL);
}
