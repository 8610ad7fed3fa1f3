/* SPDX-License-Identifier: MIT */
/* A program on the simulated machine, and what it is written with. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "machine.h"

#include <tuco.h>

/* What a goroutine's program, or the whole run, gives when all went well. */
#define SIM_RESULT 42

/* What takes longer has been forgotten by who should have done it: a P that was forgotten
   looks by itself after a second, and the monitor after less than a tenth. */
#define SIM_LATE_NS ((int64_t)200 * 1000 * 1000)

struct sim_scenario {
    const char *name;
    const char *summary;
    void (*run)(void); /* on the first simulated thread */
    bool litmus;
};

/*
 * SIM_SCENARIO(name, "what it does") { ... } is all that it takes: the program finds it
 * in its own list, and ctest by the line in the source.
 *
 * SIM_LITMUS tests the simulated machine instead of the runtime. fails_from is the first
 * memory model, sc, tso or weak, under which it has to be able to fail, or never.
 */
#define SIM_SCENARIO(name, summary)           SIM_RECORD(name, summary, false)
#define SIM_LITMUS(name, fails_from, summary) SIM_RECORD(name, summary, true)

#define SIM_RECORD(name, summary, litmus)                                              \
    static void scenario_##name(void);                                                 \
    static const struct sim_scenario record_##name = {#name, summary, scenario_##name, \
                                                      litmus};                         \
    __attribute__((section("sim_scenarios"),                                           \
                   used)) static const struct sim_scenario *const entry_##name =       \
        &record_##name;                                                                \
    static void scenario_##name(void)

/* By name, NULL: there is none. */
const struct sim_scenario *sim_scenario_find(const char *name);
int sim_scenario_count(void);
const struct sim_scenario *sim_scenario_at(int i);

/* Choices */

/* Before the scenario begins. */
void sim_pick_begin(uint64_t seed);

/* Any number from low to high, by the seed; the same under every strategy, and low when
   the scenario is searched exhaustively. */
int sim_pick(int low, int high);

/* Up to most steps at which others may go on. */
void sim_pause_some(int most);

/* The machine */

/* A number of processors by the seed, the kernel's gifts likewise; configures the
   runtime. */
void sim_begin(void);

/* The same, with a number of processors from low to high. */
void sim_begin_procs(int low, int high);

/* Another number, while the runtime is stopped. */
void sim_procs_again(void);

int sim_procs(void);

/* Runs main_fn in the runtime; it has to return SIM_RESULT and to leave no thread. */
void sim_main(int (*main_fn)(void *));

/* twice, or as often as there is time for in a search */
void sim_main_twice(int (*main_fn)(void *));

/* Jobs: goroutines that are counted. Each is to run once. */

void sim_jobs_clear(void);
void *sim_job_next(void);       /* the argument of the next one */
void sim_job_begins(void *job); /* counts, and pauses */
void sim_job_ends(void *job);
void sim_job_take_back(void *job); /* it could not be started */
void sim_job(void *job);           /* a goroutine that does only that */
int sim_jobs_started(const void *job);
int sim_jobs_made(void);
extern int sim_jobs_ended; /* for sim_await() */
void sim_jobs_check(void); /* all that were made have run once */

/* Spawns so many jobs, some of which spawn another, and counts them in the wait group. */
void sim_jobs_spawn(tuco_wg *wg, int count);

/* Waits without calling the library until *what is at least value. Others have to do it,
   and soon: a P that was forgotten looks by itself after a second, and that is too late.
   It is too late at once if every other thread sleeps, a goroutine is queued and a P
   idle. */
void sim_await(const int *what, int value);

/* Goroutines that call nothing */

/* Computes for so long, or less: now and then no longer than until a signal is on its way.
   A turn takes much time, and so few steps. */
void sim_hog(int64_t ns);

/* What takes longer beside them has been forgotten: the monitor, or another, may be stalled
   for thousands of their turns. */
#define SIM_HOG_LATE_NS ((int64_t)2 * 1000 * 1000 * 1000)

/* The same until *what is at least value. Others have to do it, and not too late. */
void sim_hog_until(const int *what, int value);

/* The same until the goroutine is asked to yield, if that comes within some slices. */
void sim_hog_until_asked(void);

/* The calling thread sleeps in the kernel until sim_unblock_all(); a signal interrupts
   that, and then it goes on. */
void sim_block(void);
void sim_unblock_all(void);

/* A thread of the program that calls sim_unblock_all() again and again, at about the time of
   one of the monitor's next looks; and its end. Who is found asleep by the monitor wakes
   just then, half of the times; urges: and most often by the signal that the runtime uses
   itself. */
void sim_unblocker_start(int looks, bool urges);
void sim_unblocker_join(void);

/* As sim_main(), beside that thread. */
void sim_main_beside_unblocker(int (*main_fn)(void *), int looks, bool urges);

/* Threads of the program */

#define SIM_FOREIGN_MAX 8

int sim_threads_start(void (*fn)(void *), int count); /* their argument is their number */
void sim_threads_join(int count);

/* So long that the runtime is busy, lingers, sleeps, or gives its caches back. */
void sim_rest(void);

/* Until about the time at which a thread of that name ends its sleep by itself; only until
   it sleeps if it does not, and not at all if there is none. */
void sim_rest_until_due(const char *name);

/* Until a moment between so many steps after that, or before if less than 0; not at all if
   there is no such time. */
void sim_rest_near_due(const char *name, int from, int to);

/* The search begins here, if this run is one: what comes before is the same in all. */
void sim_search(void);

#endif
