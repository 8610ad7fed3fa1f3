/* SPDX-License-Identifier: MIT */
/* os.h on Linux: names of hosts, services and network interfaces. The C library looks up
   the first two. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/alloc.h"
#include "os/fault.h"
#include "os/os.h"

#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(OS_INTERFACE_NAME_BYTES == IF_NAMESIZE, "the kernel's limit");

/* Called right after the failed call, before which errno was 0. If no descriptor was left
   for the query, the C library reports an unknown name; errno has the cause. */
static int resolver_error_of(int code) {
    if (errno == EMFILE || errno == ENFILE) {
        return -errno;
    }
    switch (code) {
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
    case EAI_SERVICE: return -EADDRNOTAVAIL;
    case EAI_AGAIN: return -EAGAIN;
    case EAI_MEMORY: return -ENOMEM;
    case EAI_SYSTEM: return errno == EINTR ? -EAGAIN : errno > 0 ? -errno : -EIO;
    default: return -EIO;
    }
}

static int count_of(const struct addrinfo *found) {
    int count = 0;
    for (; found != NULL; found = found->ai_next) {
        count += found->ai_family == AF_INET || found->ai_family == AF_INET6;
    }
    return count;
}

static void copy_out(const struct addrinfo *found, struct os_address *address) {
    for (; found != NULL; found = found->ai_next) {
        if (found->ai_family == AF_INET) {
            const struct sockaddr_in *ipv4 = (const void *)found->ai_addr;
            address->family = OS_FAMILY_IPV4;
            memcpy(address->ip, &ipv4->sin_addr, sizeof ipv4->sin_addr);
            address++;
        } else if (found->ai_family == AF_INET6) {
            const struct sockaddr_in6 *ipv6 = (const void *)found->ai_addr;
            address->family = OS_FAMILY_IPV6;
            address->zone = ipv6->sin6_scope_id;
            memcpy(address->ip, &ipv6->sin6_addr, sizeof ipv6->sin6_addr);
            address++;
        }
    }
}

static int addrinfo_copy(const struct addrinfo *found, struct os_address **list) {
    int count = count_of(found);
    if (count == 0) {
        return -EADDRNOTAVAIL;
    }
    struct os_address *copy = rt_alloc((size_t)count * sizeof *copy);
    if (copy == NULL) {
        return -ENOMEM;
    }
    copy_out(found, copy);
    *list = copy;
    return count;
}

/* Without AI_ADDRCONFIG: on a machine with only a loopback interface it hides all
   addresses, even the machine's own. Without it, unreachable addresses come last and fail
   at once. */
int os_host_find(const char *name, unsigned families, struct os_address **list) {
    OS_KEEP_ERRNO;
    struct addrinfo hints = {
        .ai_family = families == OS_FAMILIES_IPV4   ? AF_INET
                     : families == OS_FAMILIES_IPV6 ? AF_INET6
                                                    : AF_UNSPEC,
        .ai_socktype = SOCK_STREAM, /* otherwise each address is returned three times */
    };
    struct addrinfo *found = NULL;
    int error = os_fault(OS_FAULT_FIND_NAME);
    if (error != 0) {
        return -error;
    }
    errno = 0;
    int code = getaddrinfo(name, NULL, &hints, &found);
    if (code != 0) {
        return resolver_error_of(code);
    }
    int count = addrinfo_copy(found, list);
    freeaddrinfo(found);
    return count;
}

int os_service_find(const char *name, enum os_fd_kind kind) {
    OS_KEEP_ERRNO;
    struct addrinfo hints = {
        .ai_family = AF_INET,
        .ai_socktype = kind == OS_FD_MESSAGES ? SOCK_DGRAM : SOCK_STREAM,
        .ai_flags = AI_PASSIVE, /* the wildcard address, which needs no lookup */
    };
    struct addrinfo *found = NULL;
    int error = os_fault(OS_FAULT_FIND_NAME);
    if (error != 0) {
        return -error;
    }
    errno = 0;
    int code = getaddrinfo(NULL, name, &hints, &found);
    if (code != 0) {
        return resolver_error_of(code);
    }
    const struct sockaddr_in *ipv4 = (const void *)found->ai_addr;
    int port = ntohs(ipv4->sin_port);
    freeaddrinfo(found);
    return port;
}

/* Not if_nametoindex(), which does not distinguish a failed query from an unknown name. */
static int ask_interface(unsigned long what, struct ifreq *interface) {
    int error = os_fault(OS_FAULT_FIND_NAME);
    if (error != 0) {
        return -error;
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    error = ioctl(fd, what, interface) != 0 ? -errno : 0;
    close(fd);
    return error;
}

int os_interface_find(const char *name) {
    OS_KEEP_ERRNO;
    struct ifreq interface = {.ifr_ifindex = 0};
    strncpy(interface.ifr_name, name, sizeof interface.ifr_name - 1);
    int error = ask_interface(SIOCGIFINDEX, &interface);
    return error != 0 ? error : interface.ifr_ifindex;
}

int os_interface_name(uint32_t number, char name[OS_INTERFACE_NAME_BYTES]) {
    OS_KEEP_ERRNO;
    struct ifreq interface = {.ifr_ifindex = (int)number};
    int error = ask_interface(SIOCGIFNAME, &interface);
    if (error == 0) {
        memcpy(name, interface.ifr_name, OS_INTERFACE_NAME_BYTES);
    }
    return error;
}
