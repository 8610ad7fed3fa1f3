/* SPDX-License-Identifier: MIT */
/* Proves: os_fd_ready() reports at once what a descriptor is ready for, whatever errno was
   before, and leaves errno as it was. */
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

TEST(an_old_errno_is_no_interruption) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    errno = EINTR;
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN), 0);
    ASSERT_EQ(os_fd_ready(fds[1], POLLOUT), POLLOUT);
    ASSERT_EQ(errno, EINTR);
    close(fds[0]);
    close(fds[1]);
}

TEST(unknown_events_and_descriptors_are_refused) {
    int fds[2];
    ASSERT_EQ(pipe(fds), 0);
    ASSERT_EQ(os_fd_ready(fds[0], 0), -EINVAL);
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN | POLLNVAL), -EINVAL);
    ASSERT_EQ(os_fd_ready(-1, POLLIN), -EBADF);
    close(fds[0]);
    close(fds[1]);
    ASSERT_EQ(os_fd_ready(fds[0], POLLIN), -EBADF);
}
