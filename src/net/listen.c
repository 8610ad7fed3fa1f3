/* SPDX-License-Identifier: MIT */
/* Listening sockets, accepted connections, and the addresses of both ends. */
#include "net/address.h"
#include "net/fd.h"
#include "net/resolve.h"
#include "base/alloc.h"

#include <errno.h>
#include <string.h>
#include <tuco/go.h>

/*
 * Files. ('Files') A "unix" listener has a file, which would outlive the listener and keep
 * the next one from listening there: the file does not show whether a process listens. So
 * the handle removes the file, unless it has been replaced, for example by a successor that
 * takes over without a gap. The handle recognizes its file by the inode number, which the
 * kernel does not reuse while the socket is open. So the file is removed before the socket
 * is closed, and only by the process that made it. Between the check and the removal the
 * file can still be replaced: no system call does both.
 *
 * After the program has changed its directory, a relative path names another file: then the
 * listener's file stays, and the other is not touched. Keeping the directory open would
 * need a descriptor for each listener; its absolute path may have become invalid.
 *
 * A process that ends without closing leaves the file behind. Removing an existing file
 * before listening would take the address from a process that still uses it: the user has
 * to decide that.
 */
/* Immutable. */
struct socket_file {
    struct rt_fd_end end;
    struct os_address address;
    struct os_socket_file file;
};

static void remove_file(struct rt_fd_end *end) {
    struct socket_file *s = rt_container_of(end, struct socket_file, end);
    tuco_blocking_enter(); /* the file may be on a disk or a network file system */
    os_socket_file_remove(&s->address, &s->file);
    tuco_blocking_exit();
    rt_free(s);
}

/* Sets *end to a callback that removes the socket's file. NULL: there is no file, or it
   cannot be identified; then it stays. */
static int own_file(const struct os_address *address, struct rt_fd_end **end) {
    struct os_socket_file file;
    *end = NULL;
    if (os_socket_file_find(address, &file) != 0) {
        return 0;
    }
    struct socket_file *s = rt_alloc(sizeof *s);
    if (s == NULL) {
        os_socket_file_remove(address, &file);
        return -ENOMEM;
    }
    *s = (struct socket_file){{remove_file}, *address, file};
    *end = &s->end;
    return 0;
}

/* Listening */

static int bind_to(int number, const struct rt_network *network,
                   const struct os_address *address) {
    unsigned flags = 0;
    if (network->kind == OS_FD_TCP) {
        flags |= OS_BIND_AGAIN; /* not for UDP: two sockets would share its messages */
    }
    if (network->families == OS_FAMILIES_BOTH) {
        flags |= OS_BIND_BOTH;
    }
    return os_socket_bind(number, address, flags);
}

/* Listens on a bound socket, unless it is for messages, and makes its handle. */
static int receive_by(int number, enum os_fd_kind kind, tuco_fd **out) {
    int error = kind == OS_FD_MESSAGES ? 0 : os_socket_listen(number);
    if (error != 0) {
        return error;
    }
    tuco_fd *f = rt_fd_adopt(number, kind);
    if (f == NULL) {
        return -ENOMEM;
    }
    *out = f;
    return 0;
}

static int listen_at(const struct rt_network *network, const struct os_address *address,
                     tuco_fd **out) {
    int number = os_socket_make(address->family, network->kind);
    if (number < 0) {
        return number;
    }
    int error = bind_to(number, network, address);
    if (error != 0) {
        goto fail_bind;
    }
    struct rt_fd_end *end;
    error = own_file(address, &end);
    if (error != 0) {
        goto fail_bind;
    }
    error = receive_by(number, network->kind, out);
    if (error != 0) {
        goto fail_receive;
    }
    (*out)->end = end;
    return 0;
fail_receive:
    if (end != NULL) {
        end->run(end);
    }
fail_bind:
    (void)os_fd_close(number);
    return error;
}

/* Listens at the first address that this machine has. Other errors are returned: they would
   be the same for the next address, or concern the user. */
static int listen_at_one(const struct rt_network *network,
                         const struct rt_addresses *found, tuco_fd **out) {
    int error = -EADDRNOTAVAIL;
    for (int i = 0;
         i < found->count && (error == -EADDRNOTAVAIL || error == -EAFNOSUPPORT); i++) {
        error = listen_at(network, &found->list[i], out);
    }
    return error;
}

/* Accepting */

/* An accept always tries before it waits. So the next caller gets a connection that was
   left because there was no descriptor for it, although the kernel does not report it
   again. */
static int64_t accept_step(tuco_fd *f, void *unused) {
    (void)unused;
    return os_socket_accept(f->number);
}

/* Addresses */

typedef int name_call(int fd, struct os_address *address);

static int report_name(tuco_fd *f, name_call *call, char *buf, size_t n) {
    struct os_address address;
    char text[RT_ADDRESS_TEXT_BYTES];
    int error = rt_fd_use(f);
    if (error != 0) {
        return error;
    }
    error = call(f->number, &address);
    (void)rt_fd_unuse(f); /* as in rt_fd_perform() */
    if (error != 0) {
        return error;
    }
    size_t length = rt_address_print(&address, text);
    if (length >= n) {
        return -ENOSPC;
    }
    memcpy(buf, text, length + 1);
    return 0;
}

/* Public */

int tuco_listen(const char *network_name, const char *address, tuco_fd **out) {
    struct rt_network network;
    struct rt_addresses found;
    int error = rt_network_parse(network_name, &network);
    if (error != 0) {
        return error;
    }
    error = rt_resolve(&network, address, RT_RESOLVE_TO_LISTEN, OS_NEVER,
                       __builtin_return_address(0), &found);
    if (error != 0) {
        return error;
    }
    error = listen_at_one(&network, &found, out);
    rt_addresses_free(&found);
    return error;
}

int tuco_accept(tuco_fd *listener, tuco_fd **out) {
    RT_FD_CHECK(listener);
    enum os_fd_kind kind = listener->kind; /* now: it may be freed during the call */
    bool wrapped = listener->wrapped;
    int64_t number = rt_fd_perform(listener, RT_POLLWAY_READ, accept_step, NULL,
                                   __builtin_return_address(0));
    if (number < 0) {
        return (int)number;
    }
    if (wrapped && os_socket_tune((int)number)) {
        kind = OS_FD_TCP;
    }
    tuco_fd *f = rt_fd_adopt((int)number, kind);
    if (f == NULL) {
        (void)os_fd_close((int)number);
        return -ENOMEM;
    }
    *out = f;
    return 0;
}

int tuco_local_address(tuco_fd *f, char *buf, size_t n) {
    RT_FD_CHECK(f);
    return report_name(f, os_socket_local, buf, n);
}

int tuco_remote_address(tuco_fd *f, char *buf, size_t n) {
    RT_FD_CHECK(f);
    return report_name(f, os_socket_remote, buf, n);
}
