#!/bin/bash
# perchd's command line as a stranger meets it: help, mistakes, ports in use, missing roots.
. "$(dirname "$0")/common.sh"
need curl
perchd=$PERCH_BIN/perchd
mkdir "$work/www"
printf 'x' >"$work/www/x"

# run ARGS...: sets out, err and code.
run() {
  out=$("$perchd" "$@" 2>"$work/err" </dev/null)
  code=$?
  err=$(cat "$work/err")
}

check "help"
run --help
expect_equal "exit code" 0 "$code"
for flag in --config --root --listen --workers --parking --check --help; do
  expect_match "names $flag" "$flag" "$out"
done

check "mistakes in the file"
printf 'root = "."\nworkers = "many"\n\n[limits]\nheader_bites = 3\n' >"$work/bad.toml"
run --config "$work/bad.toml"
expect_equal "exit code" 2 "$code"
expect_match "type, with file and line" "$work/bad.toml:2:[0-9]+: .*expected" "$err"
expect_match "unknown key, with file and line" "$work/bad.toml:5:[0-9]+: .*header_bites" "$err"
printf 'root = \n' >"$work/bad.toml"
run --config "$work/bad.toml"
expect_equal "syntax: exit code" 2 "$code"
expect_match "syntax: file and line" "$work/bad.toml:1:[0-9]+: " "$err"
run --config "$work/none.toml"
expect_equal "missing file: exit code" 2 "$code"
run --workers none
expect_equal "bad flag: exit code" 2 "$code"
run --certificate "$work/none.pem" --root "$work/www"
expect_equal "a certificate without a key: exit code" 2 "$code"
expect_match "a certificate without a key: what is expected" '^--certificate: is given without --key; expected both$' "$err"

check "--check"
run --check --root "$work/www" --listen http://127.0.0.1:0
expect_equal "exit code" 0 "$code"
expect_match "tells the connections" 'connections +at most [0-9]+' "$out"
run --check --root "$work/www" --listen https://127.0.0.1:0
expect_match "tells about TLS" 'tls +a self-signed certificate' "$out"
expect_equal "and makes nothing" "" "$(ls "$STATE_DIRECTORY" 2>/dev/null)"
printf '[tls]\ncertificates = [{ certificate = "%s", key = "k" }]\n' "$work/none.pem" >"$work/tls.toml"
run --check --config "$work/tls.toml" --root "$work/www" --listen https://127.0.0.1:0
expect_equal "a certificate that is missing: exit code" 2 "$code"
expect_match "a certificate that is missing: file and line" "^$work/tls.toml:2:17: $work/none.pem: No such file" "$err"
run --check --root "$work/nowhere"
expect_equal "missing root: exit code" 2 "$code"

check "a missing root"
run --root "$work/nowhere" --listen http://127.0.0.1:0
expect_match "exit code is not 0" '^[1-9]' "$code"
expect_equal "one line" 1 "$(wc -l <"$work/err")"
expect_match "names it" "$work/nowhere" "$err"

check "a port in use"
start "$work/log" "$perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1
run --root "$work/www" --listen "$url"
expect_match "exit code is not 0" '^[1-9]' "$code"
expect_equal "one line" 1 "$(wc -l <"$work/err")"
expect_match "says so" "${url#http://}.*in use" "$err"

check "several listeners, flags over the file"
printf 'root = "/nonexistent"\nlisten = ["http://127.0.0.1:1"]\nworkers = 7\n' >"$work/good.toml"
stop TERM
start "$work/log" "$perchd" --config "$work/good.toml" --root "$work/www" --workers 1 \
  --listen http://127.0.0.1:0 --listen 'http://localhost:0'
expect_match "both are told" '^[2-9]$' "$(grep -c 'listens on' "$work/log")"
for each in $(sed -n 's/.*listens on //p' "$work/log"); do
  expect_equal "$each" "x" "$(h2 "$each/x")"
done
stop INT
expect_equal "exit code" 0 "$code"

if [ "$(id -u)" -eq 0 ]; then
  check "giving up root"
  chmod 755 "$work"
  printf '[process]\nuser = "nobody"\n' >"$work/nobody.toml"
  start "$work/log" "$perchd" --config "$work/nobody.toml" --root "$work/www" --listen http://127.0.0.1:0 --listen https://127.0.0.1:0
  expect_equal "serves" "x" "$(h2 "$url/x")"
  expect_equal "all threads are nobody's, with no way back" "" \
    "$(grep -h ^Uid: "/proc/$pid/task"/*/status | grep -v "^Uid:\s$(id -u nobody)\s$(id -u nobody)\s$(id -u nobody)\s")"
  expect_equal "no capability is left" "" "$(grep -h ^CapPrm: "/proc/$pid/task"/*/status | grep -v 0000000000000000)"
  kill -HUP "$pid"
  wait_for_log "the certificate outlives a reload" "$work/log" ' reloaded$'
  expect_no_match "without a complaint" ' error ' "$(cat "$work/log")"
  stop TERM
fi
printf '[process]\nuser = "no-such-user"\n' >"$work/nobody.toml"
run --check --config "$work/nobody.toml" --root "$work/www"
expect_match "an unknown user" '^process.user: "no-such-user" is not known' "$err"

check "the descriptor limit"
start "$work/log" bash -c "ulimit -n 200; exec '$perchd' --root '$work/www' --listen http://127.0.0.1:0 --workers 1"
most=$(sed -n 's/.*to at most \([0-9]*\) connections.*/\1/p' "$work/log")
expect_match "is told as connections" '^[0-9]+$' "$most"
stop TERM
finish
