/* SPDX-License-Identifier: MIT */
/* Reads the options of options.def and reports bad values. */
#include "config.h"
#include "base/bits.h"
#include "base/die.h"
#include "cpu/cpu.h"
#include "os/os.h"
#include "sched/p.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define STACK_BYTES_MIN ((size_t)1 << RT_STACK_MIN_LOG2)
#define STACK_BYTES_MAX ((size_t)1 << RT_STACK_MAX_LOG2)

/* The texts in options.def contain these numbers. */
_Static_assert(RT_PROCS_MAX == 1024, "see TUCOPROCS in options.def");
_Static_assert(RT_STACK_MIN_LOG2 == 14 && RT_STACK_MAX_LOG2 == 36,
               "see TUCOSTACK in options.def");

/* See preemptmax in options.def. */
#define PREEMPT_MAX 10000

/* Longer values are truncated, so that a message fits the line of rt_print(). */
#define SHOWN_BYTES 200

/* A part of an environment variable: not terminated, read-only. */
struct text {
    const char *start;
    size_t length;
};

/* Stores a value in its field. Returns false if the value is not acceptable. */
typedef bool set_fn(struct rt_config *c, struct text value);

struct option {
    const char *name;
    set_fn *set;
    const char *accepted;
};

/* NOLINTBEGIN(bugprone-macro-parentheses): a string in parentheses initialises no array */
static const struct rt_config defaults = {
#define RT_OPTION_FIELD(field, value, meaning)                 .field = value,
#define RT_OPTION(variable, field, value, accepted, meaning)   .field = value,
#define RT_OPTION_DEBUG(key, member, value, accepted, meaning) .debug.member = value,
#include "options.def"
};
/* NOLINTEND(bugprone-macro-parentheses) */

/* Accepts digits only. Returns false if the number is above max. */
static bool parse_number(struct text t, uint64_t max, uint64_t *number) {
    uint64_t n = 0;
    for (size_t i = 0; i < t.length; i++) {
        unsigned digit = (unsigned char)t.start[i] - (unsigned)'0';
        if (digit > 9 || digit > max || n > (max - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    *number = n;
    return t.length > 0;
}

/* The binary exponent of a suffix; 0: c is not a suffix. */
static unsigned suffix_log2(char c) {
    switch (c) {
    case 'K': return 10;
    case 'M': return 20;
    case 'G': return 30;
    default: return 0;
    }
}

static bool parse_size(struct text t, uint64_t max, uint64_t *bytes) {
    unsigned log2 = t.length > 0 ? suffix_log2(t.start[t.length - 1]) : 0;
    struct text digits = {t.start, t.length - (log2 > 0 ? 1 : 0)};
    if (!parse_number(digits, max >> log2, bytes)) {
        return false;
    }
    *bytes <<= log2;
    return true;
}

static bool text_is(struct text t, const char *word) {
    return t.length == strlen(word) && memcmp(t.start, word, t.length) == 0;
}

/* The index of t in words, or -1. */
static int parse_word(struct text t, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (text_is(t, words[i])) {
            return i;
        }
    }
    return -1;
}

static bool set_procs(struct rt_config *c, struct text value) {
    uint64_t n;
    if (!parse_number(value, RT_PROCS_MAX, &n) || n == 0) {
        return false;
    }
    c->procs = (int)n;
    return true;
}

static bool set_stack_bytes(struct rt_config *c, struct text value) {
    uint64_t n;
    if (!parse_size(value, STACK_BYTES_MAX, &n) || n < STACK_BYTES_MIN) {
        return false;
    }
    c->stack_bytes = n;
    return true;
}

static bool set_guard(struct rt_config *c, struct text value) {
    static const char *const words[] = {
        [RT_GUARD_ADVISE] = "madvise",
        [RT_GUARD_PROTECT] = "mprotect",
        [RT_GUARD_GAP] = "gap",
    };
    int guard = parse_word(value, words, RT_ARRAY_LENGTH(words));
    if (guard < 0) {
        return false;
    }
    c->guard = (enum rt_stack_guard)guard;
    c->guard_chosen = true;
    return true;
}

static bool set_path(char path[RT_CONFIG_PATH_BYTES], struct text value) {
    if (value.length >= RT_CONFIG_PATH_BYTES) {
        return false;
    }
    memcpy(path, value.start, value.length);
    path[value.length] = '\0';
    return true;
}

/* Checks only the length; rt_topology_load() checks the directory. */
static bool set_topology_dir(struct rt_config *c, struct text value) {
    return set_path(c->topology_dir, value);
}

/* Checks only the length; load_procs() checks the directory. */
static bool set_cgroup_root(struct rt_config *c, struct text value) {
    return set_path(c->cgroup_root, value);
}

static bool set_schedtrace_ms(struct rt_config *c, struct text value) {
    uint64_t n;
    if (!parse_number(value, INT_MAX, &n)) {
        return false;
    }
    c->debug.schedtrace_ms = (int)n;
    return true;
}

static bool parse_switch(struct text value, bool *on) {
    static const char *const words[] = {"0", "1"};
    int word = parse_word(value, words, RT_ARRAY_LENGTH(words));
    *on = word == 1;
    return word >= 0;
}

static bool set_deadlock(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.deadlock);
}

static bool set_migrate(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.migrate);
}

static bool set_asyncpreempt_off(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.asyncpreempt_off);
}

static bool set_mutexcheck(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.mutexcheck);
}

static bool set_stack_check(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.stack_check);
}

static bool set_crash(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.crash);
}

static bool set_container_procs(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.container_procs);
}

static bool set_update_procs(struct rt_config *c, struct text value) {
    return parse_switch(value, &c->debug.update_procs);
}

static bool set_preempt_max(struct rt_config *c, struct text value) {
    uint64_t n;
    if (!parse_number(value, PREEMPT_MAX, &n) || n == 0) {
        return false;
    }
    c->debug.preempt_max = (int)n;
    return true;
}

static bool set_plain_fence(struct rt_config *c, struct text value) {
    static const char *const words[] = {"auto", "plain"};
    int word = parse_word(value, words, RT_ARRAY_LENGTH(words));
    c->debug.plain_fence = word == 1;
    return word >= 0;
}

static const struct option variables[] = {
#define RT_OPTION(variable, field, value, text, meaning) {#variable, set_##field, text},
#include "options.def"
};

static const struct option debug_keys[] = {
#define RT_OPTION_DEBUG(key, member, value, text, meaning) {#key, set_##member, text},
#include "options.def"
};

/* Each preceded by a space. */
static const char debug_names[] =
#define RT_OPTION_DEBUG(key, member, value, text, meaning) " " #key
#include "options.def"
    ;

/* How much of a text a message shows; shown_end() is "..." if there is more. */
static int shown_length(struct text t) {
    return (int)(t.length < SHOWN_BYTES ? t.length : SHOWN_BYTES);
}

static const char *shown_end(struct text t) {
    return t.length <= SHOWN_BYTES ? "" : "...";
}

/* Returns the number of faults. where is "", or a prefix that names the variable. */
static int option_set(struct rt_config *c, const char *where, const struct option *o,
                      struct text value) {
    if (o->set(c, value)) {
        return 0;
    }
    rt_print("tuco: %s%s=\"%.*s%s\": not %s\n", where, o->name, shown_length(value),
             value.start, shown_end(value), o->accepted);
    return 1;
}

static struct text text_of(const char *string) {
    return (struct text){string, string != NULL ? strlen(string) : 0};
}

/* Splits t at the first mark: returns what is before it, leaves in *t what is after it. */
static struct text text_cut(struct text *t, char mark) {
    const char *found = memchr(t->start, mark, t->length);
    struct text head = {t->start, found != NULL ? (size_t)(found - t->start) : t->length};
    size_t taken = head.length + (found != NULL ? 1 : 0);
    t->start += taken;
    t->length -= taken;
    return head;
}

static int load_variables(struct rt_config *c) {
    int faults = 0;
    for (size_t i = 0; i < RT_ARRAY_LENGTH(variables); i++) {
        struct text value = text_of(os_env(variables[i].name));
        if (value.length > 0) {
            faults += option_set(c, "", &variables[i], value);
        }
    }
    return faults;
}

/* An unknown key is not a fault: a newer version of the library may have it. */
static int load_debug_key(struct rt_config *c, struct text key, struct text value) {
    for (size_t i = 0; i < RT_ARRAY_LENGTH(debug_keys); i++) {
        if (text_is(key, debug_keys[i].name)) {
            return option_set(c, "TUCODEBUG: ", &debug_keys[i], value);
        }
    }
    rt_print("tuco: TUCODEBUG: unknown key \"%.*s%s\" ignored; known keys:%s\n",
             shown_length(key), key.start, shown_end(key), debug_names);
    return 0;
}

/* Empty items between commas are ignored. */
static int load_debug(struct rt_config *c) {
    int faults = 0;
    struct text rest = text_of(os_env("TUCODEBUG"));
    while (rest.length > 0) {
        struct text value = text_cut(&rest, ',');
        if (value.length > 0) {
            struct text key = text_cut(&value, '=');
            faults += load_debug_key(c, key, value);
        }
    }
    return faults;
}

static void load_user(struct rt_config *c, const tuco_config *user) {
    if (user->procs != 0) {
        c->procs = user->procs;
    }
    if (user->stack_size != 0) {
        c->stack_bytes = user->stack_size;
    }
    if (user->max_threads != 0) {
        c->max_threads = user->max_threads;
    }
    if (user->slice != 0) {
        c->slice_ns = user->slice;
    }
}

/* Reads a given directory even if the number was set: tuco_procs_auto() may use it later.
   Errors of the system itself are no faults. Returns the number of faults. */
static int load_procs(struct rt_config *c) {
    c->procs_chosen = c->procs != 0;
    if (c->procs_chosen && c->cgroup_root[0] == '\0') {
        return 0;
    }
    int found =
        c->debug.container_procs ? rt_cpu_default_procs(c->cgroup_root) : rt_cpu_count();
    if (found == -EINVAL) {
        return 1;
    }
    if (!c->procs_chosen) {
        /* Unknown for now, and there is no earlier value to keep: use the CPU count. */
        c->procs = (int)rt_procs_by_default(found < 0 ? rt_cpu_count() : found);
    }
    return 0;
}

/* Returns the number of faults. */
static int check_field(const char *name, int64_t value, int64_t max, const char *text) {
    if (value >= 0 && value <= max) {
        return 0;
    }
    rt_print("tuco: tuco_config.%s = %lld: not %s\n", name, (long long)value, text);
    return 1;
}

static int check_stack_size(size_t bytes) {
    if (bytes == 0 || (bytes >= STACK_BYTES_MIN && bytes <= STACK_BYTES_MAX)) {
        return 0;
    }
    rt_print("tuco: tuco_config.stack_size = %zu: not 0 or 16384 to 68719476736\n",
             bytes);
    return 1;
}

static int check_reserved(const tuco_config *user) {
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof user->reserved / sizeof user->reserved[0]; i++) {
        all |= user->reserved[i];
    }
    if (all == 0) {
        return 0;
    }
    rt_print("tuco: tuco_config.reserved: not 0\n");
    return 1;
}

int rt_config_check(const tuco_config *user) {
    int faults = check_field("procs", user->procs, RT_PROCS_MAX, "0 to 1024");
    faults += check_stack_size(user->stack_size);
    faults += check_field("max_threads", user->max_threads, INT_MAX, "0 or more");
    faults += check_field("slice", user->slice, INT64_MAX, "0 or more");
    faults += check_reserved(user);
    return faults > 0 ? -EINVAL : 0;
}

int rt_config_load(struct rt_config *out, const tuco_config *user) {
    struct rt_config c = defaults;
    int checked = rt_config_check(user);
    load_user(&c, user);
    int faults = load_variables(&c) + load_debug(&c);
    faults += load_procs(&c); /* last: it depends on the settings above */
    if (checked < 0 || faults > 0) {
        return -EINVAL;
    }
    c.stack_bytes = (size_t)1 << rt_log2_up(c.stack_bytes);
    *out = c;
    return 0;
}
