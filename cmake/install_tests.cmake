# SPDX-License-Identifier: MIT
# Installs the library below the build directory and uses it as strangers would.
find_program(TUCO_CXX NAMES c++ g++ clang++)
find_program(TUCO_PKG_CONFIG NAMES pkg-config pkgconf)
set(without_TUCO_CXX c++)
set(without_TUCO_PKG_CONFIG pkg-config)
foreach(tool TUCO_CXX TUCO_PKG_CONFIG)
    if(without_${tool} IN_LIST TUCO_WITHOUT)
        set(${tool} "")
    endif()
    if(NOT ${tool})
        message(STATUS "${tool} was not found: install tests that need it are skipped")
    endif()
endforeach()

# Adds the entry install/<name>: one step of test_install.sh.
function(install_add_test name)
    string(REPLACE "-" "_" step ${name})
    add_test(NAME install/${name}
        COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/test_install.sh ${step})
    set(environment
        "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
        "BUILD_DIR=${PROJECT_BINARY_DIR}"
        "LIBDIR=${CMAKE_INSTALL_LIBDIR}"
        "INCLUDEDIR=${CMAKE_INSTALL_INCLUDEDIR}"
        "VERSION_NODE=TUCO_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
        "SONAME=libtuco.so.${PROJECT_VERSION_MAJOR}"
        "CMAKE=${CMAKE_COMMAND}"
        "GENERATOR=${CMAKE_GENERATOR}"
        "NM=${CMAKE_NM}"
        "READELF=${CMAKE_READELF}"
        "CC=${CMAKE_C_COMPILER}"
        "LAUNCHER=${tsan_launcher}"
        "CXX=$<$<BOOL:${TUCO_CXX}>:${TUCO_CXX}>"
        "PKG_CONFIG=$<$<BOOL:${TUCO_PKG_CONFIG}>:${TUCO_PKG_CONFIG}>")
    set_tests_properties(install/${name} PROPERTIES
        TIMEOUT ${test_timeout_seconds}
        SKIP_RETURN_CODE ${skip_status}
        LABELS install
        ENVIRONMENT "${environment}")
    if(name STREQUAL "prefix")
        set_tests_properties(install/prefix PROPERTIES FIXTURES_SETUP installed)
    else()
        set_tests_properties(install/${name} PROPERTIES FIXTURES_REQUIRED installed)
    endif()
endfunction()

# ThreadSanitizer's programs may have to be started in a certain way: see tests.cmake.
set(names prefix find-package-shared find-package-static pkg-config symbols dlclose
        headers-c headers-cxx errno-c errno-cxx sizes-c sizes-cxx
        results-c results-cxx exceptions-cxx)
if(TUCO_VARIANTS)
    list(APPEND names asan tsan)
endif()
foreach(name ${names})
    install_add_test(${name})
endforeach()
