/* SPDX-License-Identifier: MIT */
/* described.c: a directory with files that describe a machine or a system to a test. */
#include "described.h"
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char described_root[64];

/* Only the process that made it removes it, not the children that it forks. */
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void described_remove(void) {
    nftw(described_root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_by_owner(void) {
    if (getpid() == owner) {
        described_remove();
    }
}

void described_make(void) {
    snprintf(described_root, sizeof(described_root), "/tmp/tuco-test-XXXXXX");
    ASSERT(mkdtemp(described_root) != NULL);
    owner = getpid();
    atexit(remove_by_owner);
}

void described_make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ASSERT(mkdir(path, 0777) == 0 || errno == EEXIST);
        *slash = '/';
    }
}
