# SPDX-License-Identifier: MIT
# How everything in this build is compiled: the target tuco_flags, and the sanitizer.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# No link-time optimisation: the compiler would see through the accessors that keep the
# address of a thread-local variable from being cached across a switch of stacks.
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

# For all directories below: code with and code without a sanitizer do not mix.
if(TUCO_SANITIZE)
    if(NOT TUCO_SANITIZE MATCHES "^(address|undefined|thread)$")
        message(FATAL_ERROR
            "TUCO_SANITIZE is address, undefined or thread, not ${TUCO_SANITIZE}")
    endif()
    add_compile_options(-fsanitize=${TUCO_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${TUCO_SANITIZE})
    # gcc warns at each fence that ThreadSanitizer does not see it. To the tool that is one
    # order less between two accesses: it may report too much for it, never too little.
    if(TUCO_SANITIZE STREQUAL "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-tsan)
    endif()
endif()

# Large frames are touched page by page, so that none steps over the guard of its stack. gcc
# assumes a guard of 64 KiB on aarch64; ours has one page.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fstack-clash-protection TUCO_HAVE_STACK_CLASH_PROTECTION)
set(tuco_frame_flags)
if(TUCO_HAVE_STACK_CLASH_PROTECTION)
    list(APPEND tuco_frame_flags -fstack-clash-protection)
    if(TUCO_ARCH STREQUAL "aarch64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND tuco_frame_flags --param=stack-clash-protection-guard-size=12)
    endif()
endif()

# The flags of every target of this project, and of no target of another project.
add_library(tuco_flags INTERFACE)
target_compile_options(tuco_flags INTERFACE
    -Wall -Wextra -Wshadow -Wundef
    "$<$<COMPILE_LANGUAGE:C,CXX>:${tuco_frame_flags}>"
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${TUCO_WERROR}>:-Werror>
    # clang's only complaint about GNU C that is meant: a timer holds a channel of one value.
    $<$<C_COMPILER_ID:Clang>:-Wno-gnu-variable-sized-type-not-at-end>
    # Tracebacks walk frames at any instruction, in a signal handler too.
    -fno-omit-frame-pointer -fasynchronous-unwind-tables)

# The layout of internal structs depends on this one: tests of internals need it as well.
target_compile_definitions(tuco_flags INTERFACE $<$<BOOL:${TUCO_CHECKS}>:RT_CHECKS=1>)

# Optional dependencies that this build treats as absent, though the machine may have them:
# how `./test` builds what a machine without them would build.
set(TUCO_WITHOUT "" CACHE STRING "Leave out: valgrind, http-parser, c++, pkg-config")
set_property(CACHE TUCO_WITHOUT PROPERTY STRINGS "" valgrind http-parser c++ pkg-config)

# A negative answer is not kept: valgrind may be installed between two runs.
include(CheckIncludeFile)
if("valgrind" IN_LIST TUCO_WITHOUT)
    set(RT_HAVE_VALGRIND "" CACHE INTERNAL "Whether valgrind/valgrind.h is used")
else()
    if(NOT RT_HAVE_VALGRIND)
        unset(RT_HAVE_VALGRIND CACHE)
    endif()
    check_include_file(valgrind/valgrind.h RT_HAVE_VALGRIND)
endif()
if(NOT RT_HAVE_VALGRIND)
    message(STATUS "No valgrind/valgrind.h: valgrind will not know goroutine stacks")
endif()
target_compile_definitions(tuco_flags INTERFACE
    RT_HAVE_VALGRIND=$<BOOL:${RT_HAVE_VALGRIND}>)
