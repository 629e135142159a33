#!/bin/bash
# A 2 GiB file streams to a client that reads slowly: the server's anonymous memory (RssAnon of
# /proc/PID/status) grows by 256 KiB at most, and 64 KiB of noise.
. "$(dirname "$0")/common.sh"
need curl
[ -z "${PERCH_SANITIZE:-}" ] || { echo "skipped: memory is not comparable under sanitizers"; exit 77; }

mkdir "$work/www"
truncate -s 2G "$work/www/large.bin" # sparse: takes no space
printf 'small' >"$work/www/small.txt"
start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1

anonymous_kib() { awk '/^RssAnon/ {print $2}' "/proc/$pid/status"; }

# A connection before, so that what is made once is there.
expect_equal "the server serves" "small" "$(h2 "$url/small.txt")"
before=$(anonymous_kib)

check "a slow reader"
curl -s --http2-prior-knowledge --limit-rate 256k -o "$work/got" "$url/large.bin" 2>/dev/null &
reader=$!
most=0
for _ in $(seq 40); do
  sleep 0.1
  now=$(anonymous_kib)
  [ "$now" -le "$most" ] || most=$now
done
kill -0 $reader 2>/dev/null || fail "the reader ended early"
expect_equal "bytes are on their way" yes "$([ "$(stat -c %s "$work/got")" -gt 100000 ] && echo yes)"
echo "anonymous memory: $before KiB before, at most $most KiB while a slow client reads"
expect_at_most "growth in KiB" 320 $((most - before))
expect_equal "others are served meanwhile" "small" "$(h2 "$url/small.txt")"
kill $reader
wait $reader 2>/dev/null

check "a fast reader"
expect_equal "the first GiB" 1073741824 "$(h2 "$url/large.bin" 2>/dev/null | head -c 1073741824 | wc -c)"
expect_at_most "growth in KiB" 320 $(($(anonymous_kib) - before))

stop TERM
expect_equal "exit code" 0 "$code"
finish
