# SPDX-License-Identifier: MIT
# Builds and tries the library without each optional dependency, and without any, as a bare
# machine would: the build around it has what the machine has, which in CI is everything.
#
# Each step builds the library and the examples, runs the examples, and installs; what
# needs the dependency has to be left out or skipped.
set(optional_all valgrind http-parser c++ pkg-config)

# Adds the three entries without/<name>/*: the dependencies hidden are those that follow.
function(optional_add_tests name)
    set(dir ${PROJECT_BINARY_DIR}/without/${name})
    string(REPLACE ";" "$<SEMICOLON>" hidden "${ARGN}")
    add_test(NAME without/${name}/configure
        COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${dir} --fresh
            -G ${CMAKE_GENERATOR} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
            -DCMAKE_BUILD_TYPE=Release -DTUCO_WERROR=ON -DTUCO_BENCH=OFF
            -DTUCO_WITHOUT=${hidden})
    add_test(NAME without/${name}/build
        COMMAND ${CMAKE_COMMAND} --build ${dir}
            --target tuco tuco_static tuco_mutexcheck all_examples)
    add_test(NAME without/${name}/test
        COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${dir} --no-tests=error
            --output-on-failure -R "^(install|examples)/")
    set(entries without/${name}/configure without/${name}/build without/${name}/test)
    set_tests_properties(${entries} PROPERTIES
        TIMEOUT ${test_timeout_seconds}
        LABELS without)
    set_tests_properties(without/${name}/configure PROPERTIES
        FIXTURES_SETUP configured_without_${name})
    set_tests_properties(without/${name}/build PROPERTIES
        FIXTURES_REQUIRED configured_without_${name}
        FIXTURES_SETUP built_without_${name})
    set_tests_properties(without/${name}/test PROPERTIES
        FIXTURES_REQUIRED built_without_${name})
endfunction()

if(NOT TUCO_WITHOUT)
    foreach(dependency ${optional_all})
        optional_add_tests(${dependency} ${dependency})
    endforeach()
    optional_add_tests(all ${optional_all})
endif()
