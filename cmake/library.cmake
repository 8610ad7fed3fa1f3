# SPDX-License-Identifier: MIT
# The library: tuco is shared, tuco_static is the archive, both made of the same objects.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

file(GLOB tuco_sources CONFIGURE_DEPENDS
    src/*.c
    src/base/*.c src/os/*.c src/cpu/*.c src/mem/*.c src/debug/*.c
    src/sched/*.c src/sched/thread/*.c src/sched/syscall/*.c src/sched/sysmon/*.c
    src/sched/netpoll/*.c
    src/chan/*.c src/sync/*.c src/time/*.c src/ctx/*.c src/net/*.c
    src/arch/*.c src/arch/${TUCO_ARCH}/*.c src/arch/${TUCO_ARCH}/*.S)

# How the library itself is compiled, in each of its variants.
function(tuco_set_up_objects target)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
    target_include_directories(${target} PUBLIC include PRIVATE src)
    target_link_libraries(${target} PRIVATE tuco_flags Threads::Threads)
    # The library knows where it switches, and keeps no address of errno across that.
    target_compile_definitions(${target} PRIVATE TUCO_KEEP_ERRNO)
    target_compile_options(${target} PRIVATE
        # Tracebacks of reports leave out what is in these bounds.
        "$<$<COMPILE_LANGUAGE:C>:SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/text.h>"
        # One instruction instead of a call that could allocate, also in a signal handler.
        -ftls-model=initial-exec
        # The library means its own functions when it calls them.
        -fno-semantic-interposition)
endfunction()

# The runtime as ThreadSanitizer is to see it in a program that it watches: not at all, but
# for what src/base/race.h reports.
function(tuco_hide_from_tsan target)
    target_compile_options(${target} PRIVATE -fno-sanitize=thread
        $<$<COMPILE_LANGUAGE:C>:-include${PROJECT_SOURCE_DIR}/src/base/race_copy.h>)
    target_compile_definitions(${target} PRIVATE RT_RACE=1)
endfunction()

# Makes the shared library `shared` and the archive `archive` of the objects, both of the
# name lib<output>. sanitized: a sanitizer's runtime comes with the program, so that the
# library alone lacks names.
function(tuco_add_libraries shared archive output objects sanitized)
    add_library(${shared} SHARED)
    set_target_properties(${shared} PROPERTIES
        OUTPUT_NAME ${output}
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}
        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/tuco.map)
    target_link_options(${shared} PRIVATE
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/tuco.map
        -Wl,-Bsymbolic-functions
        # Lazy binding would run the dynamic linker on goroutine stacks and in handlers.
        -Wl,-z,relro -Wl,-z,now
        # A thread with a goroutine that tuco_run() left behind may run here after dlclose().
        -Wl,-z,nodelete
        $<$<NOT:$<BOOL:${sanitized}>>:-Wl,-z,defs>)
    add_library(${archive} STATIC)
    set_target_properties(${archive} PROPERTIES OUTPUT_NAME ${output})
    foreach(library ${shared} ${archive})
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
        target_include_directories(${library} PUBLIC
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        # Programs run on the same stacks as the library.
        target_compile_options(${library} INTERFACE
            "$<$<COMPILE_LANGUAGE:C,CXX>:${tuco_frame_flags}>")
        target_link_libraries(${library} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
        add_library(tuco::${library} ALIAS ${library})
    endforeach()
endfunction()

add_library(tuco_objects OBJECT ${tuco_sources})
tuco_set_up_objects(tuco_objects)
if(TUCO_SANITIZE STREQUAL "thread" AND NOT TUCO_SANITIZE_RUNTIME)
    tuco_hide_from_tsan(tuco_objects)
endif()
tuco_add_libraries(tuco tuco_static tuco tuco_objects "${TUCO_SANITIZE}")

# For programs that are compiled with a sanitizer: docs/sanitizers.md.
set(tuco_variants)
if(TUCO_VARIANTS)
    if(TUCO_SANITIZE)
        message(FATAL_ERROR "TUCO_VARIANTS are of a build without TUCO_SANITIZE")
    endif()
    set(tuco_variants asan tsan)
    set(variant_asan address)
    set(variant_tsan thread)
endif()
foreach(variant ${tuco_variants})
    set(sanitizer -fsanitize=${variant_${variant}})
    add_library(tuco_${variant}_objects OBJECT ${tuco_sources})
    tuco_set_up_objects(tuco_${variant}_objects)
    if(variant STREQUAL "tsan")
        tuco_hide_from_tsan(tuco_tsan_objects)
    else()
        target_compile_options(tuco_${variant}_objects PRIVATE ${sanitizer})
    endif()
    tuco_add_libraries(tuco_${variant} tuco_${variant}_static tuco-${variant}
        tuco_${variant}_objects ON)
    foreach(library tuco_${variant} tuco_${variant}_static)
        target_compile_options(${library} INTERFACE ${sanitizer})
        target_link_options(${library} INTERFACE ${sanitizer})
    endforeach()
endforeach()

# For TUCODEBUG=mutexcheck=1: a program loads or links it only for that.
add_library(tuco_mutexcheck SHARED tools/mutexcheck.c)
set_target_properties(tuco_mutexcheck PROPERTIES
    OUTPUT_NAME tuco-mutexcheck C_VISIBILITY_PRESET hidden)
target_link_libraries(tuco_mutexcheck PRIVATE tuco_flags ${CMAKE_DL_LIBS})
