/* SPDX-License-Identifier: MIT */
/* tuco_fd_wrap(): makes a handle of a user's descriptor, without harm to those that share
   its open file. */
#include "net/fd.h"
#include "base/alloc.h"
#include "base/die.h"
#include "base/lock.h"
#include "sched/syscall/enter.h"

#include <errno.h>

/*
 * Problem. A descriptor has to be non-blocking (O_NONBLOCK), or a call would block the
 * thread. But the flag belongs to the open file, not to the number. A terminal or a pipe
 * from the shell would become non-blocking for the shell, for the next program, and for the
 * program's own standard output on the same terminal. They do not expect it: cat fails,
 * printf() loses output.
 *
 * Rejected. To poll before each call instead of setting the flag: another process may read
 * the data between the poll and the call, and the thread blocks. To set the flag only
 * during each call: other processes would still see it from time to time.
 *
 * The way taken. A pipe or a terminal is opened again by its name in /proc, which gives a
 * new open file with flags of its own. The new file replaces the old one under its number.
 * For the standard descriptors, which other code uses by number, it gets a number of its
 * own, and both are closed with the handle. If the file cannot be opened again, the flag is
 * set. If the handle was the first to set it, the flag is cleared when the handle is
 * closed, the process exits, or a report of the runtime ends it. The flag of a socket that
 * is a standard descriptor is not touched, unless it listens: each call passes
 * MSG_DONTWAIT. Other sockets get the flag, because programs pass their numbers to
 * libraries.
 *
 * Same file. ('Same file') Several handles may share one open file. A handle that finds the
 * flag set by another handle of the same file borrows it as well, and the last borrower
 * clears it. Files are identified by device and inode number. Kinds of files that share one
 * inode, such as event counters, count as one file.
 *
 * Children. A child process shares the files with its parent, which still uses them. So
 * only the process that has set the flag clears it.
 *
 * Not solved: a process that a signal ends, or that calls _exit() or exec, leaves the flag
 * set on a file that could not be opened again. A handle that another thread makes while
 * the process ends may leave it set too.
 */

/* The standard descriptor that a handle was made of. Immutable. */
struct standard {
    struct rt_fd_end end;
    int number;
};

/* A handle's claim to the flag of its file. */
struct borrowed {
    /* Immutable once it is in a list. */
    struct rt_fd_end end;
    struct os_fd_flag flag;
    /* Under flags.lock. */
    struct borrowed *next;
    struct borrowed *prev;
};

/* All borrowers of one file are in the same list. */
#define LISTS 64

static struct {
    /* Also guards the flag of each file in the lists. Only os.h is called under it. Taken
       inside the runtime. */
    struct rt_lock lock;
    /* Under the lock. */
    struct borrowed *lists[LISTS];
} flags = {.lock = RT_LOCK_INIT(flags)};

/* Opening the file again */

static void close_standard(struct rt_fd_end *end) {
    struct standard *s = rt_container_of(end, struct standard, end);
    (void)os_fd_close(s->number);
    rt_free(s);
}

static int use_beside_standard(tuco_fd *f, int own) {
    struct standard *s = rt_alloc(sizeof *s);
    if (s == NULL) {
        return -ENOMEM;
    }
    *s = (struct standard){{close_standard}, f->number};
    f->end = &s->end;
    f->number = own;
    return 0;
}

static int open_again(tuco_fd *f) {
    int own = os_fd_reopen(f->number);
    if (own < 0) {
        return own;
    }
    int error = f->number <= OS_FD_STANDARD_LAST ? use_beside_standard(f, own)
                                                 : os_fd_move(own, f->number);
    if (error != 0) {
        (void)os_fd_close(own);
    }
    return error;
}

/* The flag of a file that may be shared */

static struct borrowed **borrowed_list_of(const struct os_fd_flag *flag) {
    return &flags.lists[(flag->device ^ flag->file) % LISTS];
}

static bool is_borrowed_locked(const struct os_fd_flag *flag) {
    rt_assert_held(&flags.lock);
    const struct borrowed *b = *borrowed_list_of(flag);
    while (b != NULL && (b->flag.device != flag->device || b->flag.file != flag->file)) {
        b = b->next;
    }
    return b != NULL;
}

static void wrapped_push_locked(struct borrowed *b) {
    struct borrowed **first = borrowed_list_of(&b->flag);
    rt_assert_held(&flags.lock);
    b->prev = NULL;
    b->next = *first;
    if (b->next != NULL) {
        b->next->prev = b;
    }
    *first = b;
}

static void wrapped_remove_locked(struct borrowed *b) {
    rt_assert_held(&flags.lock);
    if (b->prev != NULL) {
        b->prev->next = b->next;
    } else {
        *borrowed_list_of(&b->flag) = b->next;
    }
    if (b->next != NULL) {
        b->next->prev = b->prev;
    }
}

static void flag_give_back(struct rt_fd_end *end) {
    struct borrowed *b = rt_container_of(end, struct borrowed, end);
    rt_enter();
    rt_lock(&flags.lock);
    wrapped_remove_locked(b);
    if (!is_borrowed_locked(&b->flag)) {
        os_fd_make_blocking(&b->flag);
    }
    rt_unlock(&flags.lock);
    rt_leave();
    rt_free(b);
}

/* Sets the flag. Returns true if b is now in its list; false if the flag was set before any
   handle did so, or on *error. */
static bool borrow(struct borrowed *b, int number, int *error) {
    rt_enter();
    rt_lock(&flags.lock);
    int result = os_fd_make_nonblocking(number, &b->flag);
    bool done = result == 0 || (result > 0 && is_borrowed_locked(&b->flag));
    if (done) {
        wrapped_push_locked(b);
    }
    rt_unlock(&flags.lock);
    rt_leave();
    *error = result < 0 ? result : 0;
    return done;
}

/* At exit(), and when a report ends the process, the flags of all open handles are cleared.
   This runs outside of the runtime: a goroutine that enters a runtime that has ended never
   returns. The lock's holder releases it soon, but in a child of fork() the holder may not
   exist, and a thread that reports may be the holder: so the tries are limited. */
#define END_TRIES 1000

static void give_lists_back_locked(void) {
    rt_assert_held(&flags.lock);
    for (int i = 0; i < LISTS; i++) {
        for (const struct borrowed *b = flags.lists[i]; b != NULL; b = b->next) {
            os_fd_make_blocking(&b->flag);
        }
    }
}

static void give_all_back(void) {
    for (int i = 0; i < END_TRIES; i++) {
        if (rt_lock_try(&flags.lock)) {
            give_lists_back_locked();
            rt_unlock(&flags.lock);
            return;
        }
        os_thread_yield();
    }
}

static void watch_end(void) {
    static rt_atomic(uint32_t) watching;
    /* relaxed: it publishes nothing; exactly one thread registers the function */
    if (rt_swap_rlx(&watching, 1) == 0) {
        os_at_exit(give_all_back);
        rt_die_watch(give_all_back);
    }
}

static int borrow_flag(tuco_fd *f) {
    int error;
    struct borrowed *b = rt_alloc(sizeof *b);
    if (b == NULL) {
        return -ENOMEM;
    }
    b->end.run = flag_give_back;
    watch_end(); /* before the flag is set */
    if (borrow(b, f->number, &error)) {
        f->end = &b->end;
    } else {
        rt_free(b);
    }
    return error;
}

static bool needs_no_flag(const tuco_fd *f) {
    bool is_socket = f->kind == OS_FD_STREAM || f->kind == OS_FD_MESSAGES;
    return is_socket && f->number <= OS_FD_STANDARD_LAST && !os_socket_listens(f->number);
}

/* On failure the descriptor is unchanged. */
static int become_nonblocking(tuco_fd *f) {
    return needs_no_flag(f) || open_again(f) == 0 ? 0 : borrow_flag(f);
}

/* Public */

int tuco_fd_wrap(int fd, tuco_fd **out) {
    struct os_fd_traits traits;
    int error = os_fd_learn(fd, &traits);
    if (error != 0) {
        return error;
    }
    tuco_fd *f = rt_fd_make(fd, traits);
    if (f == NULL) {
        return -ENOMEM;
    }
    f->wrapped = true;
    error = traits.pollable ? become_nonblocking(f) : 0;
    if (error != 0) {
        rt_fd_forget(f);
        return error;
    }
    *out = f;
    return 0;
}
