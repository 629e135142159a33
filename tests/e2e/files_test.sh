#!/bin/bash
# perchd's files through curl: content, conditions, methods, and no way out of the root.
. "$(dirname "$0")/common.sh"
need curl

mkdir -p "$work/www/sub/deep" "$work/outside"
printf 'Hello, World!' >"$work/www/small.txt"
printf '<!doctype html><title>home</title>' >"$work/www/index.html"
printf 'sub index' >"$work/www/sub/index.html"
head -c 300000 /dev/urandom >"$work/www/large.bin"
printf 'hidden' >"$work/www/.secret"
printf 'outside' >"$work/outside/secret.txt"
ln -s "$work/outside/secret.txt" "$work/www/link-out"
ln -s small.txt "$work/www/link-in"
mkfifo "$work/www/fifo"
: >"$work/www/empty.txt"
touch -d '2024-05-06 07:08:09 UTC' "$work/www/small.txt"

start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1

check "content"
expect_equal "small file" "Hello, World!" "$(h2 "$url/small.txt")"
expect_equal "index" "$(cat "$work/www/index.html")" "$(h2 "$url/")"
expect_equal "index of a directory" "sub index" "$(h2 "$url/sub/")"
expect_equal "empty file" "200 0" "$(h2 -o /dev/null -w '%{http_code} %{size_download}' "$url/empty.txt")"
h2 -o "$work/got" "$url/large.bin"
expect_equal "large file" "$(cksum <"$work/www/large.bin")" "$(cksum <"$work/got")"
expect_equal "link inside the root" "Hello, World!" "$(h2 "$url/link-in")"

check "head"
head=$(h2 -I "$url/small.txt")
expect_match "status" '^HTTP/2 200' "$head"
expect_match "type" '^content-type: text/plain; charset=utf-8' "$head"
expect_match "length" '^content-length: 13' "$head"
expect_match "modification time" '^last-modified: Mon, 06 May 2024 07:08:09 GMT' "$head"
expect_match "validator" '^etag: "[^"]+"' "$head"
expect_match "date" '^date: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT' "$head"
expect_equal "no body" "" "$(h2 -I -o /dev/null -w '' "$url/small.txt")"

check "conditions"
etag=$(printf '%s' "$head" | tr -d '\r' | sed -n 's/^etag: //p')
code() { h2 -o /dev/null -w '%{http_code}' "$@"; }
expect_equal "If-None-Match hit" 304 "$(code -H "if-none-match: $etag" "$url/small.txt")"
expect_equal "If-None-Match miss" 200 "$(code -H 'if-none-match: "other"' "$url/small.txt")"
expect_equal "If-None-Match *" 304 "$(code -H 'if-none-match: *' "$url/small.txt")"
expect_equal "If-Modified-Since same" 304 "$(code -H 'if-modified-since: Mon, 06 May 2024 07:08:09 GMT' "$url/small.txt")"
expect_equal "If-Modified-Since older" 200 "$(code -H 'if-modified-since: Mon, 06 May 2024 07:08:08 GMT' "$url/small.txt")"
expect_equal "If-Match miss" 412 "$(code -H 'if-match: "other"' "$url/small.txt")"
expect_equal "If-Match hit" 200 "$(code -H "if-match: $etag" "$url/small.txt")"
expect_equal "If-Unmodified-Since older" 412 "$(code -H 'if-unmodified-since: Mon, 06 May 2024 07:08:08 GMT' "$url/small.txt")"
expect_match "304 keeps the validator" '^etag: ' "$(h2 -D - -o /dev/null -H "if-none-match: $etag" "$url/small.txt")"

check "what is not served"
expect_equal "missing" 404 "$(code "$url/missing")"
expect_equal "dot file" 404 "$(code "$url/.secret")"
expect_equal "FIFO" 404 "$(code "$url/fifo")"
expect_equal "link out of the root" 404 "$(code "$url/link-out")"
expect_equal "directory without index" 404 "$(code "$url/sub/deep/")"
expect_equal "directory without slash" "301" "$(code "$url/sub")"
expect_match "its location" '^location: /sub/' "$(h2 -I "$url/sub")"
expect_match "parent" '^4' "$(code --path-as-is "$url/../outside/secret.txt")"
expect_match "encoded parent" '^4' "$(code --path-as-is "$url/%2e%2e/outside/secret.txt")"
expect_match "encoded slash" '^4' "$(code --path-as-is "$url/..%2foutside%2fsecret.txt")"
expect_no_match "no byte from outside" 'outside' "$(h2 --path-as-is "$url/sub/../../outside/secret.txt")"
expect_equal "method" 405 "$(code -X DELETE "$url/small.txt")"
expect_match "allowed methods" '^allow: GET, HEAD' "$(h2 -D - -o /dev/null -X POST -d x "$url/small.txt")"

# Connections of their own: curl 7.88 fails to multiplex over cleartext HTTP/2, with any server.
check "many at once"
for i in $(seq 100); do echo "url = $url/small.txt?$i"; echo "output = /dev/null"; done >"$work/urls"
expect_equal "100 parallel transfers" "100" \
  "$(h2 -Z --parallel-immediate --parallel-max 100 -w '%{http_code}\n' -K "$work/urls" | grep -c '^200$')"

check "a changed file"
printf 'changed now!!' >"$work/www/new.txt" && mv "$work/www/new.txt" "$work/www/small.txt"
sleep 1.2
expect_equal "is seen after the revalidation period" "changed now!!" "$(h2 "$url/small.txt")"

check "an HTTP/1.1 client"
expect_equal "gets the same files" "1.1 200 $(cat "$work/www/index.html")" "$(curl -s --http1.1 -o "$work/got" -w '%{http_version} %{http_code} ' "$url/"; cat "$work/got")"

check "the end"
stop TERM
expect_equal "exit code" 0 "$code"
expect_match "summary" 'connections served [0-9]+, parked [0-9]+ now and [0-9]+ at most, requests [1-9][0-9]*, RSS [0-9.]+ MiB' "$(cat "$work/log")"
finish
