# `make package`: a Debian package of the server. Its files have a component of their own with paths from /,
# so that `cmake --install` never touches /etc.
set(_package COMPONENT package EXCLUDE_FROM_ALL)
foreach(_program perchd perch-load)
  if(TARGET ${_program})
    install(PROGRAMS $<TARGET_FILE:${_program}> DESTINATION usr/bin ${_package})
  endif()
endforeach()
foreach(_page IN LISTS _man_pages)
  string(REGEX MATCH "[0-9]$" _section ${_page})
  install(FILES ${_page} DESTINATION usr/share/man/man${_section} ${_package})
endforeach()
set(PERCH_SERVICE_BINDIR /usr/bin)
configure_file(packaging/perchd.service package-files/perchd.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package-files/perchd.service packaging/perchd.socket
  DESTINATION usr/lib/systemd/system ${_package})
install(FILES packaging/perchd.toml DESTINATION etc/perchd ${_package})
install(FILES packaging/perchd.logrotate DESTINATION etc/logrotate.d RENAME perchd ${_package})
install(FILES packaging/index.html DESTINATION usr/share/perchd ${_package})
install(DIRECTORY DESTINATION var/www ${_package})
install(FILES LICENSE DESTINATION usr/share/doc/perchd RENAME copyright ${_package})
install(FILES apps/perchd/perchd.toml DESTINATION usr/share/doc/perchd/examples ${_package})

# What a package owns in /etc, an administrator may change.
file(CONFIGURE OUTPUT package-files/conffiles CONTENT "/etc/perchd/perchd.toml\n/etc/logrotate.d/perchd\n")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perchd)
set(CPACK_PACKAGE_VENDOR Perch)
set(CPACK_PACKAGE_CONTACT "The Perch maintainers <maintainers@perch.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "web server whose idle connections cost next to nothing")
set(CPACK_PACKAGE_DESCRIPTION "perchd serves files over HTTP/2 and HTTP/1.1, in clear and over TLS.
Certificates, files and logs are reloaded, and the program itself is
upgraded, without a lost request. perch-load puts load on a server, or
holds idle connections to it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_COMPONENTS_ALL package)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION httpd)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_PROVIDES httpd)
find_program(PERCH_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(PERCH_DPKG_SHLIBDEPS)
if(PERCH_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/postinst ${PROJECT_SOURCE_DIR}/packaging/prerm
  ${PROJECT_SOURCE_DIR}/packaging/postrm ${PROJECT_BINARY_DIR}/package-files/conffiles)
include(CPack)
