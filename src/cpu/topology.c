/* SPDX-License-Identifier: MIT */
/* Reads the machine's cores, caches and memory nodes from a directory laid out as
   sysfs. */
#include "cpu/topology.h"
#include "base/alloc.h"
#include "base/die.h"
#include "os/os.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Files read, below the directory:
 *
 *   cpu/possible, else present, else online    the numbers of the CPUs
 *   cpu/cpuN/topology/core_cpus_list           the threads of N's core;
 *                     thread_siblings_list     its name before Linux 5.3
 *   cpu/cpuN/cache/indexK/level, type          which of N's caches is the last one
 *   cpu/cpuN/cache/indexK/shared_cpu_list      the CPUs that are behind it
 *   node/possible, else present, else online   the numbers of the nodes
 *   node/nodeN/cpulist                         the CPUs of node N
 *
 * Every start of the runtime waits for this, and a large machine has thousands of these
 * files. So only one CPU of each group is read: one file per core, a dozen per cache, one
 * per node.
 *
 * A CPU that is offline has no files. Its groups are unknown, so it is near only to other
 * offline CPUs.
 */

#define SYSTEM_DIR "/sys/devices/system"
#define PATH_BYTES 512

/* The longest list has every second CPU of RT_TOPOLOGY_CPUS_MAX, with 5 bytes each. */
#define TEXT_BYTES 32768

#define CACHES_MAX      16 /* of one CPU; no machine has half as many */
#define SHOWN_BYTES     60 /* of a malformed text */
#define NUMBERS_IN_WORD 64

/* The directory being read. On the heap, because it is large. Used by one thread. */
struct source {
    const char *dir;
    bool given;            /* dir was set by the user: a malformed file is an error */
    bool wrong;            /* a file was malformed */
    char path[PATH_BYTES]; /* the current file; "": its path is too long to exist */
    char text[TEXT_BYTES]; /* its contents, by source_text() */
};

/* A set of CPU or node numbers. */
struct set {
    uint64_t words[RT_TOPOLOGY_CPUS_MAX / NUMBERS_IN_WORD];
};

/* Reads which CPUs share a group with cpu. Returns false if that is unknown. */
typedef bool members_fn(struct source *s, int cpu, struct set *members);

static void set_add(struct set *set, int n) {
    set->words[n / NUMBERS_IN_WORD] |= UINT64_C(1) << (n % NUMBERS_IN_WORD);
}

static bool set_has(const struct set *set, int n) {
    return (set->words[n / NUMBERS_IN_WORD] >> (n % NUMBERS_IN_WORD) & 1) != 0;
}

/* The highest number in the set plus one. */
static int set_end(const struct set *set) {
    int n = RT_TOPOLOGY_CPUS_MAX;
    while (n > 0 && !set_has(set, n - 1)) {
        n--;
    }
    return n;
}

/* Parses at least one digit at *at, as a number below end. */
static bool take_number(const char **at, int end, int *number) {
    const char *c = *at;
    int n = 0;
    while (*c >= '0' && *c <= '9' && n < end) {
        n = n * 10 + (*c - '0');
        c++;
    }
    bool taken = c != *at && n < end;
    *at = c;
    *number = n;
    return taken;
}

static bool take_range(const char **at, struct set *set) {
    int first;
    int last;
    if (!take_number(at, RT_TOPOLOGY_CPUS_MAX, &first)) {
        return false;
    }
    last = first;
    if (**at == '-') {
        ++*at;
        if (!take_number(at, RT_TOPOLOGY_CPUS_MAX, &last) || last < first) {
            return false;
        }
    }
    for (int n = first; n <= last; n++) {
        set_add(set, n);
    }
    return true;
}

/* Parses lists such as "0-3,8,10-11". A node without CPUs has an empty list. */
static bool parse_list(const char *text, struct set *set) {
    memset(set, 0, sizeof *set);
    if (*text == '\0') {
        return true;
    }
    while (take_range(&text, set)) {
        if (*text == '\0') {
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
    return false;
}

static void source_wrong(struct source *s, const char *wanted) {
    s->wrong = true;
    if (s->given) {
        rt_print("tuco: TUCOTOPOLOGY: \"%.*s\" in %s: not %s\n", SHOWN_BYTES, s->text,
                 s->path, wanted);
    }
}

/* Makes the file with that path below the directory the current one. */
static void source_at(struct source *s, const char *format, ...) RT_PRINTF(2, 3);

static void source_at(struct source *s, const char *format, ...) {
    va_list args;
    size_t length = strlen(s->dir);
    if (length + 1 < PATH_BYTES) {
        memcpy(s->path, s->dir, length);
        s->path[length++] = '/';
        va_start(args, format);
        int n = vsnprintf(s->path + length, PATH_BYTES - length, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < PATH_BYTES - length) {
            return;
        }
    }
    s->path[0] = '\0';
}

/* A directory can be opened, but reading it fails with EISDIR. */
static bool source_is_dir(struct source *s) {
    return os_read_text(s->path, s->text, TEXT_BYTES) == -EISDIR;
}

/* Reads the current file without its newline. Returns false if it cannot be read. */
static bool source_text(struct source *s) {
    int length = os_read_text(s->path, s->text, TEXT_BYTES);
    if (length < 0) {
        return false;
    }
    if (length == TEXT_BYTES - 1) {
        source_wrong(s, "a short text");
        return false;
    }
    if (length > 0 && s->text[length - 1] == '\n') {
        s->text[length - 1] = '\0';
    }
    return true;
}

static bool source_list(struct source *s, struct set *set) {
    if (!source_text(s)) {
        return false;
    }
    if (!parse_list(s->text, set)) {
        source_wrong(s, "a list of numbers such as 0-3,8,10-11");
        return false;
    }
    return true;
}

/* Reads the numbers of all CPUs or nodes; kind is "cpu" or "node". */
static void read_numbers(struct source *s, const char *kind, struct set *numbers) {
    static const char *const names[] = {"possible", "present", "online"};
    for (size_t i = 0; i < RT_ARRAY_LENGTH(names); i++) {
        source_at(s, "%s/%s", kind, names[i]);
        if (source_list(s, numbers)) {
            return;
        }
    }
    memset(numbers, 0, sizeof *numbers);
    for (int n = 0; n < RT_TOPOLOGY_CPUS_MAX; n++) {
        source_at(s, "%s/%s%d", kind, kind, n);
        if (!source_is_dir(s)) {
            return;
        }
        set_add(numbers, n);
    }
}

static bool core_members(struct source *s, int cpu, struct set *members) {
    static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
    for (size_t i = 0; i < RT_ARRAY_LENGTH(names); i++) {
        source_at(s, "cpu/cpu%d/topology/%s", cpu, names[i]);
        if (source_list(s, members)) {
            return true;
        }
    }
    return false;
}

/* The level of a cache; 0 if it holds only instructions; -1 if there is no such cache. */
static int cache_level(struct source *s, int cpu, int index) {
    int level;
    source_at(s, "cpu/cpu%d/cache/index%d/level", cpu, index);
    if (!source_text(s)) {
        return -1;
    }
    const char *at = s->text;
    if (!take_number(&at, 10 /* one digit */, &level) || *at != '\0') {
        source_wrong(s, "the level of a cache");
        return 0;
    }
    source_at(s, "cpu/cpu%d/cache/index%d/type", cpu, index);
    return source_text(s) && strcmp(s->text, "Instruction") == 0 ? 0 : level;
}

static bool cache_members(struct source *s, int cpu, struct set *members) {
    int last = 0;
    int last_level = 0;
    for (int index = 0; index < CACHES_MAX; index++) {
        int level = cache_level(s, cpu, index);
        if (level < 0) {
            break;
        }
        if (level > last_level) {
            last_level = level;
            last = index;
        }
    }
    source_at(s, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, last);
    return last_level > 0 && source_list(s, members);
}

/* Puts the members that have no group yet into the group name. */
static void name_group(const struct set *members, int32_t *groups, int count, int name) {
    for (int cpu = 0; cpu < count; cpu++) {
        if (groups[cpu] == RT_TOPOLOGY_UNKNOWN && set_has(members, cpu)) {
            groups[cpu] = name;
        }
    }
}

static void read_groups(struct source *s, const struct set *cpus, int32_t *groups,
                        members_fn *read_members) {
    struct set members;
    int count = set_end(cpus);
    for (int cpu = 0; cpu < count; cpu++) {
        if (!set_has(cpus, cpu) || groups[cpu] != RT_TOPOLOGY_UNKNOWN ||
            !read_members(s, cpu, &members)) {
            continue;
        }
        if (!set_has(&members, cpu)) {
            source_wrong(s, "a list with this CPU in it");
            continue;
        }
        name_group(&members, groups, count, cpu);
    }
}

static void read_nodes(struct source *s, int32_t *groups, int count) {
    struct set nodes;
    struct set members;
    read_numbers(s, "node", &nodes);
    int end = set_end(&nodes);
    for (int node = 0; node < end; node++) {
        source_at(s, "node/node%d/cpulist", node);
        if (set_has(&nodes, node) && source_list(s, &members)) {
            name_group(&members, groups, count, node);
        }
    }
}

/* One allocation for all three levels, beginning at core. */
static int allocate(struct rt_topology *t, int count) {
    size_t groups = 3 * (size_t)count;
    t->core = rt_alloc(groups * sizeof *t->core);
    if (t->core == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < groups; i++) {
        t->core[i] = RT_TOPOLOGY_UNKNOWN;
    }
    t->cache = t->core + count;
    t->node = t->cache + count;
    t->cpus_count = count;
    return 0;
}

/* Called only for a directory that the user set. On a system without sysfs read_numbers()
   finds no CPUs, and the topology is unknown. */
static bool has_cpus(struct source *s) {
    source_at(s, "cpu");
    if (source_is_dir(s)) {
        return true;
    }
    rt_print("tuco: TUCOTOPOLOGY=\"%s\": not a directory laid out as " SYSTEM_DIR
             ": there is no cpu/ in it\n",
             s->dir);
    return false;
}

static int load(struct rt_topology *t, struct source *s) {
    struct set cpus;
    if (s->given && !has_cpus(s)) {
        return -EINVAL;
    }
    read_numbers(s, "cpu", &cpus);
    int count = set_end(&cpus);
    if (count > 0) {
        int rc = allocate(t, count);
        if (rc < 0) {
            return rc;
        }
        read_groups(s, &cpus, t->core, core_members);
        read_groups(s, &cpus, t->cache, cache_members);
        read_nodes(s, t->node, count);
    }
    return s->given && s->wrong ? -EINVAL : 0;
}

void rt_topology_free(struct rt_topology *t) {
    rt_free(t->core);
    *t = (struct rt_topology){0};
}

int rt_topology_load(struct rt_topology *t, const char *dir) {
    *t = (struct rt_topology){0};
    struct source *s = rt_alloc(sizeof *s);
    if (s == NULL) {
        return -ENOMEM;
    }
    s->given = dir[0] != '\0';
    s->dir = s->given ? dir : SYSTEM_DIR;
    int rc = load(t, s);
    rt_free(s);
    if (rc < 0) {
        rt_topology_free(t);
    }
    return rc;
}
