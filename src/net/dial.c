/* SPDX-License-Identifier: MIT */
/* Connecting: to one address after the other, in the time that there is. */
#include "net/dial.h"
#include "net/fd.h"
#include "net/resolve.h"
#include "sched/sched.h"

#include <errno.h>
#include <string.h>
#include <tuco/time.h>

/* Below this a share of the time is not worth having. */
#define LEAST_SHARE_NS INT64_C(2000000000)

/*
 * To oneself. ('To oneself') Nobody listens at a port of this machine, and the kernel
 * chooses just that port for the end that connects: then TCP, in which both ends may
 * begin, connects the socket to itself. The program would talk to its own echo, and keep
 * the port from who should listen there. So such a connection is given up, and another
 * try gets another port.
 */
#define TRIES 3

int64_t rt_dial_share(int64_t now_ns, int64_t deadline_ns, int count) {
    if (deadline_ns == OS_NEVER) {
        return OS_NEVER;
    }
    int64_t rest_ns = deadline_ns - now_ns;
    int64_t share_ns = rest_ns / count;
    if (share_ns < LEAST_SHARE_NS) {
        share_ns = rest_ns < LEAST_SHARE_NS ? rest_ns : LEAST_SHARE_NS;
    }
    return now_ns + share_ns;
}

/* Between two tries to connect to a listener that has no room. */
#define PAUSE_MIN_NS INT64_C(100000)
#define PAUSE_MAX_NS INT64_C(10000000)

struct request {
    const struct os_address *to;
    int64_t deadline_ns;
};

/* The kernel tells of room at a listener of "unix" only who sleeps in its call for it.
   That would take a thread for each: so it is asked again and again, ever less often.
   Returns what the last try did. */
static int wait_for_room(tuco_fd *f, const struct request *r) {
    int64_t pause_ns = PAUSE_MIN_NS;
    int error = -EAGAIN;
    while (error == -EAGAIN) {
        int64_t now_ns = os_now();
        if (rt_phase_now() != RT_RUNNING) {
            return -ESRCH;
        }
        if (r->deadline_ns <= now_ns) {
            return -ETIMEDOUT;
        }
        int64_t rest_ns = r->deadline_ns - now_ns;
        tuco_sleep(pause_ns < rest_ns ? pause_ns : rest_ns);
        pause_ns = pause_ns < PAUSE_MAX_NS / 2 ? 2 * pause_ns : PAUSE_MAX_NS;
        error = os_socket_connect(f->number, r->to);
    }
    return error;
}

static int64_t connect_step(tuco_fd *f, void *raw) {
    const struct request *r = raw;
    int error = os_socket_connect(f->number, r->to);
    if (error == -EAGAIN) {
        error = r->to->family == OS_FAMILY_UNIX ? wait_for_room(f, r) : -EADDRNOTAVAIL;
    }
    return error == -EINPROGRESS ? -EAGAIN : error;
}

static int connect_to(const struct rt_network *network, const struct os_address *to,
                      int64_t deadline_ns, const void *pc, tuco_fd **out) {
    struct request r = {.to = to, .deadline_ns = deadline_ns};
    int number = os_socket_make(to->family, network->kind);
    if (number < 0) {
        return number;
    }
    tuco_fd *f = rt_fd_adopt(number, network->kind);
    if (f == NULL) {
        (void)os_fd_close(number);
        return -ENOMEM;
    }
    rt_polldesc_set_deadline(f->desc, RT_POLLWAY_WRITE, deadline_ns);
    int error = (int)rt_fd_perform(f, RT_POLLWAY_WRITE, connect_step, &r, pc);
    if (error != 0) {
        (void)tuco_fd_close(f);
        return error;
    }
    rt_polldesc_set_deadline(f->desc, RT_POLLWAY_WRITE, OS_NEVER);
    *out = f;
    return 0;
}

/* -ECONNREFUSED: it is. Or why it cannot be told. */
static int check_not_to_itself(const tuco_fd *f, const struct os_address *to) {
    struct os_address local;
    struct os_address remote;
    if (f->kind != OS_FD_TCP) {
        return 0;
    }
    int error = os_socket_local(f->number, &local);
    if (error != 0 || local.port != to->port) {
        return error;
    }
    error = os_socket_remote(f->number, &remote); /* to may be of no interface */
    if (error != 0) {
        return error;
    }
    return memcmp(local.ip, remote.ip, sizeof local.ip) == 0 ? -ECONNREFUSED : 0;
}

static int dial_one(const struct rt_network *network, const struct os_address *to,
                    int64_t deadline_ns, const void *pc, tuco_fd **out) {
    int error = -ECONNREFUSED;
    for (int i = 0; i < TRIES && error == -ECONNREFUSED; i++) {
        tuco_fd *f;
        error = connect_to(network, to, deadline_ns, pc, &f);
        if (error != 0) {
            return error;
        }
        error = check_not_to_itself(f, to);
        if (error == 0) {
            *out = f;
        } else {
            (void)tuco_fd_close(f);
        }
    }
    return error;
}

/* Not the address's, but this machine's: so with any other. */
static bool is_of_machine(int error) {
    switch (error) {
    case -ENOMEM:
    case -ENOBUFS:
    case -ENOSPC:
    case -EMFILE:
    case -ENFILE:
    case -ESRCH: return true;
    default: return false;
    }
}

static int dial_each(const struct rt_network *network, const struct rt_addresses *found,
                     int64_t deadline_ns, const void *pc, tuco_fd **out) {
    int first_error = 0;
    for (int i = 0; i < found->count; i++) {
        int64_t now_ns = os_now();
        int error = -ETIMEDOUT;
        if (deadline_ns > now_ns) {
            int64_t share_ns = rt_dial_share(now_ns, deadline_ns, found->count - i);
            error = dial_one(network, &found->list[i], share_ns, pc, out);
        }
        if (error == 0 || is_of_machine(error)) {
            return error;
        }
        first_error = first_error == 0 ? error : first_error;
    }
    return first_error;
}

/* Public */

int tuco_dial(const char *network_name, const char *address, tuco_time deadline,
              tuco_fd **out) {
    const void *pc = __builtin_return_address(0);
    struct rt_network network;
    struct rt_addresses found;
    int error = rt_network_parse(network_name, &network);
    if (error != 0) {
        return error;
    }
    error = rt_resolve(&network, address, RT_RESOLVE_TO_DIAL, deadline, pc, &found);
    if (error != 0) {
        return error;
    }
    error = dial_each(&network, &found, deadline, pc, out);
    rt_addresses_free(&found);
    return error;
}
