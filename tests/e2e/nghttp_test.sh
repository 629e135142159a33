#!/bin/bash
# perchd with nghttp and h2load: frames that curl does not send.
. "$(dirname "$0")/common.sh"
need nghttp h2load

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/small.txt"
head -c 200000 /dev/urandom >"$work/www/large.bin"
start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 2

check "nghttp"
expect_equal "plain" "Hello, World!" "$(nghttp "$url/small.txt")"
expect_equal "a header block in CONTINUATION frames" "Hello, World!" "$(nghttp --continuation "$url/small.txt")"
expect_match "priority field" ':status: 200' "$(nghttp -nv --no-dep -H 'priority: u=1, i' "$url/small.txt" 2>&1)"
for bits in 10 14 20; do
  nghttp --window-bits=$bits --connection-window-bits=16 "$url/large.bin" >"$work/got"
  expect_equal "window of 2^$bits" "$(cksum <"$work/www/large.bin")" "$(cksum <"$work/got")"
done
expect_equal "same connection, many streams" 20 "$(nghttp -m 20 -nv "$url/small.txt" 2>&1 | grep -c ':status: 200')"
expect_match "trailers on a request to a file" ':status: 405' "$(nghttp -nv -d "$work/www/large.bin" --trailer 'x: y' "$url/small.txt" 2>&1)"
expect_match "header table of 0" ':status: 200' "$(nghttp -nv --header-table-size=0 "$url/small.txt" 2>&1)"
expect_match "padding" ':status: 200' "$(nghttp -nv --padding=100 "$url/small.txt" 2>&1)"

check "h2load"
load() { h2load "$@" | sed -n 's/^requests: //p; s/^status codes: //p'; }
expect_match "100,000 requests over 20 connections" '100000 succeeded, 0 failed, 0 errored, 0 timeout' \
  "$(load -n 100000 -c 20 -m 40 "$url/small.txt")"
expect_match "large bodies" '2000 succeeded, 0 failed, 0 errored' "$(load -n 2000 -c 10 -m 20 "$url/large.bin")"
expect_match "small windows" '500 succeeded, 0 failed, 0 errored' "$(load -n 500 -c 5 -m 10 -w 12 -W 14 "$url/large.bin")"
expect_match "128 streams at once" '20000 succeeded, 0 failed, 0 errored' "$(load -n 20000 -c 4 -m 128 "$url/small.txt")"

check "draining under load"
h2load -n 2000000 -c 20 -m 20 "$url/small.txt" >"$work/h2load" &
load_pid=$!
sleep 0.5
stop TERM
expect_equal "exit code" 0 "$code"
kill "$load_pid" 2>/dev/null
wait "$load_pid" 2>/dev/null
expect_no_match "nothing was cut off" 'cut off' "$(cat "$work/log")"
finish
