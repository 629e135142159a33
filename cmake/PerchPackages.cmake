# The packages that Perch is built with, and the Debian package to install where one is missing.

# perch_require(PACKAGE TARGET DEBIAN_PACKAGE [PC NAME])
#
# Finds PACKAGE, which must give the imported target TARGET, or stops and names the Debian package.
# What libperch links to is repeated for its users in perchConfig.cmake (PACKAGE) and perch.pc (NAME);
# see perch_install_library().
macro(perch_require package target debian)
  cmake_parse_arguments(_require "" "PC" "" ${ARGN})
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "${package} was not found. On Debian: apt-get install ${debian} (or `make deps` for everything).")
  endif()
  set_property(GLOBAL PROPERTY PERCH_PACKAGE_OF_${target} ${package})
  set_property(GLOBAL PROPERTY PERCH_PC_OF_${target} ${_require_PC})
endmacro()

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(THREADS_PREFER_PTHREAD_FLAG ON)

perch_require(Threads Threads::Threads libc6-dev)
perch_require(OpenSSL OpenSSL::SSL libssl-dev PC openssl)
perch_require(Nghttp2 nghttp2::nghttp2 libnghttp2-dev PC libnghttp2)
# Boost.Beast's parser is all headers, and no header of Perch shows it: users of libperch need none of it.
find_path(PERCH_BOOST_INCLUDE_DIR boost/beast/http/basic_parser.hpp)
mark_as_advanced(PERCH_BOOST_INCLUDE_DIR)
if(NOT PERCH_BOOST_INCLUDE_DIR)
  message(FATAL_ERROR
    "Boost.Beast was not found. On Debian: apt-get install libboost1.81-dev (or `make deps` for everything).")
endif()
perch_require(fmt fmt::fmt libfmt-dev PC fmt)
perch_require(spdlog spdlog::spdlog libspdlog-dev PC spdlog)
if(PROJECT_IS_TOP_LEVEL OR PERCH_PROGRAMS)
  perch_require(tomlplusplus tomlplusplus::tomlplusplus libtomlplusplus-dev)
  perch_require(CLI11 CLI11::CLI11 libcli11-dev)
endif()

# Tests and benchmarks. AUTO takes what is there, so that a user who only wants the server
# needs no test library; ON makes a missing one an error.
if(PERCH_TESTS STREQUAL "AUTO")
  find_package(GTest QUIET)
  find_package(nlohmann_json QUIET)
  if(TARGET GTest::gtest_main AND TARGET nlohmann_json::nlohmann_json)
    set(PERCH_BUILD_TESTS ON)
  else()
    set(PERCH_BUILD_TESTS OFF)
    message(STATUS "Tests are left out: libgtest-dev or nlohmann-json3-dev is missing")
  endif()
elseif(PERCH_TESTS)
  perch_require(GTest GTest::gtest_main libgtest-dev)
  perch_require(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)
  set(PERCH_BUILD_TESTS ON)
else()
  set(PERCH_BUILD_TESTS OFF)
endif()

if(PERCH_BENCH STREQUAL "AUTO")
  find_package(benchmark QUIET)
  if(TARGET benchmark::benchmark)
    set(PERCH_BUILD_BENCH ON)
  else()
    set(PERCH_BUILD_BENCH OFF)
    message(STATUS "Benchmarks are left out: libbenchmark-dev is missing")
  endif()
elseif(PERCH_BENCH)
  perch_require(benchmark benchmark::benchmark libbenchmark-dev)
  set(PERCH_BUILD_BENCH ON)
else()
  set(PERCH_BUILD_BENCH OFF)
endif()
