# SPDX-License-Identifier: MIT
# The examples that have a folder: servers, and how real clients and odd bytes try them.

file(GLOB server_common CONFIGURE_DEPENDS examples/common/*.c)
add_library(examples.common STATIC ${server_common})
target_include_directories(examples.common PUBLIC examples)
target_link_libraries(examples.common PUBLIC tuco::tuco PRIVATE tuco_flags)

set(servers echo proxy udp unix)
find_path(HTTP_PARSER_INCLUDE_DIR http_parser.h)
find_library(HTTP_PARSER_LIBRARY http_parser)
if(HTTP_PARSER_INCLUDE_DIR AND HTTP_PARSER_LIBRARY AND
        NOT "http-parser" IN_LIST TUCO_WITHOUT)
    list(APPEND servers http)
else()
    message(STATUS "No http-parser (libhttp-parser-dev): examples/http is left out")
endif()

foreach(server ${servers})
    file(GLOB sources CONFIGURE_DEPENDS examples/${server}/*.c)
    add_executable(examples.${server} ${sources})
    add_dependencies(all_examples examples.${server})
    target_link_libraries(examples.${server} PRIVATE examples.common tuco_flags)
    set_target_properties(examples.${server} PROPERTIES
        OUTPUT_NAME ${server}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
        ENABLE_EXPORTS ON)      # so that tracebacks can name the functions of the example
endforeach()
if(TARGET examples.http)
    target_include_directories(examples.http SYSTEM PRIVATE ${HTTP_PARSER_INCLUDE_DIR})
    target_link_libraries(examples.http PRIVATE ${HTTP_PARSER_LIBRARY})
endif()

# Real clients: in the fastest build, and in the one that sees what is not given back.
if(TUCO_TESTS AND NOT CMAKE_CROSSCOMPILING AND
        (TUCO_SANITIZE STREQUAL "address" OR
            (CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TUCO_SANITIZE)))
    add_executable(clients.unruly tests/clients/unruly.c)
    target_link_libraries(clients.unruly PRIVATE tuco_flags)
    set_target_properties(clients.unruly PROPERTIES
        OUTPUT_NAME unruly
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/clients)
    if(TUCO_SANITIZE)
        set(crowd_size 2000)
    else()
        set(crowd_size 10000)
    endif()
    foreach(server ${servers})
        file(GLOB scripts CONFIGURE_DEPENDS tests/clients/${server}/*.sh)
        foreach(script ${scripts})
            cmake_path(GET script STEM behaviour)
            add_test(NAME clients/${server}/${behaviour} COMMAND sh ${script})
            set_tests_properties(clients/${server}/${behaviour} PROPERTIES
                TIMEOUT ${test_timeout_seconds}
                SKIP_RETURN_CODE ${skip_status}
                LABELS clients
                ENVIRONMENT "${test_environment};EXAMPLES=${PROJECT_BINARY_DIR}/examples;\
UNRULY=$<TARGET_FILE:clients.unruly>;CROWD_SIZE=${crowd_size}")
        endforeach()
    endforeach()
endif()

# Odd bytes: in every build of this machine.
if(TUCO_TESTS AND TARGET examples.http AND NOT CMAKE_CROSSCOMPILING)
    file(GLOB http_sources CONFIGURE_DEPENDS examples/http/*.c)
    list(FILTER http_sources EXCLUDE REGEX "/main\\.c$")
    add_library(fuzz.http STATIC
        ${http_sources} ${server_common} tests/fuzz/http/conversation.c)
    target_include_directories(fuzz.http PUBLIC examples tests/fuzz)
    target_include_directories(fuzz.http SYSTEM PUBLIC ${HTTP_PARSER_INCLUDE_DIR})
    target_link_libraries(fuzz.http PUBLIC tuco_static ${HTTP_PARSER_LIBRARY}
        PRIVATE tuco_flags)

    set(http_corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/http/corpus)
    test_add_source(${PROJECT_SOURCE_DIR}/tests/fuzz/http/server.c fuzz)
    target_link_libraries(fuzz.http.server PRIVATE fuzz.http)
    target_compile_definitions(fuzz.http.server PRIVATE HTTP_CORPUS="${http_corpus}")

    # The same conversations, with inputs that the coverage leads to.
    option(TUCO_LIBFUZZER "Build the entry of libFuzzer, which clang has" OFF)
    if(TUCO_LIBFUZZER)
        target_compile_options(fuzz.http PRIVATE -fsanitize=fuzzer-no-link)
        add_executable(fuzz.http.libfuzzer tests/fuzz/http/libfuzzer.c)
        target_link_libraries(fuzz.http.libfuzzer PRIVATE fuzz.http tuco_flags)
        target_link_options(fuzz.http.libfuzzer PRIVATE -fsanitize=fuzzer)
        set_target_properties(fuzz.http.libfuzzer PROPERTIES
            OUTPUT_NAME libfuzzer
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz/http)
    endif()
endif()
