// SPDX-License-Identifier: MIT
// A program in C++: errno is the goroutine's own in a function that the compiler optimises.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tuco.h>

#include <cerrno>

namespace {

constexpr int workers = 32;
constexpr int checks = 1000;
std::atomic<int> wrong;

void check_errno(void *arg) {
    const int mine = *static_cast<const int *>(arg);
    for (int i = 0; i < checks; i++) {
        errno = mine;
        tuco_yield();
        wrong += errno != mine;
    }
}

int main_goroutine(void *) {
    tuco_wg wg = {};
    int numbers[workers];
    for (int i = 0; i < workers; i++) {
        numbers[i] = i + 1;
        if (tuco_wg_go(&wg, check_errno, &numbers[i]) != 0) {
            return 1;
        }
    }
    tuco_wg_wait(&wg);
    return 0;
}

} // namespace

int main() {
    setenv("TUCODEBUG", "migrate=1", 1);
    setenv("TUCOPROCS", "4", 1);
    const int status = tuco_run(main_goroutine, nullptr);
    if (status != 0 || wrong != 0) {
        std::fprintf(stderr, "errno.cpp: status %d, errno wrong %d times\n", status,
                     wrong.load());
        return 1;
    }
    return 0;
}
