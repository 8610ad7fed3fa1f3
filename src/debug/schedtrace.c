/* SPDX-License-Identifier: MIT */
/* The state of the scheduler as one line, in the format of Go's schedtrace. */
#include "debug/schedtrace.h"
#include "os/os.h"
#include "sched/globq.h"
#include "sched/runq.h"
#include "sched/thread/pidle.h"
#include "sched/sched.h"

#include <stdarg.h>
#include <stdio.h>

#define STDERR 2

/* Room for the header and two numbers for each of 1024 Ps. */
#define LINE_BYTES ((size_t)32 * 1024)

struct line {
    char text[LINE_BYTES];
    size_t used;
};

static void line_add(struct line *l, const char *format, ...) RT_PRINTF(2, 3);

static void line_add(struct line *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->used, LINE_BYTES - l->used, format, args);
    va_end(args);
    if (n > 0 && l->used + (size_t)n < LINE_BYTES) {
        l->used += (size_t)n;
    }
}

/* Called by sysmon only, so the buffer is static. Loads are relaxed: a report. */
void rt_schedtrace_print(void) {
    static struct line l;
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    uint32_t threads = rt_load_rlx(&rt_sched.threads);
    uint32_t busy = rt_pidle_total(w) - rt_pidle_ps(w);
    uint32_t ps_end = rt_sched_ps_end();
    l.used = 0;
    line_add(&l, "SCHED %lldms: gomaxprocs=%u idleprocs=%u threads=%u spinningthreads=%u",
             (long long)((os_now() - rt_sched.started_ns) / 1000000), rt_sched_procs(),
             rt_pidle_ps(w), threads + 1 /* sysmon */, rt_pidle_spinning(w));
    line_add(&l, " needspinning=%d idlethreads=%u runqueue=%u [ ",
             (w & RT_PIDLE_NEED) != 0, threads > busy ? threads - busy : 0,
             rt_globq_length());
    for (uint32_t i = 0; i < ps_end; i++) {
        line_add(&l, "%u ", rt_p_queued(&rt_sched.ps[i]));
    }
    line_add(&l, "] schedticks=[ ");
    for (uint32_t i = 0; i < ps_end; i++) {
        line_add(&l, "%u ", rt_load_rlx(&rt_sched.ps[i].schedtick));
    }
    line_add(&l, "]\n");
    os_write(STDERR, l.text, l.used);
}
