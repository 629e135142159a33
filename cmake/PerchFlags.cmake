# Compiler and linker flags of everything that Perch builds: the targets link `perch_flags` privately,
# so none of this reaches a project that uses Perch.

# The build types: Release is what users run, Sanitize what the sanitizers and fuzzers run (asserts on).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O3 GCC 12 warns of copies inside the library's templates that cannot happen, and takes a fifth longer.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
endif()
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")

add_library(perch_flags INTERFACE)
target_compile_features(perch_flags INTERFACE cxx_std_23)
target_compile_options(perch_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  # Options structs are filled by designated initialisers; what is not named keeps its default.
  -Wno-missing-field-initializers
  -fno-omit-frame-pointer  # profiles walk frame pointers
  -fno-plt -ffunction-sections -fdata-sections)
target_link_options(perch_flags INTERFACE -Wl,--gc-sections)

if(PERCH_WERROR)
  target_compile_options(perch_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports copies inside std::string that cannot happen (GCC bug 105651), more of them from a
  # precompiled <string>, and writes inside fmt that cannot happen either.
  target_compile_options(perch_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()

if(PERCH_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PERCH_FUZZ needs clang: use the preset `asan`")
  endif()
  target_compile_options(perch_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PERCH_SANITIZE)
  target_compile_options(perch_flags INTERFACE
    -fsanitize=${PERCH_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(perch_flags INTERFACE -fsanitize=${PERCH_SANITIZE})
endif()

# A quick linker and a compiler cache, where they are installed.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(REGEX MATCH "^[0-9]+" _clang_major "${CMAKE_CXX_COMPILER_VERSION}")
  find_program(PERCH_LLD NAMES ld.lld-${_clang_major})
  if(PERCH_LLD)
    target_link_options(perch_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
find_program(PERCH_CCACHE ccache)
if(PERCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${PERCH_CCACHE})
endif()

# Precompiled standard headers: one for libraries and programs, one with GoogleTest for tests.
# They only save time: tools/check_headers.sh compiles each header alone, without them.
function(_perch_pch_library name)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc.tmp "// Carries the precompiled header.\n")
  configure_file(${CMAKE_CURRENT_BINARY_DIR}/${name}.cc.tmp ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc COPYONLY)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE perch_flags ${ARGN})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <atomic> <chrono> <compare> <concepts> <coroutine> <cstddef> <cstdint> <cstring>
    <exception> <expected> <functional> <limits> <memory> <mutex> <new> <optional> <span> <string>
    <string_view> <thread> <type_traits> <utility> <variant> <vector>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
