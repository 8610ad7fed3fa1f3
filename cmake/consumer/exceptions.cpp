// SPDX-License-Identifier: MIT
// A program in C++: exceptions are the goroutine's own, thrown, in flight and caught across
// waits that change the thread.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <tuco.h>

namespace {

constexpr int workers = 32;
constexpr int rounds = 500;
std::atomic<int> wrong;

void expect(bool holds) {
    wrong += !holds;
}

// Its destructor waits, as one that unlocks a mutex may.
struct waits_in_destructor {
    const int in_flight;

    ~waits_in_destructor() {
        expect(std::uncaught_exceptions() == in_flight);
        tuco_yield();
        expect(std::uncaught_exceptions() == in_flight);
    }
};

void throw_and_wait(int value) {
    try {
        waits_in_destructor outer{1};
        throw value;
    } catch (int caught) {
        tuco_yield();
        expect(caught == value && std::uncaught_exceptions() == 0);
        try {
            waits_in_destructor inner{1};
            throw; // the same one again, after a wait
        } catch (int again) {
            tuco_yield();
            expect(again == value);
        }
        expect(std::current_exception() != nullptr);
    }
    expect(std::current_exception() == nullptr && std::uncaught_exceptions() == 0);
}

void work(void *arg) {
    for (int i = 0; i < rounds; i++) {
        throw_and_wait(static_cast<int *>(arg)[0] + i);
    }
}

// Those that run on its thread later find nothing of its exception.
void exit_in_catch(void *) {
    try {
        throw 1;
    } catch (int) {
        tuco_exit();
    }
}

void expect_none(void *) {
    expect(std::current_exception() == nullptr && std::uncaught_exceptions() == 0);
}

int main_goroutine(void *) {
    tuco_wg wg = {};
    int numbers[workers];
    for (int i = 0; i < workers; i++) {
        numbers[i] = i * rounds;
        if (tuco_wg_go(&wg, work, &numbers[i]) != 0 ||
            tuco_wg_go(&wg, exit_in_catch, nullptr) != 0 ||
            tuco_wg_go(&wg, expect_none, nullptr) != 0) {
            return 1;
        }
    }
    tuco_wg_wait(&wg);
    return 0;
}

int run(const char *debug) {
    setenv("TUCODEBUG", debug, 1);
    const int status = tuco_run(main_goroutine, nullptr);
    if (status != 0 || wrong != 0) {
        std::fprintf(stderr, "exceptions.cpp: %s: status %d, wrong %d times\n", debug,
                     status, wrong.load());
        return 1;
    }
    return 0;
}

} // namespace

int main() {
    setenv("TUCOPROCS", "4", 1);
    return run("migrate=0") + run("migrate=1");
}
