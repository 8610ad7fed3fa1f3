/* SPDX-License-Identifier: MIT */
/* os.h on Linux: sockets and their addresses. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os/os.h"
#include "os/fault.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Keepalive: a peer that does not answer so many probes is dead, after two and a half
   minutes of silence. The kernel's default of two hours is of no use to a server. */
#define PROBE_SECONDS 15
#define PROBES        9

/* The kernel's form of an address, with room for any family. */
union native {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_un name;
    struct sockaddr_storage room;
};

_Static_assert(sizeof(((struct sockaddr_un *)NULL)->sun_path) == OS_UNIX_NAME_MAX,
               "the kernel's limit");

/* Addresses */

static bool address_is_path(const struct os_address *address) {
    return address->family == OS_FAMILY_UNIX && address->name_bytes > 0 &&
           address->name[0] != '\0';
}

static socklen_t to_native(const struct os_address *address, union native *native) {
    memset(native, 0, sizeof *native); /* also terminates a path */
    switch (address->family) {
    case OS_FAMILY_IPV4:
        native->ipv4.sin_family = AF_INET;
        native->ipv4.sin_port = htons(address->port);
        memcpy(&native->ipv4.sin_addr, address->ip, sizeof native->ipv4.sin_addr);
        return sizeof native->ipv4;
    case OS_FAMILY_IPV6:
        native->ipv6.sin6_family = AF_INET6;
        native->ipv6.sin6_port = htons(address->port);
        native->ipv6.sin6_scope_id = address->zone;
        memcpy(&native->ipv6.sin6_addr, address->ip, sizeof native->ipv6.sin6_addr);
        return sizeof native->ipv6;
    case OS_FAMILY_UNIX: break;
    }
    native->name.sun_family = AF_UNIX;
    memcpy(native->name.sun_path, address->name, address->name_bytes);
    return (socklen_t)offsetof(struct sockaddr_un, sun_path) + address->name_bytes +
           address_is_path(address);
}

static void from_ipv6(const struct sockaddr_in6 *ipv6, struct os_address *address) {
    const uint8_t *bytes = ipv6->sin6_addr.s6_addr;
    address->port = ntohs(ipv6->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&ipv6->sin6_addr)) {
        address->family = OS_FAMILY_IPV4;
        memcpy(address->ip, bytes + 12, 4);
        return;
    }
    address->family = OS_FAMILY_IPV6;
    address->zone = ipv6->sin6_scope_id;
    memcpy(address->ip, bytes, sizeof address->ip);
}

/* bytes: the kernel's length, which for a long path exceeds the buffer. */
static void from_name(const struct sockaddr_un *name, socklen_t bytes,
                      struct os_address *address) {
    size_t start = offsetof(struct sockaddr_un, sun_path);
    size_t length = bytes > start ? bytes - start : 0;
    length = length < OS_UNIX_NAME_MAX ? length : OS_UNIX_NAME_MAX;
    if (length > 0 && name->sun_path[0] != '\0') {
        length = strnlen(name->sun_path, length);
    }
    address->family = OS_FAMILY_UNIX;
    address->name_bytes = (uint8_t)length;
    memcpy(address->name, name->sun_path, length);
}

static int from_native(const union native *native, socklen_t bytes,
                       struct os_address *address) {
    memset(address, 0, sizeof *address);
    switch (native->any.sa_family) {
    case AF_INET:
        address->family = OS_FAMILY_IPV4;
        address->port = ntohs(native->ipv4.sin_port);
        memcpy(address->ip, &native->ipv4.sin_addr, sizeof native->ipv4.sin_addr);
        return 0;
    case AF_INET6: from_ipv6(&native->ipv6, address); return 0;
    case AF_UNIX: from_name(&native->name, bytes, address); return 0;
    default: return -EAFNOSUPPORT;
    }
}

typedef int name_call(int fd, struct sockaddr *address, socklen_t *bytes);

static int ask_name(int fd, name_call *call, struct os_address *address) {
    union native native;
    socklen_t bytes = sizeof native;
    int error = os_fault(OS_FAULT_SOCKET_NAME);
    if (error != 0) {
        return -error;
    }
    if (call(fd, &native.any, &bytes) != 0) {
        return -errno;
    }
    return from_native(&native, bytes, address);
}

int os_socket_local(int fd, struct os_address *address) {
    OS_KEEP_ERRNO;
    return ask_name(fd, getsockname, address);
}

int os_socket_remote(int fd, struct os_address *address) {
    OS_KEEP_ERRNO;
    return ask_name(fd, getpeername, address);
}

/* Creating and listening */

static int socket_set_option(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) != 0 ? -errno : 0;
}

/* An accepted connection inherits all of this from its listener. Errors are ignored: a
   connection without these options is better than none. */
static void tune_tcp(int fd) {
    (void)socket_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    (void)socket_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    (void)socket_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_SECONDS);
    (void)socket_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_SECONDS);
    (void)socket_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
}

static int get_option(int fd, int level, int option) {
    int value = 0;
    socklen_t bytes = sizeof value;
    return getsockopt(fd, level, option, &value, &bytes) != 0 ? 0 : value;
}

bool os_socket_tune(int fd) {
    OS_KEEP_ERRNO;
    if (get_option(fd, SOL_SOCKET, SO_PROTOCOL) != IPPROTO_TCP) {
        return false;
    }
    if (get_option(fd, SOL_SOCKET, SO_KEEPALIVE) != 0) {
        (void)socket_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    } else {
        tune_tcp(fd);
    }
    return true;
}

int os_socket_make(enum os_family family, enum os_fd_kind kind) {
    OS_KEEP_ERRNO;
    static const int domains[] = {
        [OS_FAMILY_IPV4] = AF_INET,
        [OS_FAMILY_IPV6] = AF_INET6,
        [OS_FAMILY_UNIX] = AF_UNIX,
    };
    int type = kind == OS_FD_MESSAGES ? SOCK_DGRAM : SOCK_STREAM;
    int error = os_fault(OS_FAULT_SOCKET);
    if (error != 0) {
        return -error;
    }
    int fd = socket(domains[family], type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    if (kind == OS_FD_TCP) {
        tune_tcp(fd);
    } else if (kind == OS_FD_MESSAGES) {
        /* errors: see tune_tcp() */
        (void)socket_set_option(fd, SOL_SOCKET, SO_BROADCAST, 1);
    }
    return fd;
}

int os_socket_bind(int fd, const struct os_address *address, unsigned flags) {
    OS_KEEP_ERRNO;
    union native native;
    socklen_t bytes = to_native(address, &native);
    int error = -os_fault(OS_FAULT_BIND);
    if (error == 0 && (flags & OS_BIND_AGAIN) != 0) {
        error = socket_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    if (error == 0 && address->family == OS_FAMILY_IPV6) {
        error =
            socket_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, (flags & OS_BIND_BOTH) == 0);
    }
    if (error == 0 && bind(fd, &native.any, bytes) != 0) {
        error = -errno;
    }
    return error;
}

int os_socket_listen(int fd) {
    OS_KEEP_ERRNO;
    int error = os_fault(OS_FAULT_BIND);
    if (error != 0) {
        return -error;
    }
    return listen(fd, INT_MAX /* net.core.somaxconn is less */) != 0 ? -errno : 0;
}

bool os_socket_listens(int fd) {
    OS_KEEP_ERRNO;
    return get_option(fd, SOL_SOCKET, SO_ACCEPTCONN) != 0;
}

/* Whether error belongs to the pending connection and not to the listener. EOPNOTSUPP is
   excluded: the kernel also returns it for sockets that cannot listen. */
static bool is_of_connection(int error) {
    switch (error) {
    case ECONNABORTED:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET: return true;
    default: return error == EINTR;
    }
}

int os_socket_accept(int fd) {
    OS_KEEP_ERRNO;
    int accepted;
    int error;
    do {
        error = os_fault(OS_FAULT_ACCEPT);
        accepted =
            error != 0 ? -1 : accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        error = accepted < 0 && error == 0 ? errno : error;
    } while (accepted < 0 && is_of_connection(error));
    return accepted < 0 ? -error : accepted;
}

/* Connecting */

int os_socket_connect(int fd, const struct os_address *address) {
    OS_KEEP_ERRNO;
    union native native;
    socklen_t bytes = to_native(address, &native);
    int error = os_fault(OS_FAULT_CONNECT);
    if (error == 0 && connect(fd, &native.any, bytes) != 0) {
        error = errno;
    }
    switch (error) {
    case EISCONN: return 0;
    case EALREADY:
    case EINTR: return -EINPROGRESS;
    default: return -error;
    }
}

/* Socket files */

static int look_at_file(const struct os_address *address, char path[OS_UNIX_NAME_MAX],
                        struct os_socket_file *file) {
    struct stat st;
    memcpy(path, address->name, address->name_bytes);
    path[address->name_bytes] = '\0';
    if (lstat(path, &st) != 0) {
        return -errno;
    }
    *file = (struct os_socket_file){
        .device = st.st_dev, .number = st.st_ino, .process = getpid()};
    return S_ISSOCK(st.st_mode) ? 0 : -ENOENT;
}

int os_socket_file_find(const struct os_address *address, struct os_socket_file *file) {
    OS_KEEP_ERRNO;
    char path[OS_UNIX_NAME_MAX];
    int error = os_fault(OS_FAULT_SOCKET_FILE);
    if (error != 0) {
        return -error;
    }
    return address_is_path(address) ? look_at_file(address, path, file) : -ENOENT;
}

void os_socket_file_remove(const struct os_address *address,
                           const struct os_socket_file *file) {
    OS_KEEP_ERRNO;
    char path[OS_UNIX_NAME_MAX];
    struct os_socket_file now;
    if (look_at_file(address, path, &now) == 0 && now.device == file->device &&
        now.number == file->number && now.process == file->process) {
        unlink(path);
    }
}
