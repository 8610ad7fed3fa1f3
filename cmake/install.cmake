# SPDX-License-Identifier: MIT
# What `cmake --install` puts where, for find_package(tuco) and for pkg-config.
include(CMakePackageConfigHelpers)

set(libraries tuco tuco_static)
foreach(variant ${tuco_variants})
    list(APPEND libraries tuco_${variant} tuco_${variant}_static)
endforeach()
install(TARGETS ${libraries} EXPORT tucoTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tuco_mutexcheck LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

foreach(section 3 7)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tuco)
install(EXPORT tucoTargets NAMESPACE tuco:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tucoConfig.cmake.in tucoConfig.cmake
    INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(tucoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/tucoConfig.cmake ${PROJECT_BINARY_DIR}/tucoConfigVersion.cmake
    DESTINATION ${package_dir})

# tuco.pc finds its prefix from where it lies, so that `cmake --install --prefix` can
# choose another one than was configured; what was configured as absolute stays so.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH pc_prefix /${pc_dir} /)
    string(PREPEND pc_prefix "\${pcfiledir}/")
    string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${dir} BASE_DIRECTORY "\${prefix}"
        OUTPUT_VARIABLE pc_${dir})
endforeach()
list(TRANSFORM CMAKE_DL_LIBS PREPEND "-l" OUTPUT_VARIABLE pc_libs_private)
list(PREPEND pc_libs_private -pthread)
list(JOIN pc_libs_private " " pc_libs_private)
list(JOIN tuco_frame_flags " " pc_frame_flags)
foreach(variant "" ${tuco_variants})
    set(pc_name tuco)
    set(pc_sanitizer)
    if(variant)
        set(pc_name tuco-${variant})
        set(pc_sanitizer " -fsanitize=${variant_${variant}}")
    endif()
    configure_file(cmake/tuco.pc.in ${pc_name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${pc_dir})
endforeach()
