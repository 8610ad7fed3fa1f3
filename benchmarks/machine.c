/* SPDX-License-Identifier: MIT */
/* Facts about the machine and the build, without which figures cannot be compared. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <tuco.h>

#include "commit.h" /* made at build time by commit.cmake */

/* Longer than the flags of any x86 CPU, the longest line read here. */
#define LINE_BYTES 8192
#define FACT_BYTES 256

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *s = text; *s; s++) {
        if (*s == '"' || *s == '\\') {
            fputc('\\', out);
        }
        fputc((unsigned char)*s < ' ' ? ' ' : *s, out);
    }
    fputc('"', out);
}

static void write_fact(FILE *out, const char *name, const char *value) {
    fprintf(out, ",\"%s\":", name);
    write_string(out, value[0] ? value : "unknown");
}

/* Reads the first line of a file; leaves fact unchanged if there is none. */
static void read_fact(const char *path, char fact[FACT_BYTES]) {
    FILE *file = fopen(path, "re");
    if (!file) {
        return;
    }
    char line[FACT_BYTES];
    if (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        strcpy(fact, line);
    }
    fclose(file);
}

/* Finds the first "name : value" of /proc/cpuinfo. Returns 0 if the CPU family has no
   such line. */
static int read_cpuinfo(const char *name, char value[LINE_BYTES]) {
    static const char path[] = "/proc/cpuinfo";
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    int found = 0;
    char line[LINE_BYTES];
    size_t length = strlen(name);
    while (!found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, name, length) == 0 &&
            strspn(line + length, "\t :") > 0) {
            line[strcspn(line, "\n")] = 0;
            strcpy(value, colon + 1 + strspn(colon + 1, " "));
            found = 1;
        }
    }
    fclose(file);
    return found;
}

static void cpu_model(char fact[FACT_BYTES]) {
    char value[LINE_BYTES];
    char part[LINE_BYTES];
    if (read_cpuinfo("model name", value)) {
        snprintf(fact, FACT_BYTES, "%.200s", value);
    } else if (read_cpuinfo("CPU implementer", value) && read_cpuinfo("CPU part", part)) {
        snprintf(fact, FACT_BYTES, "implementer %.20s part %.20s", value, part);
    }
}

/* x86 hypervisors set a CPU flag. On other processors a guest may carry a mark, but its
   absence proves nothing. */
static const char *virtualised(void) {
    char value[LINE_BYTES];
    if (read_cpuinfo("flags", value)) {
        return strstr(value, " hypervisor") ? "yes" : "no";
    }
    if (access("/proc/device-tree/hypervisor", F_OK) == 0 ||
        access("/sys/hypervisor/type", F_OK) == 0) {
        return "yes";
    }
    return "unknown";
}

/* The kernel lists all modes and brackets the active one. */
static void huge_pages(char fact[FACT_BYTES]) {
    char line[FACT_BYTES] = "";
    read_fact("/sys/kernel/mm/transparent_hugepage/enabled", line);
    char *mode = strchr(line, '[');
    if (mode) {
        mode[strcspn(mode, "]")] = 0;
        strcpy(fact, mode + 1);
    }
}

static void write_cpu(FILE *out) {
    char model[FACT_BYTES] = "";
    cpu_model(model);
    fprintf(out, "\"cpu\":");
    write_string(out, model[0] ? model : "unknown");
    fprintf(out, ",\"cpus_usable\":%d,\"cpus_online\":%ld", tuco_cpus(),
            sysconf(_SC_NPROCESSORS_ONLN));
    char governor[FACT_BYTES] = "none";
    read_fact("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
    write_fact(out, "governor", governor);
    write_fact(out, "virtualised", virtualised());
}

static void write_system(FILE *out) {
    struct utsname name;
    if (uname(&name) == 0) {
        write_fact(out, "kernel", name.release);
        write_fact(out, "arch", name.machine);
    }
    char thp[FACT_BYTES] = "";
    huge_pages(thp);
    write_fact(out, "thp", thp);
    double load;
    if (getloadavg(&load, 1) == 1) {
        fprintf(out, ",\"load_1min\":%.2f", load);
    }
    char date[FACT_BYTES] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    write_fact(out, "date", date);
}

void bench_machine_json(FILE *out) {
    fputc('{', out);
    write_cpu(out);
    write_system(out);
    write_fact(out, "compiler", BENCH_COMPILER);
    write_fact(out, "build", BENCH_BUILD_TYPE);
    write_fact(out, "commit", BENCH_COMMIT);
    fputc('}', out);
}
