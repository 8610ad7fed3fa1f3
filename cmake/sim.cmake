# SPDX-License-Identifier: MIT
# The simulation: the scheduler's sources on a simulated machine, and its mutants.
#
# tests/sim/include stands before src, so that the sources get the simulated atomics. A
# mutant is the same program with a source, or two that keep one rule together, changed as
# tests/sim/mutants.def says; one of so many runs has to fail. docs/design/simulation.md

set(sim_dir ${PROJECT_SOURCE_DIR}/tests/sim)
set(sim_runs 500)         # of each scenario, with seeds from 1 on
set(sim_mutant_runs 40000) # of each mutant, at most
set(sim_litmus_runs 1000)

# Searched with at most so many deviations, as far as a few seconds reach.
set(sim_searches storm:1 left:2 reuse:1 tree:1 yield:1 compute:1 hog:1 compute_all:1 given_up:1
    ping_pong:1 gate:1 shared:1 foreign:1 foreign_wait:1 foreign_last:1 foreign_deadlock:2
    restart:1 stop:1 deadlock:1 main_exits:1 fd_ready:1 fd_close:1 fd_reuse:1)
set(sim_litmus_bound 3)

# The kernel and the allocator are those of tests/sim, which has a way to the real memory
# and to the real pool of descriptors.
set(sim_runtime_sources ${tuco_sources})
list(FILTER sim_runtime_sources EXCLUDE
    REGEX "/src/os/|/src/base/alloc\\.c$|/src/mem/gpool\\.c$|/src/net/")
# Of descriptors, what waits for them; not what only asks the kernel, for names say.
foreach(part fd io wrap)
    list(APPEND sim_runtime_sources ${PROJECT_SOURCE_DIR}/src/net/${part}.c)
endforeach()
file(GLOB sim_own_sources CONFIGURE_DEPENDS ${sim_dir}/*.c ${sim_dir}/scenarios/*.c)
file(GLOB sim_scenario_sources CONFIGURE_DEPENDS ${sim_dir}/scenarios/*.c)

# What a target of the simulation is compiled with; an overlay comes before all others.
function(sim_set_up target)
    target_include_directories(${target} PRIVATE ${ARGN}
        ${sim_dir}/include ${sim_dir} ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE tuco_flags ${CMAKE_DL_LIBS})
    target_compile_definitions(${target} PRIVATE RT_CHECKS=1 TUCO_KEEP_ERRNO)
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/sim
        ENABLE_EXPORTS ON)
endfunction()

# A run ends after a number of steps, whatever it does. The limit is for a machine that
# has twenty other things to do: the longest search takes half a minute alone.
set(sim_timeout_seconds 1200)

# Adds the entry that runs a program of the simulation with these arguments.
function(sim_add_entry name target)
    add_test(NAME ${name} COMMAND ${target} ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${sim_timeout_seconds} LABELS sim)
endfunction()

# Makes the changed sources of all mutants, in made, and sets out to a line "name scenario
# path..." for each.
function(sim_make_mutants made out)
    set(script ${PROJECT_SOURCE_DIR}/scripts/make_mutants.sh)
    set(definitions ${sim_dir}/mutants.def)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${definitions} ${script}
        ${PROJECT_SOURCE_DIR}/scripts/mutants.awk)
    execute_process(COMMAND ${script} ${definitions} ${PROJECT_SOURCE_DIR}/src ${made}
        OUTPUT_VARIABLE faults RESULT_VARIABLE failed)
    if(NOT failed EQUAL 0)
        message(FATAL_ERROR "${faults}")
    endif()
    file(STRINGS ${made}/list lines)
    set(${out} ${lines} PARENT_SCOPE)
endfunction()

# Sets out to the sources of the simulation that include the header, directly or not. Every
# include is written as a path from src/ or tests/sim on, so the name tells the file.
function(sim_find_includers header out)
    set(found ${header})
    set(sources)
    set(count 0)
    list(LENGTH found length)
    while(NOT count EQUAL length)
        set(count ${length})
        foreach(file ${sim_files})
            foreach(name ${sim_includes_of_${file}})
                if(name IN_LIST found)
                    list(APPEND found ${sim_name_of_${file}})
                    list(APPEND sources ${file})
                    break()
                endif()
            endforeach()
        endforeach()
        list(REMOVE_DUPLICATES found)
        list(LENGTH found length)
    endwhile()
    list(REMOVE_DUPLICATES sources)
    list(FILTER sources INCLUDE REGEX "\\.c$")
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Makes the program of one mutant and its entry. The changed files are copied from made
# where they differ, so that only these are compiled again.
function(sim_add_mutant made name scenario)
    set(overlay ${PROJECT_BINARY_DIR}/sim-mutants/${name})

    # Sources are compiled in the place of the originals. A header, which is the only file
    # of its mutant, changes those that include it.
    set(changed)
    set(parts "$<TARGET_OBJECTS:sim_parts>")
    foreach(file ${ARGN})
        cmake_path(GET file PARENT_PATH dir)
        file(MAKE_DIRECTORY ${overlay}/${dir})
        file(COPY_FILE ${made}/${name}/${file} ${overlay}/${file} ONLY_IF_DIFFERENT)
        set(replaced ${PROJECT_SOURCE_DIR}/src/${file})
        if(file MATCHES "\\.h$")
            sim_find_includers(${file} replaced)
            set(changed ${replaced})
        else()
            list(APPEND changed ${overlay}/${file})
        endif()
        foreach(source ${replaced})
            cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
            string(REPLACE "." "\\." pattern "${source}")
            set(parts "$<FILTER:${parts},EXCLUDE,/${pattern}\\.o$>")
        endforeach()
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
        # A store that is not seen late is seen at once: the runs under sc are among these.
        sim_add_entry(sim/search/${scenario} sim --scenario ${scenario}
            --strategy all --bound ${bound} --memory tso)
        set_tests_properties(sim/search/${scenario} PROPERTIES COST ${test_first})
    endforeach()
    # A mutant changes the sources, whatever the compiler makes of them: one has them all.
    add_custom_target(sim_mutants)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        file(GLOB_RECURSE sim_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h
            ${sim_dir}/*.h)
        set(sim_files ${sim_headers} ${sim_runtime_sources} ${sim_own_sources})
        foreach(file ${sim_files})
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
            file(STRINGS ${file} lines REGEX "^#include \"")
            list(TRANSFORM lines REPLACE "^#include \"([^\"]*)\".*" "\\1")
            set(sim_includes_of_${file} ${lines})
            string(REGEX REPLACE "^.*/(src|tests/sim/include|tests/sim)/" "" name ${file})
            set(sim_name_of_${file} ${name})
        endforeach()
        set(made ${PROJECT_BINARY_DIR}/sim-mutants.new)
        sim_make_mutants(${made} lines)
        foreach(line ${lines})
            string(REPLACE " " ";" words ${line})
            sim_add_mutant(${made} ${words})
        endforeach()
    endif()
endif()
