#!/bin/sh
# Installs Perch and builds a program with it as a user's project would: once with find_package(perch),
# once with pkg-config. Moves the installed tree in between, so that no path of the build can help.
#
#   PERCH_BINARY_DIR=build/release tests/install/run.sh CXX CMAKE
set -eu
cxx=$1
cmake=$2
here=$(cd "$(dirname "$0")" && pwd)
work=${PERCH_BINARY_DIR:?}/install_test

command -v pkg-config >/dev/null || { echo "pkg-config is missing (Debian package pkg-config)"; exit 1; }

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$PERCH_BINARY_DIR" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/prefix"
cp -r "$here/project" "$work/project"

echo "== find_package"
"$cmake" -G Ninja -S "$work/project" -B "$work/by-cmake" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/by-cmake"
"$work/by-cmake/hello"

echo "== pkg-config"
pc=$(find "$work/prefix" -name perch.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# Flags are words of their own.
# shellcheck disable=SC2046
"$cxx" -std=c++23 -O1 "$work/project/hello.cc" -o "$work/by-pkg-config" $(pkg-config --cflags --libs perch)
"$work/by-pkg-config"

echo "== programs"
for program in perchd perch-load; do
  [ ! -x "$PERCH_BINARY_DIR/bin/$program" ] || "$work/prefix/bin/$program" --help >/dev/null
done
