/* SPDX-License-Identifier: MIT */
/* Walks the calling stack with the compiler's unwinder, which needs no memory and no lock
   of ours. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/backtrace.h"
#include "base/die.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

/* As many as Go prints before it leaves out the middle. An overflowed stack has
   thousands. */
#define FRAMES_SHOWN 100

struct walk {
    int fd;
    int frames;
    const void *skip_until;
};

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
        /* What addr2line -e MODULE takes. */
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
    if (w->frames++ == FRAMES_SHOWN) {
        rt_print_to(w->fd, "...additional frames elided...\n");
        return _URC_END_OF_STACK;
    }
    print_frame(w->fd, (const void *)(before != 0 ? ip : ip - 1));
    return _URC_NO_REASON;
}

void rt_backtrace_print(int fd, const void *skip_until) {
    struct walk w = {.fd = fd, .skip_until = skip_until};
    _Unwind_Backtrace(visit, &w);
    if (w.frames == 0 && skip_until != NULL) {
        w = (struct walk){.fd = fd};
        _Unwind_Backtrace(visit, &w);
    }
}
