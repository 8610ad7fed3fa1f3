/* SPDX-License-Identifier: MIT */
/* Runs scenarios on the simulated machine, each run in its own process. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "explore.h"
#include "gap.h"
#include "machine.h"
#include "os_sim.h"
#include "progress.h"
#include "scenario.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A typical run takes hundredths of a second. */
#define RUN_SECONDS_MAX 60

#define STEPS_MAX_DEFAULT UINT64_C(5000000)
#define BOUND_DEFAULT     2
#define MINUTES_MAX       (365 * 24 * 60)

/* The result of a run. Shared memory: written by the run, or by all runs of a search one
   after the other, then read by the parent. */
struct outcome {
    uint64_t runs;
    uint64_t steps;
    uint64_t hash;
    struct sim_gap_tally gaps;
};

enum choice {
    CHOOSE_STRATEGY = 1,
    CHOOSE_DEPTH = 2,
    CHOOSE_LENGTH = 4,
    CHOOSE_MODEL = 8,
    CHOOSE_SEED = 16,
    CHOOSE_RUNS = 32,
    CHOOSE_BOUND = 64,
    CHOOSE_PATH = 128,
};

static struct {
    struct sim_options machine;
    const char *scenario;
    uint64_t runs;
    double minutes;      /* 0: limited by runs */
    unsigned chosen;     /* set by the user: enum choice */
    bool expect_failure; /* a mutant or a litmus test: a run must fail */
    bool print_hash;
    bool print_gaps;
    bool no_progress;
    char given[256]; /* the arguments that a run depends on, except its seed */
} options = {
    .machine = {.seed = 1,
                .steps_max = STEPS_MAX_DEFAULT,
                .bound = BOUND_DEFAULT,
                .seconds_max = RUN_SECONDS_MAX,
                .given = options.given},
    .runs = 1000,
};

static struct outcome *outcome;

/* Where the runs are, for the progress line. */
static struct {
    double start_seconds;
    const char *scenario;
    int number; /* of the scenario, from 1 on */
    int count;  /* of the scenarios */
    int failed;
    uint64_t runs; /* complete ones: of the scenario, or with --minutes of all */
} position;

/* One run, in the child */

static void finish(void) {
    outcome->steps += sim_explore_steps();
    outcome->hash = sim.hash;
    outcome->gaps = sim_gap_tally;
    outcome->runs++;
}

static void on_signal(int number) {
    sim_fail("%s",
             number == SIGALRM ? "a thread makes no step any more" : strsignal(number));
}

/* On an alternate stack: a fault may be the overflow of a goroutine's stack. */
static void catch_signals(void) {
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
    alarm(RUN_SECONDS_MAX);
}

static _Noreturn void run_here(const struct sim_scenario *scenario,
                               const struct sim_options *machine) {
    catch_signals();
    os_sim.on_exit = finish;
    sim_pick_begin(machine->seed);
    sim_run(machine, scenario->run);
    finish();
    _exit(0);
}

/* Progress */

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The number of runs of a search is known only when it is over. */
static void show_progress(void) {
    double now_seconds = seconds_now();
    if (!sim_progress_due(now_seconds)) {
        return;
    }
    double spent_seconds = now_seconds - position.start_seconds;
    unsigned long long runs = position.runs;
    if (options.minutes > 0) {
        /* The last turn of all scenarios takes longer than the minutes. */
        double left_seconds = options.minutes * 60 - spent_seconds;
        sim_progress_write("%s: %llu runs in all, about %.0f s left", position.scenario,
                           runs, left_seconds > 0 ? left_seconds : 0);
    } else if (options.machine.strategy == SIM_EXHAUSTIVE) {
        sim_progress_write("%s, %d of %d: %llu runs, %d failed", position.scenario,
                           position.number, position.count,
                           (unsigned long long)outcome->runs, position.failed);
    } else {
        /* In scenarios. The run under way counts half, so that it is not 0. */
        double past = position.number - 1 + ((double)runs + 0.5) / (double)options.runs;
        double left_seconds = spent_seconds * (position.count - past) / past;
        sim_progress_write(
            "%s, %d of %d: %llu of %llu runs, %d failed, about %.0f s left",
            position.scenario, position.number, position.count, runs,
            (unsigned long long)options.runs, position.failed, left_seconds);
    }
}

/* One run, in the parent */

static sigset_t only_sigchld(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

/* Before the first fork: a run that ends before the parent waits leaves SIGCHLD pending. */
static void block_ends_of_runs(void) {
    sigset_t ends = only_sigchld();
    sigprocmask(SIG_BLOCK, &ends, NULL);
}

/* Shows progress meanwhile, because a search makes all its runs in one child. */
static int wait_for(pid_t child) {
    static const struct timespec second = {.tv_sec = 1};
    sigset_t ends = only_sigchld();
    int status;
    pid_t ended;
    do {
        sigtimedwait(&ends, NULL, &second);
        show_progress();
        ended = waitpid(child, &status, WNOHANG);
    } while (ended == 0);
    if (ended < 0) {
        perror("waitpid");
        exit(2);
    }
    return status;
}

/* Returns true if the run ended as it should. */
static bool run_once(const struct sim_scenario *scenario,
                     const struct sim_options *machine) {
    *outcome = (struct outcome){.runs = 0};
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        run_here(scenario, machine);
    }
    int status = wait_for(child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && outcome->runs > 0;
}

/* Many runs */

struct sums {
    uint64_t runs;
    uint64_t steps;
    struct sim_gap_tally gaps;
};

/* Derives from the seed what the user has not set, so that a seed is enough to repeat a
   run. Depth 1 has priorities but no changes of them. length is PCT's guess of the length
   of a run, which is unknown, so it varies. */
static void derive(struct sim_options *machine) {
    struct rt_rand rand = {.state = machine->seed ^ UINT64_C(0x7275e5)};
    uint32_t strategy = rt_rand_below(&rand, 2);
    uint32_t depth = rt_rand_below(&rand, 5);
    uint32_t length = rt_rand_below(&rand, 7);
    uint32_t model = rt_rand_below(&rand, 2);
    if ((options.chosen & CHOOSE_STRATEGY) == 0) {
        machine->strategy = strategy == 0 ? SIM_RANDOM_WALK : SIM_PCT;
    }
    if ((options.chosen & CHOOSE_DEPTH) == 0) {
        machine->depth = 1 + (int)depth;
    }
    if ((options.chosen & CHOOSE_LENGTH) == 0) {
        machine->length = UINT64_C(500) << length;
    }
    if ((options.chosen & CHOOSE_MODEL) == 0) {
        machine->model = model == 0 ? SIM_MODEL_TSO : SIM_MODEL_WEAK;
    }
}

static uint64_t greater(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void add_gaps(struct sim_gap_tally *sum, const struct sim_gap_tally *gaps) {
    for (int i = 0; i < SIM_GAP_SPANS; i++) {
        sum->spans[i] += gaps->spans[i];
    }
    sum->longest = greater(sum->longest, gaps->longest);
    sum->longest_percent = greater(sum->longest_percent, gaps->longest_percent);
    sum->lone += gaps->lone;
    sum->lone_passed += gaps->lone_passed;
}

static void print_gaps(const struct sim_gap_tally *gaps) {
    printf("  gaps of");
    for (int i = 0; i < SIM_GAP_SPANS; i++) {
        printf(" %u%s:%llu", (1U << i) - 1, i + 1 < SIM_GAP_SPANS ? "" : "+",
               (unsigned long long)gaps->spans[i]);
    }
    printf(", at most %llu steps, %llu %% of the bound; lone %llu, passed by %llu\n",
           (unsigned long long)gaps->longest, (unsigned long long)gaps->longest_percent,
           (unsigned long long)gaps->lone, (unsigned long long)gaps->lone_passed);
}

static bool run_many(const struct sim_scenario *scenario, uint64_t first_seed,
                     uint64_t runs, struct sums *sums) {
    struct sim_options machine = options.machine;
    machine.scenario = scenario->name;
    machine.seed = first_seed;
    for (uint64_t i = 0; i < runs; i++, machine.seed++) {
        derive(&machine);
        bool passed = run_once(scenario, &machine);
        position.runs++;
        sums->runs += outcome->runs + !passed;
        sums->steps += outcome->steps;
        add_gaps(&sums->gaps, &outcome->gaps);
        if (!passed) {
            return false;
        }
        if (options.print_hash) {
            printf("seed %llu: %llu steps, hash %016llx\n",
                   (unsigned long long)machine.seed, (unsigned long long)outcome->steps,
                   (unsigned long long)outcome->hash);
        }
    }
    return true;
}

static void report(const char *name, bool passed, const struct sums *sums,
                   double seconds) {
    sim_progress_clear();
    printf("%-17s %s after %llu runs, %llu steps, %.2f s, %.0f steps/s\n", name,
           passed ? "passed" : "FAILED", (unsigned long long)sums->runs,
           (unsigned long long)sums->steps, seconds, (double)sums->steps / seconds);
    if (options.print_gaps) {
        print_gaps(&sums->gaps);
    }
    fflush(stdout);
}

static bool run_scenario(const struct sim_scenario *scenario) {
    struct sums sums = {.runs = 0};
    double start = seconds_now();
    position.scenario = scenario->name;
    position.number++;
    position.runs = 0;
    bool passed = run_many(scenario, options.machine.seed, options.runs, &sums);
    position.failed += !passed;
    report(scenario->name, passed, &sums, seconds_now() - start);
    return passed;
}

/* Excludes litmus tests, which may fail: they run by name only. */
static int run_each(void) {
    position.count = 0;
    for (int i = 0; i < sim_scenario_count(); i++) {
        position.count += !sim_scenario_at(i)->litmus;
    }
    for (int i = 0; i < sim_scenario_count(); i++) {
        if (!sim_scenario_at(i)->litmus) {
            run_scenario(sim_scenario_at(i));
        }
    }
    return position.failed > 0;
}

/* The number of runs of a scenario before the next scenario's turn. */
#define TURN_RUNS 100

/* Runs all scenarios, or one, with new seeds until the time is up. */
static int run_minutes(const struct sim_scenario *only) {
    struct sums sums = {.runs = 0};
    double start = seconds_now();
    uint64_t seed = options.machine.seed;
    printf("seeds from %llu on\n", (unsigned long long)seed);
    for (; seconds_now() - start < options.minutes * 60; seed += TURN_RUNS) {
        for (int i = 0; i < sim_scenario_count(); i++) {
            const struct sim_scenario *scenario = sim_scenario_at(i);
            bool wanted = only != NULL ? scenario == only : !scenario->litmus;
            position.scenario = scenario->name;
            if (wanted && !run_many(scenario, seed, TURN_RUNS, &sums)) {
                report(scenario->name, false, &sums, seconds_now() - start);
                return 1;
            }
        }
    }
    report(only != NULL ? only->name : "all", true, &sums, seconds_now() - start);
    return 0;
}

static int run_as_asked(void) {
    const struct sim_scenario *scenario = NULL;
    if (options.scenario != NULL) {
        scenario = sim_scenario_find(options.scenario);
        if (scenario == NULL) {
            fprintf(stderr, "there is no scenario %s; --list shows them\n",
                    options.scenario);
            return 2;
        }
    }
    position.start_seconds = seconds_now();
    if (!options.no_progress) {
        sim_progress_begin(position.start_seconds);
    }
    if (options.minutes > 0) {
        return run_minutes(scenario);
    }
    if (scenario == NULL) {
        return run_each();
    }
    position.count = 1;
    return run_scenario(scenario) == options.expect_failure;
}

/* Arguments */

static const struct option long_options[] = {
    {"scenario", required_argument, NULL, 'c'},
    {"seed", required_argument, NULL, 's'},
    {"runs", required_argument, NULL, 'r'},
    {"minutes", required_argument, NULL, 'm'},
    {"strategy", required_argument, NULL, 'y'},
    {"depth", required_argument, NULL, 'd'},
    {"length", required_argument, NULL, 'l'},
    {"bound", required_argument, NULL, 'b'},
    {"deviate", required_argument, NULL, 'v'},
    {"steps", required_argument, NULL, 'x'},
    {"memory", required_argument, NULL, 'o'},
    {"procs", required_argument, NULL, 'p'},
    /* without a value */
    {"expect-failure", no_argument, NULL, 'f'},
    {"hash", no_argument, NULL, 'h'},
    {"gaps", no_argument, NULL, 'g'},
    {"no-progress", no_argument, NULL, 'n'},
    {"list", no_argument, NULL, 'i'},
    {"help", no_argument, NULL, '?'},
    {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: tests/sim/run [OPTION]...\n"
    "  --list            the scenarios\n"
    "  --scenario NAME   only this one\n"
    "  --seed N          the first seed; with no --runs and no --minutes, the only one\n"
    "  --runs N          how many, each with the next seed (default 1000)\n"
    "  --minutes M       as many as the time allows, with fresh seeds, in a process for\n"
    "                    each CPU, of which the first shows how far it is\n"
    "What follows is decided by the seed unless it is given.\n"
    "  --strategy S      rw: random walk; pct: probabilistic concurrency testing;\n"
    "                    all: an exhaustive search, which has no seed\n"
    "  --depth N         pct: number of priority changes plus one\n"
    "  --length STEPS    pct: expected length of a run\n"
    "  --bound N         all: deviations from the plain run (default 2)\n"
    "  --deviate LIST    all: this run only, from the report of a failure\n"
    "  --memory MODEL    sc, tso or weak: which stores become visible late\n"
    "  --procs N         the number of processors instead of the scenario's\n"
    "  --steps MAX       longer runs fail\n"
    "  --expect-failure  succeed if a run fails\n"
    "  --hash            print a line for each run, to compare two runs\n"
    "  --gaps            print how long work was queued beside idle processors, see gap.c\n"
    "  --no-progress     do not show on standard error how far the runs are\n"
    "  --mutants         alone: every mutant, as a table of docs/design/simulation.md\n"
    "Exit status: 0, 1 if a run failed, 2 for bad arguments.\n";

static _Noreturn void usage(void) {
    fputs("tests/sim/run --help lists the options\n", stderr);
    exit(2);
}

static uint64_t number(const char *text, uint64_t low, uint64_t high) {
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9'; /* strtoull() accepts a sign */
    if (errno != 0 || !digits || *end != '\0' || n < low || n > high) {
        fprintf(stderr, "%s is not a number from %llu to %llu\n", text,
                (unsigned long long)low, (unsigned long long)high);
        usage();
    }
    return n;
}

static double minutes(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= MINUTES_MAX)) {
        fprintf(stderr, "%s is not a number of minutes, above 0 and up to %d\n", text,
                MINUTES_MAX);
        usage();
    }
    return value;
}

static int word(const char *text, const char *const words[3]) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    fprintf(stderr, "%s is not one of: %s, %s, %s\n", text, words[0], words[1], words[2]);
    usage();
}

static void list(void) {
    for (int i = 0; i < sim_scenario_count(); i++) {
        const struct sim_scenario *scenario = sim_scenario_at(i);
        printf("%-17s %s\n", scenario->name, scenario->summary);
    }
    exit(0);
}

/* Records an argument that a repetition of the run needs too. */
static void remember(const char *name) {
    size_t used = strlen(options.given);
    snprintf(options.given + used, sizeof options.given - used, " --%s %s", name, optarg);
}

static void take_model_option(int letter, const char *name) {
    static const char *const models[] = {"sc", "tso", "weak"};
    static const char *const strategies[] = {"rw", "pct", "all"};
    struct sim_options *machine = &options.machine;
    remember(name);
    switch (letter) {
    case 'y':
        machine->strategy = (enum sim_strategy)word(optarg, strategies);
        options.chosen |= CHOOSE_STRATEGY;
        break;
    case 'd':
        machine->depth = (int)number(optarg, 1, SIM_DEPTH_MAX);
        options.chosen |= CHOOSE_DEPTH;
        break;
    case 'l':
        machine->length = number(optarg, 1, UINT64_MAX);
        options.chosen |= CHOOSE_LENGTH;
        break;
    case 'o':
        machine->model = (enum sim_model)word(optarg, models);
        options.chosen |= CHOOSE_MODEL;
        break;
    case 'b':
        machine->bound = (int)number(optarg, 0, SIM_DEPTH_MAX);
        options.chosen |= CHOOSE_BOUND;
        break;
    case 'x': machine->steps_max = number(optarg, 1, UINT64_MAX); break;
    case 'p': machine->procs = (int)number(optarg, 1, SIM_PROCS_MAX); break;
    default: usage();
    }
}

static void take_option(int letter, int index) {
    switch (letter) {
    case 'c': options.scenario = optarg; break;
    case 's':
        options.machine.seed = number(optarg, 0, UINT64_MAX);
        options.chosen |= CHOOSE_SEED;
        break;
    case 'r':
        options.runs = number(optarg, 1, UINT64_MAX);
        options.chosen |= CHOOSE_RUNS;
        break;
    case 'm': options.minutes = minutes(optarg); break;
    case 'v':
        if (!sim_explore_replay(optarg)) {
            fprintf(stderr, "%s is not a list of deviations\n", optarg);
            usage();
        }
        options.chosen |= CHOOSE_PATH;
        break;
    case 'f': options.expect_failure = true; break;
    case 'h':
        options.print_hash = true;
        options.no_progress = true; /* a line for each run shows it */
        break;
    case 'g': options.print_gaps = true; break;
    case 'n': options.no_progress = true; break;
    case 'i': list(); break;
    case '?':
        if (index < 0) {
            usage(); /* unknown option: getopt has named it */
        }
        fputs(help, stdout);
        exit(0);
    default: take_model_option(letter, long_options[index].name);
    }
}

static void refuse_if(bool refused, const char *why) {
    if (refused) {
        fprintf(stderr, "%s\n", why);
        usage();
    }
}

/* Rejects options that would be ignored. */
static void settle(void) {
    unsigned chosen = options.chosen;
    bool searches = options.machine.strategy == SIM_EXHAUSTIVE;
    bool timed = options.minutes > 0;
    refuse_if(!searches && (chosen & (CHOOSE_BOUND | CHOOSE_PATH)) != 0,
              "--bound and --deviate belong to --strategy all");
    refuse_if(searches && (timed || (chosen & CHOOSE_RUNS) != 0),
              "--strategy all makes all its runs, once");
    refuse_if(searches && (chosen & (CHOOSE_DEPTH | CHOOSE_LENGTH)) != 0,
              "--depth and --length belong to --strategy pct");
    refuse_if(timed && (chosen & CHOOSE_RUNS) != 0, "--minutes or --runs, not both");
    refuse_if(options.expect_failure && (timed || options.scenario == NULL),
              "--expect-failure takes a --scenario, and no --minutes");
    if (searches || (chosen & (CHOOSE_SEED | CHOOSE_RUNS)) == CHOOSE_SEED) {
        options.runs = 1;
    }
    if (timed && (chosen & CHOOSE_SEED) == 0) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        options.machine.seed = (uint64_t)t.tv_sec * 1000000 + (uint64_t)getpid();
    }
}

int main(int argc, char **argv) {
    int letter;
    int index = -1;
    while ((letter = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        take_option(letter, index);
        index = -1;
    }
    if (optind != argc) {
        fprintf(stderr, "%s is not an option\n", argv[optind]);
        usage();
    }
    settle();
    block_ends_of_runs();
    outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    return run_as_asked();
}
