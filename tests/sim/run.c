/* SPDX-License-Identifier: MIT */
/* Runs scenarios on the simulated machine, each run in a process of its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "machine.h"
#include "os_sim.h"
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

/* A run of the usual length takes hundredths of a second. */
#define RUN_SECONDS_MAX 60

#define STEPS_MAX_DEFAULT UINT64_C(5000000)
#define LENGTH_FIRST      UINT64_C(2000)
#define DEPTH_DEFAULT     3

/* What a run tells about itself. Shared memory: written by the run, then read. */
struct outcome {
    uint64_t steps;
    uint64_t hash;
    bool whole; /* it came to its end */
};

static struct {
    struct sim_options machine;
    const char *scenario;
    uint64_t runs;
    bool mixed;          /* both strategies in turn, depth by the seed */
    bool expect_failure; /* a mutant: a run has to fail */
    bool print_hash;
    bool length_given;
} options = {
    .machine = {.seed = 1,
                .depth = DEPTH_DEFAULT,
                .length = LENGTH_FIRST,
                .steps_max = STEPS_MAX_DEFAULT,
                .model = SIM_MODEL_TSO},
    .runs = 100,
    .mixed = true,
};

static struct outcome *outcome;

/* One run, in the child */

static void finish(void) {
    outcome->steps = sim.steps;
    outcome->hash = sim.hash;
    outcome->whole = true;
}

static void on_signal(int number) {
    sim_fail("%s",
             number == SIGALRM ? "a thread makes no step any more" : strsignal(number));
}

/* Faults may be on a goroutine's stack that is full. */
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
    sim_run(machine, scenario->run);
    finish();
    _exit(0);
}

/* True if the run came to its end as it should. */
static bool run_once(const struct sim_scenario *scenario,
                     const struct sim_options *machine) {
    int status;
    *outcome = (struct outcome){.whole = false};
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        run_here(scenario, machine);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && outcome->whole;
}

/* Many */

struct sums {
    uint64_t runs;
    uint64_t steps;
    uint64_t steps_most;
};

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Depth 1 has only priorities, and no change of them. */
static void mix(struct sim_options *machine) {
    machine->strategy = machine->seed % 2 == 0 ? SIM_RANDOM_WALK : SIM_PCT;
    machine->depth = 1 + (int)(machine->seed / 2 % 5);
}

static bool run_many(const struct sim_scenario *scenario, struct sums *sums) {
    struct sim_options machine = options.machine;
    machine.scenario = scenario->name;
    for (uint64_t i = 0; i < options.runs; i++, machine.seed++) {
        if (options.mixed) {
            mix(&machine);
        }
        sums->runs++;
        if (!run_once(scenario, &machine)) {
            return false;
        }
        sums->steps += outcome->steps;
        if (outcome->steps > sums->steps_most) {
            sums->steps_most = outcome->steps;
        }
        /* PCT wants to know how long a run will be: as long as the last one. */
        if (!options.length_given) {
            machine.length = outcome->steps + 1;
        }
        if (options.print_hash) {
            printf("seed %llu: %llu steps, hash %016llx\n",
                   (unsigned long long)machine.seed, (unsigned long long)outcome->steps,
                   (unsigned long long)outcome->hash);
        }
    }
    return true;
}

static bool run_scenario(const struct sim_scenario *scenario) {
    struct sums sums = {.runs = 0};
    double start = seconds_now();
    bool passed = run_many(scenario, &sums);
    double seconds = seconds_now() - start;
    printf("%-13s %s after %llu runs, %llu steps, at most %llu a run, %.2f s, "
           "%.0f steps/s\n",
           scenario->name, passed ? "passed" : "FAILED", (unsigned long long)sums.runs,
           (unsigned long long)sums.steps, (unsigned long long)sums.steps_most, seconds,
           (double)sums.steps / seconds);
    return passed;
}

static int run_all(void) {
    bool known = false;
    bool passed = true;
    for (int i = 0; i < sim_scenarios_count; i++) {
        if (options.scenario != NULL &&
            strcmp(options.scenario, sim_scenarios[i].name) != 0) {
            continue;
        }
        known = true;
        passed &= run_scenario(&sim_scenarios[i]);
        if (!passed && options.expect_failure) {
            break;
        }
    }
    if (!known) {
        fprintf(stderr, "there is no scenario %s; --list shows them\n", options.scenario);
        return 2;
    }
    return passed == options.expect_failure;
}

/* Arguments */

static const struct option long_options[] = {
    {"scenario", required_argument, NULL, 'c'},
    {"seed", required_argument, NULL, 's'},
    {"runs", required_argument, NULL, 'r'},
    {"strategy", required_argument, NULL, 'y'},
    {"depth", required_argument, NULL, 'd'},
    {"length", required_argument, NULL, 'l'},
    {"steps", required_argument, NULL, 'm'},
    {"memory", required_argument, NULL, 'o'},
    {"procs", required_argument, NULL, 'p'},
    {"expect-failure", no_argument, NULL, 'x'},
    {"hash", no_argument, NULL, 'h'},
    {"list", no_argument, NULL, 'i'},
    {NULL, 0, NULL, 0},
};

static _Noreturn void usage(void) {
    fprintf(stderr,
            "usage: sim [--scenario NAME] [--seed N] [--runs N] [--strategy rw|pct|mix]\n"
            "           [--depth N] [--length STEPS] [--steps MAX] [--procs N]\n"
            "           [--memory sc|tso|weak] [--expect-failure] [--hash] [--list]\n");
    exit(2);
}

static uint64_t number(const char *text, uint64_t low, uint64_t high) {
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || n < low || n > high) {
        fprintf(stderr, "%s is not a number from %llu to %llu\n", text,
                (unsigned long long)low, (unsigned long long)high);
        usage();
    }
    return n;
}

static int word(const char *text, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    usage();
}

static void list(void) {
    for (int i = 0; i < sim_scenarios_count; i++) {
        printf("%-13s %s\n", sim_scenarios[i].name, sim_scenarios[i].summary);
    }
    exit(0);
}

static void choose_strategy(const char *text) {
    static const char *const words[] = {"rw", "pct", "mix"};
    int i = word(text, words, 3);
    options.mixed = i == 2;
    options.machine.strategy = i == 1 ? SIM_PCT : SIM_RANDOM_WALK;
}

static void take(int letter) {
    static const char *const models[] = {"sc", "tso", "weak"};
    struct sim_options *machine = &options.machine;
    switch (letter) {
    case 'c': options.scenario = optarg; break;
    case 's': machine->seed = number(optarg, 0, UINT64_MAX); break;
    case 'r': options.runs = number(optarg, 1, UINT64_MAX); break;
    case 'y': choose_strategy(optarg); break;
    case 'd': machine->depth = (int)number(optarg, 1, SIM_DEPTH_MAX); break;
    case 'l':
        machine->length = number(optarg, 1, UINT64_MAX);
        options.length_given = true;
        break;
    case 'm': machine->steps_max = number(optarg, 1, UINT64_MAX); break;
    case 'o': machine->model = (enum sim_model)word(optarg, models, 3); break;
    case 'p': machine->procs = (int)number(optarg, 1, SIM_PROCS_MAX); break;
    case 'x': options.expect_failure = true; break;
    case 'h': options.print_hash = true; break;
    case 'i': list(); break;
    default: usage();
    }
}

int main(int argc, char **argv) {
    int letter;
    while ((letter = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        take(letter);
    }
    if (optind != argc) {
        usage();
    }
    outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    return run_all();
}
