/* SPDX-License-Identifier: MIT */
/* The memory and the CPU time of a process, from /proc. */
#include "proc.h"

#include <sys/mman.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static FILE *open_or_die(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) {
        bench_die("%s: %m", path);
    }
    return file;
}

static double status_bytes(const char *path, const char *field) {
    FILE *file = open_or_die(path, "re");
    char line[256];
    size_t length = strlen(field);
    double kib = -1;
    while (kib < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, field, length) == 0 && line[length] == ':') {
            sscanf(line + length + 1, "%lf kB", &kib);
        }
    }
    fclose(file);
    if (kib < 0) {
        bench_die("%s has no %s", path, field);
    }
    return kib * 1024;
}

double bench_proc_status_bytes(const char *field) {
    return status_bytes("/proc/self/status", field);
}

double bench_proc_resident_bytes(void) {
    return bench_proc_status_bytes("VmRSS") + bench_proc_status_bytes("VmPTE");
}

double bench_proc_resident_bytes_of(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return status_bytes(path, "VmRSS") + status_bytes(path, "VmPTE");
}

void bench_proc_reset_peak(void) {
    static const char path[] = "/proc/self/clear_refs";
    FILE *file = open_or_die(path, "we");
    fputs("5", file);
    if (fclose(file) != 0) {
        bench_die("%s: %m", path);
    }
}

int bench_proc_mappings(void) {
    FILE *file = open_or_die("/proc/self/maps", "re");
    int lines = 0;
    for (int c = getc(file); c != EOF; c = getc(file)) {
        lines += c == '\n';
    }
    fclose(file);
    return lines;
}

static void add_thread(struct bench_cpu_use *use, pid_t pid, const char *tid) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)pid, tid);
    FILE *file = open_or_die(path, "re");
    uint64_t run_ns;
    uint64_t wait_ns;
    uint64_t timeslices;
    if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &run_ns, &wait_ns,
               &timeslices) != 3) {
        bench_die("%s has no three numbers", path);
    }
    fclose(file);
    use->threads++;
    use->run_ns += run_ns;
    use->timeslices += timeslices;
}

struct bench_cpu_use bench_proc_cpu_use(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (!tasks) {
        bench_die("%s: %m", path);
    }
    struct bench_cpu_use use = {0};
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        if (isdigit((unsigned char)task->d_name[0])) {
            add_thread(&use, pid, task->d_name);
        }
    }
    closedir(tasks);
    return use;
}

void bench_proc_touch_memory(void) {
    const size_t bytes = (size_t)6 << 30;
    const size_t page = 4096;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return; /* best effort */
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += page) {
        memory[i] = 1;
    }
    munmap(memory, bytes);
}
