# Finds nghttp2 (Debian: libnghttp2-dev) and gives the imported target nghttp2::nghttp2.
# Installed beside perchConfig.cmake, because whoever links libperch.a needs it too.
find_path(NGHTTP2_INCLUDE_DIR nghttp2/nghttp2.h)
find_library(NGHTTP2_LIBRARY nghttp2)
mark_as_advanced(NGHTTP2_INCLUDE_DIR NGHTTP2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nghttp2 REQUIRED_VARS NGHTTP2_LIBRARY NGHTTP2_INCLUDE_DIR)

if(Nghttp2_FOUND AND NOT TARGET nghttp2::nghttp2)
  add_library(nghttp2::nghttp2 UNKNOWN IMPORTED)
  set_target_properties(nghttp2::nghttp2 PROPERTIES
    IMPORTED_LOCATION "${NGHTTP2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${NGHTTP2_INCLUDE_DIR}")
endif()
