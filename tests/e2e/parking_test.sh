#!/bin/bash
# 2,000 idle connections: none is lost, each costs 1,024 bytes at most, and without parking the same
# client sees the same.
. "$(dirname "$0")/common.sh"
need curl

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/index.html"

# load: 2,000 connections, a GET on each, idle, another GET on each.
load() { "$PERCH_BIN/perch-load" idle --url "$url/" --connections 2000 --hold 3 --pid "$pid" "$@" --json 2>/dev/null; }
# value KEY JSON: of its first number.
value() { printf '%s\n' "$2" | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" | head -n 1; }
idle_bytes() { printf '%s\n' "$1" | grep -o '"when": "idle"[^}]*' | sed -n 's/.*"rss_and_swap_per_connection": \([0-9]*\).*/\1/p'; }

for fields in bare browser; do
  start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1
  h2 -o /dev/null "$url/"
  check "parking on, $fields fields"
  json=$(load --fields $fields)
  expect_equal "held" 2000 "$(value held "$json")"
  expect_equal "answered again" 2000 "$(value probes_good "$json")"
  bytes=$(idle_bytes "$json")
  echo "$fields fields: $bytes bytes of RSS and swap a connection"
  [ -n "${PERCH_SANITIZE:-}" ] || expect_at_most "bytes a connection" 1024 "$bytes"
  stop TERM
  expect_equal "exit code" 0 "$code"
done

start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1 --parking off
check "parking off"
json=$(load)
expect_equal "held" 2000 "$(value held "$json")"
expect_equal "answered again" 2000 "$(value probes_good "$json")"
echo "without parking: $(idle_bytes "$json") bytes of RSS and swap a connection"
stop TERM
expect_equal "exit code" 0 "$code"
finish
