# What the end-to-end tests share: a folder of their own, servers, and checks that count.
#
# A test sources this file, calls `check NAME` before each group, and ends with `finish`. A failed check prints
# what was expected and what came, and the test fails at its end.
set -u

PERCH_BIN=${PERCH_BIN:-build/release/bin}
work=$(mktemp -d "${TMPDIR:-/tmp}/perch-e2e.XXXXXX")
server_pids=
failures=0
checks=0
name=
# Where perchd keeps its self-signed certificate.
export STATE_DIRECTORY=$work/state

on_exit() {
  # shellcheck disable=SC2086
  [ -z "$server_pids" ] || kill -9 $server_pids 2>/dev/null
  rm -rf "$work"
}
trap on_exit EXIT

check() { name=$1; }

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n' "$name" "$1"
}

# expect_equal WHAT EXPECTED ACTUAL
expect_equal() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$(printf '%s: expected [%s], got [%s]' "$1" "$2" "$3")"
}

# expect_match WHAT EXTENDED_REGEX TEXT
expect_match() {
  checks=$((checks + 1))
  printf '%s\n' "$3" | grep -Eq -- "$2" || fail "$(printf '%s: nothing matches [%s] in [%s]' "$1" "$2" "$3")"
}

# expect_no_match WHAT EXTENDED_REGEX TEXT
expect_no_match() {
  checks=$((checks + 1))
  ! printf '%s\n' "$3" | grep -Eq -- "$2" || fail "$(printf '%s: [%s] matches in [%s]' "$1" "$2" "$3")"
}

# expect_at_most WHAT BOUND NUMBER
expect_at_most() {
  checks=$((checks + 1))
  [ -n "$3" ] && [ "$3" -le "$2" ] || fail "$1: expected at most $2, got $3"
}

# start LOG COMMAND...: runs a server on a free port; sets `url` and `secure_url`, where it listens so, and `pid`,
# once it says where it listens.
start() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 &
  pid=$!
  server_pids="$server_pids $pid"
  local i
  for i in $(seq 200); do
    if grep -Eq 'perchd serves|listening on' "$log"; then
      url=$(listens_on http "$log")
      secure_url=$(listens_on https "$log")
      return 0
    fi
    if ! kill -0 "$pid" 2>/dev/null; then break; fi
    sleep 0.05
  done
  echo "the server did not start: $*"
  cat "$log"
  exit 1
}

# listens_on SCHEME LOG: the first such URL.
listens_on() { sed -n "s/.*listen[a-z]* on \\($1:[^ ]*\\).*/\\1/p" "$2" | head -n 1; }

# eventually COMMAND...: waits for it to succeed, for up to 20 s.
eventually() {
  local i
  for i in $(seq 400); do
    "$@" && return 0
    sleep 0.05
  done
  return 1
}

# logged LOG EXTENDED_REGEX
logged() { grep -Eq -- "$2" "$1"; }

# wait_for_log WHAT LOG EXTENDED_REGEX
wait_for_log() {
  checks=$((checks + 1))
  eventually logged "$2" "$3" || fail "$1: no line matches [$3] in [$(cat "$2")]"
}

# stop SIGNAL: ends the server that was started last; sets `code` to its exit code.
stop() {
  kill "-$1" "$pid"
  wait "$pid"
  code=$?
}

need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
  done
}

# make_certificate NAME: the files $work/NAME.pem and .key, for localhost and that name.
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=$1" \
    -addext "subjectAltName=DNS:$1,DNS:localhost,IP:127.0.0.1" -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}

# shown_name HOST:PORT [ARGUMENT...]: the subject of the certificate that a new connection is shown.
shown_name() {
  openssl s_client -connect "$@" </dev/null 2>/dev/null | sed -n 's/^subject=.*CN = \(.*\)/\1/p'
}

h2() { curl --silent --show-error --http2-prior-knowledge --max-time 60 "$@"; }

finish() {
  echo "$checks checks, $failures failed"
  [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
  exit
}
