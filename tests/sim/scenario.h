/* SPDX-License-Identifier: MIT */
/* A scenario is a program on the simulated machine; these are its helpers. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "machine.h"

#include <tuco.h>

/* The result of a main function, and of a run, when all went well. */
#define SIM_RESULT 42

/* Anything later than this was forgotten: a forgotten P checks by itself after a second,
   and sysmon after less than a tenth of a second. */
#define SIM_LATE_NS ((int64_t)200 * 1000 * 1000)

struct sim_scenario {
    const char *name;
    const char *summary;
    void (*run)(void); /* runs on the first simulated thread */
    bool litmus;
};

/*
 * SIM_SCENARIO(name, "what it does") { ... } defines a scenario: the linker collects the
 * list, and ctest finds the line in the source.
 *
 * SIM_LITMUS tests the simulated machine instead of the runtime. fails_from is the first
 * memory model, sc, tso or weak, under which it must be able to fail, or never.
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

/* NULL: there is no scenario of that name. */
const struct sim_scenario *sim_scenario_find(const char *name);
int sim_scenario_count(void);
const struct sim_scenario *sim_scenario_at(int i);

/* Choices */

/* Called before the scenario begins. */
void sim_pick_begin(uint64_t seed);

/* A random number from low to high, by the seed: the same under every strategy, and low in
   an exhaustive search. */
int sim_pick(int low, int high);

/* Makes up to most steps at which other threads may run. */
void sim_pause_some(int most);

/* The machine */

/* Chooses a number of processors and the features of the kernel by the seed, and
   configures the runtime. */
void sim_begin(void);

/* The same, with a number of processors from low to high. */
void sim_begin_procs(int low, int high);

/* Chooses another number of processors, while the runtime is stopped. */
void sim_procs_again(void);

int sim_procs(void);

/* Runs main_fn in the runtime. It must return SIM_RESULT and leave no thread. */
void sim_main(int (*main_fn)(void *));

/* The same twice; once in an exhaustive search. */
void sim_main_twice(int (*main_fn)(void *));

/* Jobs: counted goroutines. Each must run once. */

void sim_jobs_clear(void);
void *sim_job_next(void);       /* the argument of the next one */
void sim_job_begins(void *job); /* counts, and pauses */
void sim_job_ends(void *job);
void sim_job_take_back(void *job); /* it could not be spawned */
void sim_job(void *job);           /* a goroutine that only begins and ends a job */
void sim_job_yields(void *job);    /* one that yields meanwhile, or does not */
void sim_job_sleeps(void *job);    /* one that sleeps meanwhile, for short times */
int sim_jobs_started(const void *job);
int sim_jobs_made(void);
extern int sim_jobs_ended; /* for sim_await() */
void sim_jobs_check(void); /* all jobs have run once */

/* Spawns count jobs, some of which spawn another, and counts them in wg. */
void sim_jobs_spawn(tuco_wg *wg, int count);

/* Waits without calling the library until *what is at least value. Other threads must make
   it so, and soon: a forgotten P checks by itself only after a second, which is too late.
   It is too late at once if every other thread sleeps, a goroutine is queued and a P is
   idle. */
void sim_await(const int *what, int value);

/* Goroutines that compute without calls */

/* Computes for ns or less: sometimes only until a signal is pending. An iteration takes
   much time, and so few steps. */
void sim_hog(int64_t ns);

/* Anything later than this beside such goroutines was forgotten. Sysmon, or another
   thread, may be stalled for thousands of their iterations. */
#define SIM_HOG_LATE_NS ((int64_t)2 * 1000 * 1000 * 1000)

/* Computes until *what is at least value. Other threads must make it so in time. */
void sim_hog_until(const int *what, int value);

/* Computes until the goroutine is requested to yield, at most for some slices. */
void sim_hog_until_asked(void);

/* Makes steps until a thread is at this function, which then has no turn for a while.
   False: none was after so many tries. */
bool sim_aim_at(const char *function, int tries);

/* What the processors have learned of wakers is forgotten: see 'Habits' in park.c. */
void sim_forget_habits(void);

/* Whether sysmon has taken the P of the goroutine, for example because its thread used no
   CPU time for long: it computes beside the Ps. */
bool sim_has_lost_p(void);

/* Computes until the goroutine has the P that was taken from it, or another. Sysmon must
   make it so in time, unless a P is idle: see 'Detached' in retake.c. */
void sim_hog_until_attached(void);

/* The calling thread sleeps in the kernel until sim_unblock_all(). A signal interrupts the
   sleep; after its handler the thread sleeps again. */
void sim_block(void);
void sim_unblock_all(void);

/* Starts, and joins, a thread that calls sim_unblock_all() repeatedly, each time near one
   of sysmon's next ticks. Half of the threads that sysmon finds asleep wake just then;
   urges: most of these by the signal that the runtime itself uses. */
void sim_unblocker_start(int looks, bool urges);
void sim_unblocker_join(void);

/* Like sim_main(), with an unblocker. */
void sim_main_beside_unblocker(int (*main_fn)(void *), int looks, bool urges);

/* Threads of the program */

/* Set while the scenario allows too few threads for all goroutines. */
extern bool sim_threads_lack;

#define SIM_FOREIGN_MAX 8

int sim_threads_start(void (*fn)(void *), int count); /* their argument is their number */
void sim_threads_join(int count);

/* Sleeps for a random time: the runtime is then busy, lingers, sleeps, or has released its
   caches. */
void sim_sleep_some(void);

/* Sleeps until about the deadline of the thread of that name. Returns once it sleeps if it
   has no deadline, and at once if there is no such thread. */
void sim_sleep_until_due(const char *name);

/* Sleeps until a random time between from and to steps after that deadline; negative:
   before it. Returns at once if there is none. */
void sim_sleep_near_due(const char *name, int from, int to);

/* The search, if this run is one, begins here: what comes before is the same in all
   runs. */
void sim_search(void);

#endif
