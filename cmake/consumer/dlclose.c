/* SPDX-License-Identifier: MIT */
/* A user program that loads the library, leaves a goroutine behind in a system call, and
   unloads the library: the thread must be able to go on. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int run_fn(int (*main_fn)(void *), void *arg);
typedef int go_fn(void (*fn)(void *), void *arg);
typedef const char *version_fn(void);

static go_fn *go;
static int block[2]; /* pipes */
static int began[2];

static void be_left_behind(void *arg) {
    char byte = 1;
    (void)arg;
    if (write(began[1], &byte, 1) == 1 && read(block[0], &byte, 1) == 1) {
        /* returns into the library */
    }
}

static int main_goroutine(void *arg) {
    char byte;
    (void)arg;
    return go(be_left_behind, NULL) != 0 || read(began[0], &byte, 1) != 1;
}

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL || pipe(block) != 0 || pipe(began) != 0) {
        fprintf(stderr, "dlclose: %s\n", dlerror());
        return 1;
    }
    run_fn *run = (run_fn *)dlsym(library, "tuco_run");
    version_fn *version = (version_fn *)dlsym(library, "tuco_version");
    go = (go_fn *)dlsym(library, "tuco_go");
    if (run == NULL || go == NULL || version == NULL || run(main_goroutine, NULL) != 0) {
        fprintf(stderr, "dlclose: no run\n");
        return 1;
    }
    dlclose(library);
    if (write(block[1], "x", 1) != 1) {
        return 1;
    }
    return strlen(version()) > 0 ? 0 : 1; /* a fault, if it is not there */
}
