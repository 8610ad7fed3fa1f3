# SPDX-License-Identifier: MIT
# The simulation: the scheduler's sources on a simulated machine, and its mutants.
#
# tests/sim/include stands before src, so that the sources get the simulated atomics. A
# mutant is the same program with one source changed by a script in tests/sim/mutants; a
# few runs of the scenario that the script names have to fail. docs/design/simulation.md

set(sim_dir ${PROJECT_SOURCE_DIR}/tests/sim)
set(sim_runs 1000)           # of each scenario, with seeds from 1 on
set(sim_mutant_runs 20000)   # at most, until the mutant is found

# The kernel and the allocator are those of tests/sim.
set(sim_runtime_sources ${tuco_sources})
list(FILTER sim_runtime_sources EXCLUDE REGEX "/src/os/|/src/base/alloc\\.c$")
file(GLOB sim_sources CONFIGURE_DEPENDS ${sim_dir}/*.c)
file(GLOB sim_mutants CONFIGURE_DEPENDS ${sim_dir}/mutants/*.sed)

# Builds the program `target` of the sources; OVERLAY is a directory before all others.
function(sim_add_program target)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "OVERLAY" "SOURCES")
    add_executable(${target} ${program_SOURCES} ${sim_sources})
    target_include_directories(${target} PRIVATE ${program_OVERLAY}
        ${sim_dir}/include ${sim_dir} ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE tuco_flags ${CMAKE_DL_LIBS})
    target_compile_definitions(${target} PRIVATE RT_CHECKS=1)
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/sim
        ENABLE_EXPORTS ON)
endfunction()

# Makes the changed source and the program of one mutant, and its entry in ctest.
function(sim_add_mutant script)
    cmake_path(GET script STEM name)
    file(STRINGS ${script} file_line REGEX "^# file: ")
    file(STRINGS ${script} scenario_line REGEX "^# scenario: ")
    string(REPLACE "# file: " "" file "${file_line}")
    string(REPLACE "# scenario: " "" scenario "${scenario_line}")
    set(original ${PROJECT_SOURCE_DIR}/src/${file})
    set(overlay ${PROJECT_BINARY_DIR}/sim-mutants/${name})
    set(changed ${overlay}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${original})

    cmake_path(GET changed PARENT_PATH changed_dir)
    file(MAKE_DIRECTORY ${changed_dir})
    execute_process(COMMAND sed -f ${script} ${original} OUTPUT_FILE ${changed}
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND cmp -s ${original} ${changed} RESULT_VARIABLE differs)
    if(differs EQUAL 0)
        message(FATAL_ERROR "${script} changes nothing in src/${file} any more")
    endif()

    set(sources ${sim_runtime_sources})
    if(file MATCHES "\\.c$")
        list(REMOVE_ITEM sources ${original})
        list(APPEND sources ${changed})
    endif()
    sim_add_program(sim.${name} SOURCES ${sources} OVERLAY ${overlay})
    set_target_properties(sim.${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(sim_mutants sim.${name})
    add_test(NAME sim/mutant/${name}
        COMMAND sim.${name} --expect-failure --scenario ${scenario}
            --runs ${sim_mutant_runs})
    set_tests_properties(sim/mutant/${name} PROPERTIES
        TIMEOUT ${test_timeout_seconds} LABELS "sim;mutant"
        FIXTURES_REQUIRED sim_mutants)
endfunction()

# A sanitizer would have to be told of every switch, and an emulator is slow; the invariant
# checks are on in any build.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
    sim_add_program(sim SOURCES ${sim_runtime_sources})
    file(STRINGS ${sim_dir}/scenarios.def scenario_lines REGEX "^SIM_SCENARIO")
    foreach(line ${scenario_lines})
        string(REGEX REPLACE "^SIM_SCENARIO.([a-z_]+),.*" "\\1" scenario "${line}")
        foreach(memory tso weak)
            add_test(NAME sim/${scenario}@${memory}
                COMMAND sim --scenario ${scenario} --runs ${sim_runs} --memory ${memory})
            set_tests_properties(sim/${scenario}@${memory} PROPERTIES
                TIMEOUT ${test_timeout_seconds} LABELS sim)
        endforeach()
    endforeach()

endif()

# Every mutant is a build of its own, so they are asked for: -DTUCO_SIM_MUTANTS=ON, and then
# ctest -L mutant.
option(TUCO_SIM_MUTANTS "Build and test the mutants of tests/sim" OFF)
if(TUCO_SIM_MUTANTS)
    add_custom_target(sim_mutants)
    add_test(NAME sim/build-mutants
        COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target sim_mutants)
    set_tests_properties(sim/build-mutants PROPERTIES
        LABELS "sim;mutant" FIXTURES_SETUP sim_mutants)
    foreach(script ${sim_mutants})
        sim_add_mutant(${script})
    endforeach()
endif()
