/* SPDX-License-Identifier: MIT */
/* Walks the calling stack with the compiler's unwinder, which takes no memory and no lock
   of the runtime. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/backtrace.h"
#include "base/die.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

/* Go's limit. An overflowed stack has thousands of frames. */
#define FRAMES_SHOWN 100

struct walk {
    int fd;
    int frames;
    const void *skip_until;
    bool whole;
};

/* A record of base/text.h: the distance from each field to the start or end of the
   code. */
struct text {
    int64_t low;
    int64_t high;
};

/* Weak: the simulation is built without these records. */
extern const struct text __start_rt_text[] __attribute__((weak, visibility("hidden")));
extern const struct text __stop_rt_text[] __attribute__((weak, visibility("hidden")));

static bool is_of_library(uintptr_t pc) {
    for (const struct text *t = __start_rt_text; t < __stop_rt_text; t++) {
        uintptr_t low = (uintptr_t)&t->low + (uintptr_t)t->low;
        uintptr_t high = (uintptr_t)&t->high + (uintptr_t)t->high;
        if (pc - low < high - low) {
            return true;
        }
    }
    return false;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *rt_backtrace_function(const void *pc) {
    Dl_info info;
    return dladdr(pc, &info) != 0 ? info.dli_sname : NULL;
}

void rt_backtrace_print_pc(int fd, const void *pc) {
    Dl_info info;
    if (dladdr(pc, &info) == 0) {
        rt_print_to(fd, "%p", pc);
    } else if (info.dli_sname != NULL) {
        rt_print_to(fd, "%s+0x%tx", info.dli_sname,
                    (const char *)pc - (const char *)info.dli_saddr);
    } else {
        rt_print_to(fd, "%s+0x%tx", base_name(info.dli_fname),
                    (const char *)pc - (const char *)info.dli_fbase);
    }
}

static void print_frame(int fd, const void *pc) {
    Dl_info info;
    bool known = dladdr(pc, &info) != 0;
    rt_print_to(fd, "%s(...)\n\t",
                known && info.dli_sname != NULL ? info.dli_sname : "??");
    if (known) {
        /* The arguments of addr2line -e MODULE. */
        rt_print_to(fd, "%s +0x%tx\n", info.dli_fname,
                    (const char *)pc - (const char *)info.dli_fbase);
    } else {
        rt_print_to(fd, "%p\n", pc);
    }
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *raw) {
    struct walk *w = raw;
    int before = 0;
    _Unwind_Ptr ip = _Unwind_GetIPInfo(context, &before);
    if (ip == 0) {
        return _URC_END_OF_STACK;
    }
    if (w->skip_until != NULL) {
        if ((const void *)ip != w->skip_until) {
            return _URC_NO_REASON;
        }
        w->skip_until = NULL;
    }
    uintptr_t pc = before != 0 ? ip : ip - 1;
    if (!w->whole && is_of_library(pc)) {
        return _URC_NO_REASON;
    }
    if (w->frames++ == FRAMES_SHOWN) {
        rt_print_to(w->fd, "...additional frames elided...\n");
        return _URC_END_OF_STACK;
    }
    print_frame(w->fd, (const void *)pc);
    return _URC_NO_REASON;
}

void rt_backtrace_print(int fd, const void *skip_until, bool whole) {
    struct walk w = {.fd = fd, .skip_until = skip_until, .whole = whole};
    _Unwind_Backtrace(visit, &w);
    if (w.frames == 0) {
        w = (struct walk){.fd = fd, .whole = true};
        _Unwind_Backtrace(visit, &w);
    }
}
