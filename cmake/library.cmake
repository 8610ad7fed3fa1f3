# SPDX-License-Identifier: MIT
# The library: tuco is shared, tuco_static is the archive, both made of the same objects.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

file(GLOB tuco_sources CONFIGURE_DEPENDS
    src/*.c
    src/base/*.c src/os/*.c src/cpu/*.c src/mem/*.c src/sched/*.c
    src/chan/*.c src/sync/*.c src/time/*.c src/ctx/*.c src/net/*.c src/trace/*.c
    src/arch/*.c src/arch/${TUCO_ARCH}/*.c src/arch/${TUCO_ARCH}/*.S)

add_library(tuco_objects OBJECT ${tuco_sources})
set_target_properties(tuco_objects PROPERTIES C_VISIBILITY_PRESET hidden)
target_include_directories(tuco_objects PUBLIC include PRIVATE src)
target_link_libraries(tuco_objects PRIVATE tuco_flags Threads::Threads)
target_compile_options(tuco_objects PRIVATE
    # One instruction instead of a call that could allocate, also in a signal handler.
    -ftls-model=initial-exec
    # The library means its own functions when it calls them.
    -fno-semantic-interposition)

add_library(tuco SHARED)
set_target_properties(tuco PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/tuco.map)
target_link_options(tuco PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/tuco.map
    -Wl,-Bsymbolic-functions
    # Lazy binding would run the dynamic linker on goroutine stacks and in handlers.
    -Wl,-z,relro -Wl,-z,now
    # A sanitizer's runtime comes with the program: the library alone lacks its names.
    $<$<NOT:$<BOOL:${TUCO_SANITIZE}>>:-Wl,-z,defs>)

add_library(tuco_static STATIC)
set_target_properties(tuco_static PROPERTIES OUTPUT_NAME tuco EXPORT_NAME tuco_static)

# For TUCODEBUG=mutexcheck=1: loaded by those who want it, and by nobody else.
add_library(tuco_mutexcheck SHARED tools/mutexcheck.c)
set_target_properties(tuco_mutexcheck PROPERTIES
    OUTPUT_NAME tuco-mutexcheck C_VISIBILITY_PRESET hidden)
target_link_libraries(tuco_mutexcheck PRIVATE tuco_flags ${CMAKE_DL_LIBS})

foreach(library tuco tuco_static)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:tuco_objects>)
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_library(tuco::${library} ALIAS ${library})
endforeach()
