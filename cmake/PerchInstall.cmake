# `cmake --install`: the programs, libperch.a with its headers, and what find_package(perch) and
# pkg-config need to use it. Both name the libraries that the layers link to.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(_libs GLOBAL PROPERTY PERCH_LIBS)
list(REMOVE_DUPLICATES _libs)
set(PERCH_FIND_DEPENDENCIES "find_dependency(Threads)\n")
set(PERCH_PC_REQUIRES "")
foreach(_lib IN LISTS _libs)
  get_property(_package GLOBAL PROPERTY PERCH_PACKAGE_OF_${_lib})
  get_property(_pc GLOBAL PROPERTY PERCH_PC_OF_${_lib})
  if(_package STREQUAL "Threads")
    continue()
  endif()
  if(NOT _package OR NOT _pc)
    message(FATAL_ERROR "A layer links to ${_lib}: add it to cmake/PerchPackages.cmake with its PC name")
  endif()
  string(APPEND PERCH_FIND_DEPENDENCIES "find_dependency(${_package})\n")
  string(APPEND PERCH_PC_REQUIRES " ${_pc}")
endforeach()

foreach(_program perchd perch-load)
  if(TARGET ${_program})
    install(TARGETS ${_program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(TARGETS perch EXPORT perchTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/perch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perch)
configure_package_config_file(cmake/perchConfig.cmake.in perchConfig.cmake INSTALL_DESTINATION ${_config_dir})
# Until 1.0 every minor version may change the interface.
write_basic_package_version_file(perchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT perchTargets NAMESPACE perch:: DESTINATION ${_config_dir})
install(FILES ${PROJECT_BINARY_DIR}/perchConfig.cmake ${PROJECT_BINARY_DIR}/perchConfigVersion.cmake
  cmake/FindNghttp2.cmake DESTINATION ${_config_dir})

# The prefix is found from the place of perch.pc, so that the tree may be moved.
file(RELATIVE_PATH PERCH_PC_TO_PREFIX
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/perch.pc.in perch.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/perch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET perchd)
  get_property(_man_pages GLOBAL PROPERTY PERCH_MAN_PAGES)
  foreach(_page IN LISTS _man_pages)
    string(REGEX MATCH "[0-9]$" _section ${_page})
    install(FILES ${_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${_section})
  endforeach()
  if(PROJECT_IS_TOP_LEVEL AND NOT PERCH_SANITIZE)
    include(PerchPackage)
  endif()
endif()
