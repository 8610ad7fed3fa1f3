# SPDX-License-Identifier: MIT
# The examples: each is built as a user would build it, and its output is compared.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)

add_custom_target(all_examples)
foreach(source ${example_sources})
    cmake_path(GET source STEM example)
    set(expected ${PROJECT_SOURCE_DIR}/examples/${example}.expected)
    if(NOT EXISTS ${expected})
        message(FATAL_ERROR "examples/${example}.c has no examples/${example}.expected")
    endif()
    add_executable(${example} ${source})
    add_dependencies(all_examples ${example})
    target_link_libraries(${example} PRIVATE tuco::tuco tuco_flags Threads::Threads)
    set_target_properties(${example} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
        ENABLE_EXPORTS ON)      # so that tracebacks can name the functions of the example

    # ThreadSanitizer follows 8128 goroutines at most: the tree has more.
    if(example STREQUAL "03-spawn-tree" AND TUCO_SANITIZE STREQUAL "thread")
        continue()
    endif()
    if(TUCO_TESTS AND NOT CMAKE_CROSSCOMPILING)
        add_test(NAME examples/${example}
            COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/check_output.sh ${expected}
                ${test_launcher} $<TARGET_FILE:${example}>)
        set_tests_properties(examples/${example} PROPERTIES
            TIMEOUT ${test_timeout_seconds}
            LABELS example
            ENVIRONMENT "${test_environment}")
    endif()
endforeach()

# The runtime gives back everything it took: not even reachable memory is left at exit. And
# valgrind has nothing to warn of: a user looks for warnings about the program.
find_program(TUCO_VALGRIND NAMES valgrind)
if(TUCO_TESTS AND NOT CMAKE_CROSSCOMPILING AND NOT TUCO_SANITIZE
        AND CMAKE_BUILD_TYPE STREQUAL "Release")
    if(TUCO_VALGRIND AND RT_HAVE_VALGRIND)
        add_executable(leak.locked_memory tests/leak/locked_memory.c)
        target_link_libraries(leak.locked_memory PRIVATE tuco::tuco tuco_flags)
        foreach(program 01-hello 02-foreign-threads 07-blocking-calls 08-echo
                leak.locked_memory)
            string(REPLACE "leak." "" name ${program})
            add_test(NAME leak/${name}
                COMMAND ${TUCO_VALGRIND} --error-exitcode=9 --leak-check=full
                    --errors-for-leak-kinds=definite,indirect,possible,reachable
                    --show-leak-kinds=all $<TARGET_FILE:${program}>)
            set_tests_properties(leak/${name} PROPERTIES
                TIMEOUT ${test_timeout_seconds}
                SKIP_RETURN_CODE 77
                FAIL_REGULAR_EXPRESSION "WARNING: unhandled;Warning: "
                LABELS leak)
        endforeach()
    else()
        message(STATUS "valgrind or its header is absent: no leak tests")
    endif()
endif()

include(cmake/servers.cmake)
