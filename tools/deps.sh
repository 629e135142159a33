#!/bin/sh
# Installs the Debian packages that Perch needs, where they are missing.
#
#   tools/deps.sh [--print] GROUP...
#
# Groups:
#   build   to build libperch, perchd and perch-load
#   test    to build and run the tests and benchmarks
#   ci      for GCC, sanitizers, fuzzers and the format check
#   package to build the Debian package
#   peers   other servers, to measure beside Perch (none of them is started), and wrk to load them by HTTP/1.1
#
# When nothing is missing it says nothing and uses no network. Otherwise it names the packages and
# installs them, as root or through sudo; on a terminal it asks first. Where that is not possible,
# or with --print, it prints the command and stops (exit code 1).
set -eu

build="clang-19 lld-19 cmake ninja-build libstdc++-12-dev libc6-dev
  libssl-dev libboost1.81-dev libnghttp2-dev libfmt-dev libspdlog-dev libtomlplusplus-dev libcli11-dev"
test="libgtest-dev libbenchmark-dev nlohmann-json3-dev pkg-config curl openssl nghttp2-client nghttp2-server groff-base"
ci="g++ ccache python3 clang-format-19 libclang-rt-19-dev llvm-19"
package="dpkg-dev fakeroot"
peers="nginx h2o haproxy lighttpd lighttpd-mod-openssl wrk"

print_only=no
wanted=
start_no_service=no
for argument in "$@"; do
  case $argument in
    --print) print_only=yes ;;
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    ci) wanted="$wanted $ci" ;;
    package) wanted="$wanted $package" ;;
    peers) wanted="$wanted $peers"; start_no_service=yes ;;
    *) echo "tools/deps.sh: no group is named \`$argument\`" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not a Debian system; Perch needs what these Debian packages hold:" $wanted >&2
  echo "Going on as if they were there." >&2
  exit 0
fi

missing=
for package in $wanted; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Debian packages that are missing:$missing"

by_hand() {
  echo "To install them:"
  echo "  ${1-}apt-get update && ${1-}apt-get install --no-install-recommends$missing"
  exit 1
}

if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif ! command -v sudo >/dev/null 2>&1; then
  echo "Installing them needs root, and there is no sudo here."
  by_hand
elif [ -t 0 ] || sudo -n true 2>/dev/null; then
  as_root="sudo "
else
  echo "sudo wants a password, and there is no terminal to ask for it."
  by_hand "sudo "
fi
[ "$print_only" = no ] || by_hand "$as_root"

if [ -t 0 ]; then
  printf 'Install them now%s? [Y/n] ' "${as_root:+ with sudo}"
  read -r answer || answer=n
  case $answer in
    "" | [yY] | [yY][eE][sS]) ;;
    *) by_hand "$as_root" ;;
  esac
fi

# Debian starts a service when its package is installed, unless policy-rc.d forbids it.
policy=/usr/sbin/policy-rc.d
if [ "$start_no_service" = yes ] && [ ! -e "$policy" ]; then
  trap '${as_root}rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | ${as_root}tee "$policy" >/dev/null
  ${as_root}chmod 755 "$policy"
fi

${as_root}env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update ||
  echo "apt-get update failed; trying with the package lists that are here." >&2
${as_root}env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
  -o Dpkg::Use-Pty=0 install --no-install-recommends $missing </dev/null || {
  echo "apt-get could not install them." >&2
  by_hand "$as_root"
}
