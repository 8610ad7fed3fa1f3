/* SPDX-License-Identifier: MIT */
/* Sockets that others connect or send to, the connections that come, and the addresses of
   both ends. */
#include "net/address.h"
#include "net/fd.h"
#include "net/resolve.h"
#include "base/alloc.h"

#include <errno.h>
#include <string.h>
#include <tuco/go.h>

/*
 * Files. ('Files') A listener of "unix" has a file, which would still be there when the
 * listener is closed, and would keep the next one from listening there: a file does not
 * say whether anybody does. So the handle removes it, unless another one is there by now:
 * of a successor that takes over without a gap, say. It is told by its number, which the
 * kernel gives to no other file for as long as the socket is open: hence before that is
 * closed, and only by the process that made it. Between the look and the removal there is
 * a moment in which it can be replaced after all: there is no call that does both.
 *
 * A relative path means another file once the program has changed its directory: then the
 * file stays, and the other is not touched. To keep the directory open would take a
 * descriptor for each listener, and its path at that time may be no way to it by then.
 *
 * A process that ends without closing leaves the file there. To remove whatever is there
 * before listening would take the address away from one that still uses it: that is for
 * the program to decide.
 */
struct socket_file {
    struct rt_fd_end end;
    struct os_address address;
    struct os_socket_file file;
};

static void remove_file(struct rt_fd_end *end) {
    struct socket_file *s = rt_container_of(end, struct socket_file, end);
    tuco_blocking_enter(); /* the file may be on a disk, or on another machine */
    os_socket_file_remove(&s->address, &s->file);
    tuco_blocking_exit();
    rt_free(s);
}

/* Stores NULL if there is no file, or if it cannot be told which one it is: then it
   stays. */
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
        flags |= OS_BIND_AGAIN; /* of messages it would share them with another socket */
    }
    if (network->families == OS_FAMILIES_BOTH) {
        flags |= OS_BIND_BOTH;
    }
    return os_socket_bind(number, address, flags);
}

/* Makes a handle of what is bound. */
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

/* The first address that this machine has: another error would be the same for the next,
   or one that the program has to know of. */
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

/* Before it waits it always tries: so a connection for which there was no descriptor, and
   of which the kernel does not tell again, is there for who comes next. */
static int64_t accept_step(tuco_fd *f, void *unused) {
    (void)unused;
    return os_socket_accept(f->number);
}

/* Addresses */

typedef int name_call(int fd, struct os_address *address);

static int tell_name(tuco_fd *f, name_call *call, char *buf, size_t n) {
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
    enum os_fd_kind kind = listener->kind; /* which may be gone after the call */
    int64_t number = rt_fd_perform(listener, RT_POLLWAY_READ, accept_step, NULL,
                                   __builtin_return_address(0));
    if (number < 0) {
        return (int)number;
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
    return tell_name(f, os_socket_local, buf, n);
}

int tuco_remote_address(tuco_fd *f, char *buf, size_t n) {
    return tell_name(f, os_socket_remote, buf, n);
}
