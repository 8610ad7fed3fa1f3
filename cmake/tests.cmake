# SPDX-License-Identifier: MIT
# Every source under tests/ becomes a program and one or more entries of ctest.
#
# A source can say, each on a line of its own, where it does not apply:
#     /* fixed procs */    it chooses its number of processors itself: one entry only
#     /* serial */         it measures time or load: nothing else runs beside it
#     /* slow */           it takes seconds: not in ubsan, nor with faults in it
#     /* not under X */    left out of the build X: asan, ubsan, tsan, race, clang or qemu; what is
#                          left out of tsan is left out of race
#     /* without stack clash protection */    its large frames are not probed

# A test that hangs is ended by its own deadline, which counts progress (support/watchdog.c).
# This one is for what has none, and three times the most that a test may take by that one.
set(test_timeout_seconds 1800)
set(test_first 1000)    # the cost of an entry that takes a minute: it is run before others
set(stress_seconds 2)
set(skip_status 77)     # what a test program ends with if none of its tests applied

# What this build calls itself in a "not under" line, and what its sanitizer is asked for.
if(CMAKE_CROSSCOMPILING)
    set(test_variant qemu)
elseif(TUCO_SANITIZE STREQUAL "address")
    set(test_variant asan)
    set(test_environment "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1")
elseif(TUCO_SANITIZE STREQUAL "undefined")
    set(test_variant ubsan)
    set(test_environment "UBSAN_OPTIONS=print_stacktrace=1")
elseif(TUCO_SANITIZE STREQUAL "thread")
    set(test_variant tsan)
    if(NOT TUCO_SANITIZE_RUNTIME)
        list(APPEND test_variant race)
    endif()
    set(test_environment "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(test_variant clang)
endif()

# ThreadSanitizer expects programs and libraries at certain addresses and refuses to start
# when the kernel places them with more than 28 random bits. Then they run without any.
if((TUCO_SANITIZE STREQUAL "thread" OR TUCO_VARIANTS)
        AND EXISTS /proc/sys/vm/mmap_rnd_bits)
    file(READ /proc/sys/vm/mmap_rnd_bits random_bits)
    if(random_bits GREATER 28)
        execute_process(COMMAND setarch -R true RESULT_VARIABLE setarch_status
            OUTPUT_QUIET ERROR_QUIET)
        if(setarch_status EQUAL 0)
            set(tsan_launcher "setarch -R")
            if(TUCO_SANITIZE STREQUAL "thread")
                set(test_launcher setarch -R)
            endif()
        else()
            message(WARNING
                "vm.mmap_rnd_bits is above 28 and setarch -R does not work here: "
                "programs with ThreadSanitizer may refuse to start")
        endif()
    endif()
endif()

# Sets out to whether the source has the line /* text */.
function(test_has_mark source text out)
    file(STRINGS ${source} lines REGEX "^[ \t]*/\\* ${text} \\*/[ \t]*$")
    if(lines)
        set(${out} TRUE PARENT_SCOPE)
    else()
        set(${out} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Adds the entry `name` that runs the program `target`. PROCS is the value of TUCOPROCS;
# SERIAL keeps other entries from running meanwhile.
function(test_add_entry name target)
    cmake_parse_arguments(PARSE_ARGV 2 entry "SERIAL" "PROCS" "LABELS;ARGUMENTS")
    if(test_launcher)
        add_test(NAME ${name}
            COMMAND ${test_launcher} $<TARGET_FILE:${target}> ${entry_ARGUMENTS})
    else()
        add_test(NAME ${name} COMMAND ${target} ${entry_ARGUMENTS})
    endif()
    set(environment ${test_environment})
    if(entry_PROCS)
        list(APPEND environment "TUCOPROCS=${entry_PROCS}")
    endif()
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${test_timeout_seconds}
        SKIP_RETURN_CODE ${skip_status}
        LABELS "${entry_LABELS}"
        ENVIRONMENT "${environment}"
        RUN_SERIAL "${entry_SERIAL}")
endfunction()

# The behaviours of src/net and src/sched/netpoll. A goroutine waits for a descriptor in
# another way with each number of processors: these run with more of them.
set(net_folders address dial fd fdwait io listen lookup netpoll polldesc resolve wrap)
list(TRANSFORM net_folders PREPEND behaviour/)

# Sets out to the numbers of processors that the behaviours of a folder run with besides the
# usual one.
function(test_choose_procs folder out)
    if(TUCO_SANITIZE STREQUAL "undefined")
        set(procs)              # what it looks for does not depend on it
    elseif(folder IN_LIST net_folders AND TUCO_SANITIZE STREQUAL "thread")
        set(procs 1 2 4)
    elseif(folder IN_LIST net_folders OR NOT TUCO_SANITIZE)
        set(procs 1 4)
    else()
        set(procs 4)
    endif()
    set(${out} ${procs} PARENT_SCOPE)
endfunction()

# Builds one source and registers it according to its kind and its marks.
function(test_add_source source kind)
    # The marks are read now, so a change of the source has to bring us back here.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    foreach(variant ${test_variant})
        test_has_mark(${source} "not under ${variant}" excluded)
        if(excluded)
            return()
        endif()
    endforeach()

    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests
        OUTPUT_VARIABLE name)
    cmake_path(REMOVE_EXTENSION name LAST_ONLY)
    cmake_path(GET name PARENT_PATH folder)
    cmake_path(GET name FILENAME program)
    string(REPLACE "/" "." target ${name})

    test_has_mark(${source} "without stack clash protection" unprobed)
    if(unprobed)
        set_source_files_properties(${source} PROPERTIES
            COMPILE_OPTIONS -fno-stack-clash-protection)
    endif()
    add_executable(${target} ${source})
    if(folder STREQUAL "behaviour/mutexcheck")
        target_link_libraries(${target} PRIVATE tuco_mutexcheck) # as if preloaded
    endif()
    target_link_libraries(${target} PRIVATE test_support tuco_flags)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${program}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder}
        ENABLE_EXPORTS ON)      # so that tracebacks can name the functions of the test

    # Like ubsan, but for the sanitizer: that has the invariant checks as well.
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND kind MATCHES "behaviour|stress")
        return()
    endif()

    if(kind STREQUAL "stress")
        foreach(procs 1 4 64)
            test_add_entry(${name}@${procs} ${target} SERIAL LABELS stress PROCS ${procs}
                ARGUMENTS --seconds ${stress_seconds})
        endforeach()
        return()
    endif()

    if(kind STREQUAL "fuzz")
        # The least number of inputs, and always the same ones.
        test_add_entry(${name} ${target} LABELS fuzz ARGUMENTS --seconds 0 --seed 1)
        return()
    endif()

    test_has_mark(${source} "serial" serial)
    if(serial)
        set(serial SERIAL)
        set(serial_label serial)
    else()
        set(serial)
        set(serial_label)
    endif()
    test_has_mark(${source} "slow" slow)
    if(slow AND TUCO_SANITIZE STREQUAL "undefined")
        return()
    endif()
    if(kind STREQUAL "behaviour" AND NOT serial AND NOT slow)
        cmake_path(GET folder FILENAME noun)
        set_property(GLOBAL APPEND PROPERTY sweep_nouns ${noun})
        set_property(GLOBAL APPEND PROPERTY sweep_of_${noun} $<TARGET_FILE:${target}>)
    endif()
    test_has_mark(${source} "fixed procs" fixed)
    set(by_procs)
    if(kind STREQUAL "behaviour" AND NOT fixed AND NOT CMAKE_CROSSCOMPILING)
        test_choose_procs(${folder} by_procs)
    endif()
    # ThreadSanitizer makes every process slow to start: the usual number is left out.
    if(NOT (by_procs AND TUCO_SANITIZE STREQUAL "thread"))
        test_add_entry(${name} ${target} ${serial} LABELS ${kind} ${serial_label})
    endif()
    foreach(procs ${by_procs})
        test_add_entry(${name}@${procs} ${target} ${serial} PROCS ${procs}
            LABELS ${kind} procs ${serial_label})
    endforeach()
endfunction()

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
if(support_sources)
    add_library(test_support STATIC ${support_sources})
    target_link_libraries(test_support PRIVATE tuco_flags)
    set(support_scope PUBLIC)
else()
    add_library(test_support INTERFACE)
    set(support_scope INTERFACE)
endif()
target_include_directories(test_support ${support_scope} tests/support src)
target_link_libraries(test_support ${support_scope} tuco_static Threads::Threads)

# An emulator is slow and knows no faults, no load and no debugger worth testing.
set(kinds unit behaviour)
if(NOT CMAKE_CROSSCOMPILING)
    list(APPEND kinds misuse fault regress stress fuzz)
endif()
set(glob_unit tests/unit/*_test.c)
set(glob_behaviour tests/behaviour/*/*.c)
foreach(kind misuse fault regress stress fuzz)
    set(glob_${kind} tests/${kind}/*.c)
endforeach()
foreach(kind ${kinds})
    file(GLOB sources CONFIGURE_DEPENDS ${glob_${kind}})
    foreach(source ${sources})
        test_add_source(${source} ${kind})
    endforeach()
endforeach()

# The behaviours again with faults in them, some programs of a folder at a time: in the build
# that sees what is not given back. A program that measures time or load is left out, because
# another one runs beside it, and one that takes seconds. The order is always the same; sweep.sh
# without SWEEP_SEED draws another.
if(TUCO_SANITIZE STREQUAL "address" AND NOT CMAKE_CROSSCOMPILING)
    set(sweep_milliseconds 150)
    set(sweep_programs 12)
    # The sanitizer does not do without the bounds of stacks.
    set(sweep_environment ${test_environment} SWEEP_SEED=1 SWEEP_WITHOUT=THREAD_STACK)
    get_property(nouns GLOBAL PROPERTY sweep_nouns)
    list(REMOVE_DUPLICATES nouns)
    foreach(noun ${nouns})
        get_property(all GLOBAL PROPERTY sweep_of_${noun})
        list(LENGTH all count)
        set(part 1)
        set(begin 0)
        while(begin LESS count)
            list(SUBLIST all ${begin} ${sweep_programs} programs)
            set(name fault/sweep/${noun})
            if(count GREATER sweep_programs)
                string(APPEND name -${part})
            endif()
            add_test(NAME ${name}
                COMMAND ${PROJECT_SOURCE_DIR}/tests/fault/sweep.sh ${sweep_milliseconds}
                    ${programs})
            set_tests_properties(${name} PROPERTIES
                TIMEOUT ${test_timeout_seconds} LABELS "fault;sweep" COST ${test_first}
                ENVIRONMENT "${sweep_environment}")
            math(EXPR part "${part} + 1")
            math(EXPR begin "${begin} + ${sweep_programs}")
        endwhile()
    endforeach()
endif()

if(TUCO_INSTALL AND NOT CMAKE_CROSSCOMPILING AND NOT TUCO_SANITIZE
        AND CMAKE_BUILD_TYPE STREQUAL "Release")
    include(cmake/install_tests.cmake)
    include(cmake/optional_tests.cmake)
endif()
