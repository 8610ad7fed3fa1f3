# SPDX-License-Identifier: MIT
# The simulation: the scheduler's sources on a simulated machine, and its mutants.
#
# tests/sim/include stands before src, so that the sources get the simulated atomics. A
# mutant is the same program with a source changed by a script in tests/sim/mutants, or two
# that keep one rule together; one of so many runs has to fail. docs/design/simulation.md

set(sim_dir ${PROJECT_SOURCE_DIR}/tests/sim)
set(sim_runs 500)         # of each scenario, with seeds from 1 on
set(sim_mutant_runs 3000)  # of each mutant, at most
set(sim_litmus_runs 1000)

# Searched with at most so many deviations, as far as a few seconds reach.
set(sim_searches storm:2 left:2 reuse:1 tree:1 yield:1 compute:1 hog:1 crowd:1 given_up:1
    ping_pong:1 gate:1 shared:1 foreign:1 foreign_wait:1 foreign_last:1 foreign_deadlock:2
    restart:1 stop:1 deadlock:1 main_exits:1 fd_ready:1 fd_close:1 fd_reuse:1)
set(sim_litmus_bound 3)

# The kernel and the allocator are those of tests/sim, which has a way to the real memory
# and to the real pool of descriptors.
set(sim_runtime_sources ${tuco_sources})
list(FILTER sim_runtime_sources EXCLUDE
    REGEX "/src/os/|/src/base/alloc\\.c$|/src/mem/gpool\\.c$|/src/net/")
# Of descriptors, what waits for them; not what only asks the kernel, for names say.
foreach(part fd io lane polldesc)
    list(APPEND sim_runtime_sources ${PROJECT_SOURCE_DIR}/src/net/${part}.c)
endforeach()
file(GLOB sim_own_sources CONFIGURE_DEPENDS ${sim_dir}/*.c ${sim_dir}/scenarios/*.c)
file(GLOB sim_scenario_sources CONFIGURE_DEPENDS ${sim_dir}/scenarios/*.c)
file(GLOB sim_mutants CONFIGURE_DEPENDS ${sim_dir}/mutants/*.sed)

# What a target of the simulation is compiled with; an overlay comes before all others.
function(sim_set_up target)
    target_include_directories(${target} PRIVATE ${ARGN}
        ${sim_dir}/include ${sim_dir} ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE tuco_flags ${CMAKE_DL_LIBS})
    target_compile_definitions(${target} PRIVATE RT_CHECKS=1)
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/sim
        ENABLE_EXPORTS ON)
endfunction()

# Adds the entry that runs a program of the simulation with these arguments.
function(sim_add_entry name target)
    add_test(NAME ${name} COMMAND ${target} ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${test_timeout_seconds} LABELS sim)
endfunction()

# Makes the file of src that a script changes, below overlay.
function(sim_change file script overlay)
    set(original ${PROJECT_SOURCE_DIR}/src/${file})
    set(changed ${overlay}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${original})

    cmake_path(GET changed PARENT_PATH changed_dir)
    file(MAKE_DIRECTORY ${changed_dir})
    execute_process(COMMAND sed -f ${script} ${original} OUTPUT_FILE ${changed}.new
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND cmp -s ${original} ${changed}.new RESULT_VARIABLE differs)
    if(differs EQUAL 0)
        message(FATAL_ERROR "${script} changes nothing in src/${file} any more")
    endif()
    file(COPY_FILE ${changed}.new ${changed} ONLY_IF_DIFFERENT)
endfunction()

# Makes the changed sources of one mutant, its program and its entry.
function(sim_add_mutant script)
    cmake_path(GET script STEM name)
    file(STRINGS ${script} files REGEX "^# file: ")
    file(STRINGS ${script} scenario_line REGEX "^# scenario: ")
    list(TRANSFORM files REPLACE "^# file: " "")
    string(REPLACE "# scenario: " "" scenario "${scenario_line}")
    set(overlay ${PROJECT_BINARY_DIR}/sim-mutants/${name})

    # Sources are compiled in the place of the originals; a header, which is the only file
    # of its script, changes all.
    set(changed)
    set(parts "$<TARGET_OBJECTS:sim_parts>")
    foreach(file ${files})
        sim_change(${file} ${script} ${overlay})
        if(${PROJECT_SOURCE_DIR}/src/${file} IN_LIST sim_runtime_sources)
            string(REPLACE "." "\\." pattern "${file}")
            set(parts "$<FILTER:${parts},EXCLUDE,/src/${pattern}\\.o$>")
            list(APPEND changed ${overlay}/${file})
        else()
            set(parts ${sim_runtime_sources} ${sim_own_sources})
        endif()
    endforeach()
    add_executable(sim.${name} ${changed} ${parts})
    sim_set_up(sim.${name} ${overlay})
    # A broken rule may leave a variable unused.
    target_compile_options(sim.${name} PRIVATE -w)
    add_dependencies(sim_mutants sim.${name})
    sim_add_entry(sim/mutant/${name} sim.${name} --expect-failure --scenario ${scenario}
        --runs ${sim_mutant_runs})
endfunction()

# A litmus test passes under the memory models before the one that it names.
function(sim_add_litmus name fails_from)
    set(expected)
    foreach(memory sc tso weak)
        if(memory STREQUAL fails_from)
            set(expected --expect-failure)
        endif()
        sim_add_entry(sim/litmus/${name}@${memory} sim --scenario ${name}
            --memory ${memory} --runs ${sim_litmus_runs} ${expected})
        if(NOT name MATCHES "signal")   # which arrive by chance
            sim_add_entry(sim/search/${name}@${memory} sim --scenario ${name}
                --memory ${memory} --strategy all --bound ${sim_litmus_bound} ${expected})
        endif()
    endforeach()
endfunction()

# A sanitizer would have to be told of every switch, and an emulator is slow; the invariant
# checks are on in any build.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
    add_library(sim_parts OBJECT ${sim_runtime_sources} ${sim_own_sources})
    sim_set_up(sim_parts)
    add_executable(sim $<TARGET_OBJECTS:sim_parts>)
    sim_set_up(sim)
    foreach(source ${sim_scenario_sources})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} lines REGEX "^SIM_(SCENARIO|LITMUS)\\(")
        foreach(line ${lines})
            if(line MATCHES "^SIM_SCENARIO.([a-z_]+),")
                sim_add_entry(sim/${CMAKE_MATCH_1} sim
                    --scenario ${CMAKE_MATCH_1} --runs ${sim_runs})
            elseif(line MATCHES "^SIM_LITMUS.([a-z_]+), ([a-z]+),")
                sim_add_litmus(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
            endif()
        endforeach()
    endforeach()
    foreach(search ${sim_searches})
        string(REPLACE ":" ";" search ${search})
        list(GET search 0 scenario)
        list(GET search 1 bound)
        foreach(memory sc tso)
            sim_add_entry(sim/search/${scenario}@${memory} sim --scenario ${scenario}
                --strategy all --bound ${bound} --memory ${memory})
        endforeach()
    endforeach()
    add_custom_target(sim_mutants)
    foreach(script ${sim_mutants})
        sim_add_mutant(${script})
    endforeach()
endif()
