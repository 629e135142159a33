#!/bin/bash
# The streaming example: uploads that come back, trailers both ways, slow streams, handlers that fail.
. "$(dirname "$0")/common.sh"
need curl nghttp

start "$work/log" "$PERCH_BIN/streaming" http://127.0.0.1:0
head -c 5000000 /dev/urandom >"$work/five-mb"

check "upload"
h2 -T "$work/five-mb" -o "$work/back" "$url/echo"
expect_equal "5 MB come back" "$(cksum <"$work/five-mb")" "$(cksum <"$work/back")"
expect_equal "empty body" "200 0" "$(h2 -o /dev/null -w '%{http_code} %{size_download}' -T /dev/null "$url/echo")"
expect_equal "length unknown in advance" "$(cksum <"$work/five-mb")" \
  "$(h2 -T - "$url/echo" <"$work/five-mb" | cksum)"

check "trailers"
out=$(nghttp -v -d "$work/five-mb" --trailer 'x-mark: seen' "$url/echo" 2>&1 | tr -d '\000' | grep -a -E 'x-bytes|x-mark|END_STREAM')
expect_match "count" 'x-bytes: 5000000' "$out"
expect_match "request trailer comes back" 'recv \(stream_id=[0-9]+\) x-mark: seen' "$out"

check "a stream in pieces"
expect_equal "lines" "1 2 3" "$(h2 "$url/count/3" | tr '\n' ' ' | sed 's/ $//')"
expect_equal "bad number" 400 "$(h2 -o /dev/null -w '%{http_code}' "$url/count/x")"

check "many streams at once"
for i in $(seq 60); do echo "url = $url/count/2"; echo "output = $work/count-$i"; done >"$work/urls"
h2 -Z --parallel-immediate --parallel-max 60 -K "$work/urls"
expect_equal "all whole" 60 "$(cat "$work"/count-* | grep -c '^2$')"

check "a handler that throws"
expect_equal "costs its stream a 500" 500 "$(h2 -o /dev/null -w '%{http_code}' "$url/fail")"
expect_match "and a log line" 'handler failed: this route always fails' "$(cat "$work/log")"
expect_equal "and nothing else" "1" "$(h2 "$url/count/1")"

check "a client that leaves early"
timeout 0.3 curl -s --http2-prior-knowledge "$url/count/9999" >/dev/null
expect_equal "does no harm" "1" "$(h2 "$url/count/1")"

check "the end while a stream is open"
h2 "$url/count/5" >"$work/slow" &
slow=$!
sleep 0.2
stop TERM
wait "$slow"
expect_equal "the open stream was finished" "5" "$(tail -n 1 "$work/slow")"
expect_equal "exit code" 0 "$code"

start "$work/log" "$PERCH_BIN/hello" http://127.0.0.1:0
check "the smallest example"
expect_equal "greets" "Hello, you & me!" "$(h2 "$url/hello/you%20%26%20me")"
expect_equal "404 elsewhere" 404 "$(h2 -o /dev/null -w '%{http_code}' "$url/other")"
stop INT
expect_equal "exit code" 0 "$code"
finish
