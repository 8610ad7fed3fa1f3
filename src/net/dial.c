/* SPDX-License-Identifier: MIT */
/* tuco_dial(): connects to the address that answers first, within the deadline. */
#include "net/dial.h"
#include "base/alloc.h"
#include "net/fd.h"
#include "net/resolve.h"
#include "sched/sched.h"

#include <errno.h>
#include <string.h>
#include <tuco/time.h>

/*
 * Problem. A name often has IPv6 and IPv4 addresses, and one of the two may not answer: a
 * firewall drops the packets, or the route is broken. The kernel gives up after two
 * minutes; the other address would have answered at once.
 *
 * Rejected. One address after the other, each with a share of the time: the user would wait
 * for seconds. A goroutine for each attempt, as in Go: a foreign thread may call, and each
 * attempt would need a stack.
 *
 * The way taken. RFC 8305, "Happy Eyeballs": the families alternate; the next address is
 * tried DELAY_NS after the previous one, or at once if no attempt is pending; pending
 * attempts continue. The first that connects wins, and the others are closed. One watcher,
 * an epoll set, watches all pending sockets. The caller waits for the watcher as for any
 * handle, and its deadline is the time of the next attempt. The watcher is made only if
 * there are several addresses and an attempt is not decided at once.
 *
 * If no attempt succeeds, the error is that of the first address.
 */
#define DELAY_NS INT64_C(300000000)

/*
 * Self-connect. ('Self-connect') If the target is a port of this machine without a
 * listener, the kernel may choose that very port as the local one. TCP's simultaneous open
 * then connects the socket to itself. The program would read what it writes, and occupy the
 * port of the intended listener. So such a connection is closed and tried again with
 * another local port.
 */
#define TRIES 3

int64_t rt_dial_delay(int64_t now_ns, int64_t deadline_ns, int left) {
    int64_t share_ns = (deadline_ns - now_ns) / (left + 1);
    return deadline_ns != OS_NEVER && share_ns < DELAY_NS ? share_ns : DELAY_NS;
}

/* Returns the index of the first address from start on that is of another family; count if
   there is none. */
static int find_other_family(const struct os_address *list, int start, int count,
                             enum os_family family) {
    while (start < count && list[start].family == family) {
        start++;
    }
    return start;
}

void rt_dial_interleave(struct os_address *list, int count) {
    for (int i = 1; i < count; i++) {
        int other = find_other_family(list, i, count, list[i - 1].family);
        if (other == count) {
            return;
        }
        struct os_address next = list[other];
        memmove(list + i + 1, list + i, (size_t)(other - i) * sizeof *list);
        list[i] = next;
    }
}

/* The pauses between two tries to connect to a listener whose backlog is full. */
#define PAUSE_MIN_NS INT64_C(100000)
#define PAUSE_MAX_NS INT64_C(10000000)

struct request {
    const struct os_address *to;
    int64_t deadline_ns;
};

/* The kernel reports room in the backlog of a "unix" listener only to a thread that blocks
   in connect(), which would need a thread for each goroutine. So this polls, with growing
   pauses. Returns the result of the last try. */
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

/* Returns -ECONNREFUSED for a socket that is connected to itself, or the error that keeps
   this from being found out. */
static int check_not_to_itself(int number, enum os_fd_kind kind,
                               const struct os_address *to) {
    struct os_address local;
    struct os_address remote;
    if (kind != OS_FD_TCP) {
        return 0;
    }
    int error = os_socket_local(number, &local);
    if (error != 0 || local.port != to->port) {
        return error;
    }
    error = os_socket_remote(number, &remote); /* to may be a wildcard address */
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
        error = check_not_to_itself(f->number, f->kind, to);
        if (error == 0) {
            *out = f;
        } else {
            (void)tuco_fd_close(f);
        }
    }
    return error;
}

/* Whether the error concerns this machine, so that every other address fails as well. */
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

/* Several addresses */

/* The attempt to connect to one address. Owner: the caller of tuco_dial(). */
struct attempt {
    int number; /* the socket while the attempt is pending; else -1 */
    int error;  /* why it failed */
    int tries;  /* sockets tried: see 'Self-connect' */
};

/* Owner: the caller of tuco_dial(). */
struct race {
    const struct rt_network *network;
    const struct os_address *addresses;
    struct attempt *attempts; /* one for each address */
    int count;
    int begun;        /* attempts that have begun: the first ones */
    int under_way;    /* attempts that are pending */
    int winner;       /* the connected socket; -1: none yet */
    tuco_fd *watcher; /* watches the pending sockets; NULL: not made yet */
    int64_t next_ns;  /* when the next attempt begins, if others are still pending */
};

static int dial_watch(struct race *r, int number) {
    if (r->watcher != NULL) {
        return os_socket_watch(r->watcher->number, number);
    }
    int watcher = os_socket_watcher(number);
    if (watcher < 0) {
        return watcher;
    }
    r->watcher = rt_fd_adopt(watcher, OS_FD_OTHER);
    if (r->watcher == NULL) {
        (void)os_fd_close(watcher);
        return -ENOMEM;
    }
    return 0;
}

static void begin(struct race *r, int i);

/* Records the result of a socket that is no longer pending. error: the result of
   os_socket_connect(). */
static void decide(struct race *r, int i, int number, int error) {
    struct attempt *a = &r->attempts[i];
    if (error == 0) {
        error = check_not_to_itself(number, r->network->kind, &r->addresses[i]);
        if (error == 0) {
            r->winner = number;
            return;
        }
        if (error == -ECONNREFUSED && a->tries < TRIES) {
            (void)os_fd_close(number);
            begin(r, i);
            return;
        }
    }
    (void)os_fd_close(number);
    a->error = error == -EAGAIN ? -EADDRNOTAVAIL : error;
}

static void begin(struct race *r, int i) {
    struct attempt *a = &r->attempts[i];
    int number = os_socket_make(r->addresses[i].family, r->network->kind);
    a->tries++;
    if (number < 0) {
        a->error = number;
        return;
    }
    int error = os_socket_connect(number, &r->addresses[i]);
    if (error != -EINPROGRESS) {
        decide(r, i, number, error);
        return;
    }
    error = dial_watch(r, number);
    if (error != 0) {
        (void)os_fd_close(number);
        a->error = error;
        return;
    }
    a->number = number;
    r->under_way++;
}

/* Returns 1 if an attempt was decided, or else -EAGAIN. */
static int64_t race_look_step(tuco_fd *watcher, void *raw) {
    struct race *r = raw;
    int before = r->under_way;
    (void)watcher;
    for (int i = 0; i < r->begun && r->winner < 0; i++) {
        struct attempt *a = &r->attempts[i];
        int number = a->number;
        int error =
            number >= 0 ? os_socket_connect(number, &r->addresses[i]) : -EINPROGRESS;
        if (error != -EINPROGRESS) {
            a->number = -1;
            r->under_way--;
            decide(r, i, number, error);
        }
    }
    return r->winner >= 0 || r->under_way < before ? 1 : -EAGAIN;
}

/* Waits until an attempt is decided. Returns -ETIMEDOUT when it is time for the next one,
   or the deadline has passed. */
static int wait_for_one(struct race *r, int64_t deadline_ns, const void *pc) {
    bool more = r->begun < r->count;
    int64_t until_ns = more && r->next_ns < deadline_ns ? r->next_ns : deadline_ns;
    rt_polldesc_set_deadline(r->watcher->desc, RT_POLLWAY_READ, until_ns);
    int64_t result = rt_fd_perform(r->watcher, RT_POLLWAY_READ, race_look_step, r, pc);
    return result < 0 ? (int)result : 0;
}

/* Begins the next attempt. Returns an error only if it would be the same for every
   address. */
static int begin_next(struct race *r, int64_t now_ns, int64_t deadline_ns) {
    int i = r->begun++;
    int left = r->count - r->begun;
    r->next_ns = now_ns + (left > 0 ? rt_dial_delay(now_ns, deadline_ns, left) : 0);
    begin(r, i);
    if (is_of_machine(r->attempts[i].error)) {
        r->begun = r->count; /* no more attempts; the pending ones may still connect */
        return r->under_way == 0 ? r->attempts[i].error : 0;
    }
    return 0;
}

/* Returns 0 if there is a winner, or else an error. */
static int run_race(struct race *r, int64_t deadline_ns, const void *pc) {
    while (r->winner < 0) {
        int64_t now_ns = os_now();
        int error;
        if (deadline_ns <= now_ns) {
            error = -ETIMEDOUT;
        } else if (r->begun < r->count && (r->under_way == 0 || r->next_ns <= now_ns)) {
            error = begin_next(r, now_ns, deadline_ns);
        } else if (r->under_way == 0) {
            return r->attempts[0].error;
        } else {
            error = wait_for_one(r, deadline_ns, pc);
            error = error == -ETIMEDOUT ? 0 : error; /* decided by the next round */
        }
        if (error != 0) {
            bool first_failed = r->begun > 0 && r->attempts[0].number < 0;
            return error == -ETIMEDOUT && first_failed ? r->attempts[0].error : error;
        }
    }
    return 0;
}

static void end_race(struct race *r) {
    if (r->watcher != NULL) {
        (void)tuco_fd_close(r->watcher);
    }
    for (int i = 0; i < r->count; i++) {
        if (r->attempts[i].number >= 0) {
            (void)os_fd_close(r->attempts[i].number);
        }
    }
    rt_free(r->attempts);
}

static int dial_several(const struct rt_network *network, struct rt_addresses *found,
                        int64_t deadline_ns, const void *pc, tuco_fd **out) {
    struct race r = {.network = network,
                     .addresses = found->list,
                     .count = found->count,
                     .winner = -1};
    r.attempts = rt_alloc((size_t)r.count * sizeof *r.attempts);
    if (r.attempts == NULL) {
        return -ENOMEM;
    }
    for (int i = 0; i < r.count; i++) {
        r.attempts[i].number = -1;
    }
    rt_dial_interleave(found->list, found->count);
    int error = run_race(&r, deadline_ns, pc);
    end_race(&r);
    if (error != 0) {
        return error;
    }
    tuco_fd *f = rt_fd_adopt(r.winner, network->kind);
    if (f == NULL) {
        (void)os_fd_close(r.winner);
        return -ENOMEM;
    }
    *out = f;
    return 0;
}

static int dial_each(const struct rt_network *network, struct rt_addresses *found,
                     int64_t deadline_ns, const void *pc, tuco_fd **out) {
    if (found->count > 1) {
        return dial_several(network, found, deadline_ns, pc, out);
    }
    return deadline_ns > os_now()
               ? dial_one(network, &found->list[0], deadline_ns, pc, out)
               : -ETIMEDOUT;
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
