# SPDX-License-Identifier: MIT
# Writes OUTPUT, a header with the commit of SOURCE, at every build, if it has changed.

cmake_minimum_required(VERSION 3.25)

# Without optional locks: a build must not disturb a git command that runs beside it.
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(
    COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define BENCH_COMMIT \"@commit@\"\n" @ONLY)
