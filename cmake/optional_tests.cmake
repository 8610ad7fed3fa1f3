# SPDX-License-Identifier: MIT
# Builds the library without anything optional, as a bare machine would: the build around
# it has what the machine has, which in CI is everything.
set(optional_dir ${PROJECT_BINARY_DIR}/without)
set(optional_dependencies "valgrind$<SEMICOLON>http-parser$<SEMICOLON>c++$<SEMICOLON>pkg-config")

add_test(NAME without/configure
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${optional_dir} --fresh
        -G ${CMAKE_GENERATOR} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
        -DTUCO_WERROR=ON -DTUCO_BENCH=OFF -DTUCO_WITHOUT=${optional_dependencies})
add_test(NAME without/build COMMAND ${CMAKE_COMMAND} --build ${optional_dir} --target tuco)
set_tests_properties(without/configure without/build PROPERTIES
    TIMEOUT ${test_timeout_seconds}
    LABELS without)
set_tests_properties(without/configure PROPERTIES FIXTURES_SETUP configured_without)
set_tests_properties(without/build PROPERTIES FIXTURES_REQUIRED configured_without)
