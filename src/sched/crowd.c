/* SPDX-License-Identifier: MIT */
/* For how many threads that serve descriptors there are CPUs. */
#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/sched.h"

/*
 * Problem. One more thread that helps to serve connections is worth its wake-up if there
 * is a CPU for it. If the CPUs are taken, by other programs or by the clients on the same
 * machine, it only takes turns with the others: each turn is a switch in the kernel, and
 * who is in the middle of a request waits for some milliseconds. Throughput, CPU time and
 * latency get worse, all three.
 *
 * Rejected. The load of the machine: it is an average over a minute. How late threads are
 * woken: the kernel lets who has slept go first, at the cost of others. The time that a
 * thread has waited for a CPU: only files in /proc tell it.
 *
 * The way taken. A thread that has work compares how long it was awake with what it has had
 * of a CPU. If an eighth is missing, it has had to give way, and has not waited for anything
 * else in the kernel, it has waited for a CPU: there are CPUs for one thread less than were
 * busy. That is the limit for a while, and is lowered again if one has to wait after that.
 * Who would be beyond the limit leaves the descriptors to the others: see 'Crowded' in
 * poll.c. A thread alone says nothing: against the threads of others two get more than one.
 *
 * The only way to know whether there are more CPUs by now is to try: when the time is up the
 * limit is twice as high. Each time that this was too much the next respite is twice as long,
 * up to a second, so that trying costs less than a hundredth; as long as it is not, it gets
 * shorter.
 *
 * Nothing but speed depends on it, and all of it is hints.
 */

/* How long a thread has to have been awake to say something: longer than what interrupts a
   thread now and then. */
#define WINDOW_NS ((int64_t)4000 * 1000)

/* Who was awake for longer than that has not looked for descriptors, but done something
   else. */
#define WINDOW_MAX_NS ((int64_t)20 * 1000 * 1000)

/* That part of it is missing. */
#define MISSING_SHIFT 3

/* And by that part the next respite is shorter if it is not. */
#define RELIEF_SHIFT 5

#define RESPITE_MIN_NS ((int64_t)16 * 1000 * 1000)
#define RESPITE_MAX_NS ((int64_t)1024 * 1000 * 1000)

struct rt_crowd rt_crowd = {.limit = RT_CROWD_NONE};

/* relaxed, all of them: hints. */

void rt_crowd_init(void) {
    rt_store_rlx(&rt_crowd.limit, RT_CROWD_NONE);
    rt_store_rlx(&rt_crowd.untried, true);
    rt_store_rlx(&rt_crowd.lowered_ns, 0);
    rt_store_rlx(&rt_crowd.respite_ns, RESPITE_MIN_NS);
}

static void set_respite(int64_t ns) {
    ns = ns > RESPITE_MIN_NS ? ns : RESPITE_MIN_NS;
    rt_store_rlx(&rt_crowd.respite_ns, ns < RESPITE_MAX_NS ? ns : RESPITE_MAX_NS);
}

static void limit_lower(int64_t now_ns, uint32_t busy) {
    uint32_t limit = rt_load_rlx(&rt_crowd.limit);
    int64_t respite_ns = rt_load_rlx(&rt_crowd.respite_ns);
    limit = busy < limit ? busy : limit;
    if (limit < 2) {
        return;
    }
    rt_store_rlx(&rt_crowd.lowered_ns, now_ns);
    rt_store_rlx(&rt_crowd.until_ns, now_ns + respite_ns);
    rt_store_rlx(&rt_crowd.limit, limit - 1);
    if (rt_load_rlx(&rt_crowd.untried)) {
        rt_store_rlx(&rt_crowd.untried, false);
        set_respite(2 * respite_ns);
    }
}

/* The time is up. If that was long ago nothing is known any more. */
static void limit_raise(int64_t now_ns, uint32_t total) {
    uint32_t limit = rt_load_rlx(&rt_crowd.limit);
    if (now_ns - rt_load_rlx(&rt_crowd.until_ns) > RESPITE_MAX_NS) {
        rt_crowd_init();
        return;
    }
    rt_store_rlx(&rt_crowd.until_ns, now_ns + rt_load_rlx(&rt_crowd.respite_ns));
    rt_store_rlx(&rt_crowd.untried, true);
    rt_store_rlx(&rt_crowd.limit, limit < total / 2 ? 2 * limit : RT_CROWD_NONE);
}

void rt_crowd_judge(const struct rt_m *m, int64_t now_ns, int64_t awake_ns,
                    int64_t cpu_ns) {
    if (awake_ns - cpu_ns >= awake_ns >> MISSING_SHIFT) {
        /* What was before the limit was lowered others have told. */
        if (m->crowd.began_ns >= rt_load_rlx(&rt_crowd.lowered_ns)) {
            limit_lower(now_ns, m->crowd.busy);
        }
    } else if (m->crowd.busy > 1 && rt_load_rlx(&rt_crowd.untried)) {
        int64_t respite_ns = rt_load_rlx(&rt_crowd.respite_ns);
        set_respite(respite_ns - (respite_ns >> RELIEF_SHIFT));
    }
}

/* What m has had since it began says something. */
static void judge_by(const struct rt_m *m, const struct os_usage *usage, int64_t now_ns,
                     int64_t awake_ns) {
    const struct rt_crowd_watch *w = &m->crowd;
    if (w->began_ns == 0 || awake_ns > WINDOW_MAX_NS || usage->untold ||
        w->before.untold || usage->waits - w->before.waits > w->naps) {
        return;
    }
    /* A kernel may count interrupts for nobody. Who never had to give way has had all the
       rest. */
    bool gave_way = usage->yields != w->before.yields;
    rt_crowd_judge(m, now_ns, awake_ns,
                   gave_way ? usage->cpu_ns - w->before.cpu_ns : awake_ns);
}

void rt_crowd_look(struct rt_m *m, int64_t now_ns) {
    struct rt_crowd_watch *w = &m->crowd;
    uint64_t word = rt_load_rlx(&rt_idle.word);
    uint32_t busy = rt_idle_busy(word);
    if (rt_idle_total(word) < 2) {
        return;
    }
    if (rt_load_rlx(&rt_crowd.limit) != RT_CROWD_NONE &&
        now_ns >= rt_load_rlx(&rt_crowd.until_ns)) {
        limit_raise(now_ns, rt_idle_total(word));
    }
    w->busy = busy > w->busy ? busy : w->busy;
    int64_t awake_ns = w->awake_ns + now_ns - w->since_ns;
    if (w->began_ns != 0 && awake_ns < WINDOW_NS) {
        return;
    }
    struct os_usage usage = os_thread_usage();
    judge_by(m, &usage, now_ns, awake_ns);
    *w = (struct rt_crowd_watch){
        .began_ns = now_ns, .before = usage, .since_ns = now_ns, .busy = busy};
}

void rt_crowd_rest_begin(struct rt_m *m) {
    if (m->crowd.began_ns != 0) {
        m->crowd.awake_ns += os_now() - m->crowd.since_ns;
    }
}

void rt_crowd_nap(struct rt_m *m) {
    m->crowd.naps++;
}

void rt_crowd_rest_end(struct rt_m *m) {
    if (m->crowd.began_ns != 0) {
        m->crowd.since_ns = os_now();
    }
}
