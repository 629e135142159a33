#!/bin/bash
# perchd's settings for files through curl: ranges, siblings, fields, pages, redirects, listings, hosts.
. "$(dirname "$0")/common.sh"
need curl gzip

www=$work/www
mkdir -p "$www/assets" "$www/list/sub" "$work/other" "$work/app"
printf '0123456789' >"$www/digits.txt"
head -c 300000 /dev/urandom >"$www/large.bin"
printf '<!doctype html>home' >"$www/index.html"
printf '<!doctype html>nothing here' >"$www/404.html"
for i in $(seq 300); do printf 'var v%d = %d;\n' "$i" "$i"; done >"$www/assets/app.js"
gzip -k "$www/assets/app.js"
printf 'x' >"$www/list/<img src=x onerror=alert(1)>"
printf 'x' >"$www/list/.hidden"
printf 'outside' >"$work/secret"
ln -s "$work/secret" "$www/digits.txt.gz"
printf 'other host' >"$work/other/index.html"
printf 'single page' >"$work/app/index.html"
cat >"$work/perchd.toml" <<TOML
root = "$www"
listen = ["http://127.0.0.1:0"]
workers = 1

[files]
precompressed = ["br", "gzip"]
error_pages = { 404 = "/404.html" }
listing = true
hsts = "max-age=60"

[[header]]
path = "/assets/*"
cache_control = "public, max-age=31536000, immutable"

[[header]]
path = "*"
set = { X-Content-Type-Options = "nosniff" }
always = true

[[redirect]]
from = "/old/*"
to = "/assets/*"
status = 301

[[host]]
names = ["other.test", "*.other.test"]
root = "$work/other"

[[host]]
names = ["app.test"]
root = "$work/app"
fallback = "/index.html"
TOML

start "$work/log" "$PERCH_BIN/perchd" --config "$work/perchd.toml"
code() { h2 -o /dev/null -w '%{http_code}' "$@"; }
head_of() { h2 -D - -o /dev/null "$@" | tr -d '\r'; }

check "ranges"
expect_equal "first bytes" "012 206" "$(h2 -r 0-2 -w ' %{http_code}' "$url/digits.txt")"
expect_equal "suffix" "89" "$(h2 -r -2 "$url/digits.txt")"
expect_match "content-range" '^content-range: bytes 2-4/10$' "$(head_of -r 2-4 "$url/digits.txt")"
expect_equal "beyond the end" 416 "$(code -r 10- "$url/digits.txt")"
expect_match "which says the size" '^content-range: bytes \*/10$' "$(head_of -r 10- "$url/digits.txt")"
expect_match "several" '^content-type: multipart/byteranges; boundary=' "$(head_of -r 0-1,4-5 "$url/digits.txt")"
expect_match "the second part" '^content-range: bytes 4-5/10' "$(h2 -r 0-1,4-5 "$url/digits.txt")"
expect_equal "touching ones are one" "01234" "$(h2 -r 0-1,2-4 "$url/digits.txt")"
expect_equal "a flood is the whole file" 200 "$(code -r "$(seq -s, 0 2 40 | sed 's/\([0-9]*\)/\1-\1/g')" "$url/large.bin")"
h2 -r 1000-250999 -o "$work/got" "$url/large.bin"
expect_equal "of a large file" "$(tail -c +1001 "$www/large.bin" | head -c 250000 | cksum)" "$(cksum <"$work/got")"
head -c 100000 "$www/large.bin" >"$work/got"
h2 -C - -o "$work/got" "$url/large.bin"
expect_equal "a download that goes on" "$(cksum <"$www/large.bin")" "$(cksum <"$work/got")"
etag=$(head_of "$url/digits.txt" | sed -n 's/^etag: //p')
expect_equal "If-Range hit" 206 "$(code -r 0-1 -H "if-range: $etag" "$url/digits.txt")"
expect_equal "If-Range miss" 200 "$(code -r 0-1 -H 'if-range: "other"' "$url/digits.txt")"
expect_equal "HEAD has no ranges" 200 "$(code -I -r 0-1 "$url/digits.txt")"

h1() { curl --silent --show-error --http1.1 --max-time 60 "$@"; }
expect_equal "over HTTP/1.1" "012 206" "$(h1 -r 0-2 -w ' %{http_code}' "$url/digits.txt")"
expect_match "several over HTTP/1.1" '^content-range: bytes 4-5/10' "$(h1 -r 0-1,4-5 "$url/digits.txt")"
h1 -r 0-99999,200000-299999 -o "$work/got" "$url/large.bin"
expect_equal "two parts of a large file" 2 "$(grep -a -c '^content-range: bytes' "$work/got")"

check "compressed siblings"
expect_equal "gzip" "$(cksum <"$www/assets/app.js")" "$(h2 --compressed "$url/assets/app.js" | cksum)"
expect_match "is what was sent" '^content-encoding: gzip$' "$(head_of --compressed "$url/assets/app.js")"
expect_match "Vary" '^vary: accept-encoding$' "$(head_of "$url/assets/app.js")"
expect_no_match "plain otherwise" '^content-encoding' "$(head_of -H 'accept-encoding: gzip;q=0' "$url/assets/app.js")"
expect_equal "not through a link out of the root" "0123456789" "$(h2 -H 'accept-encoding: gzip' "$url/digits.txt")"

check "fields"
expect_match "cache-control" '^cache-control: public, max-age=31536000, immutable$' "$(head_of "$url/assets/app.js")"
expect_no_match "elsewhere none" '^cache-control' "$(head_of "$url/digits.txt")"
expect_match "always" '^x-content-type-options: nosniff$' "$(head_of "$url/missing")"
expect_no_match "no HSTS in clear" '^strict-transport-security' "$(head_of "$url/digits.txt")"

check "errors"
expect_equal "page" '<!doctype html>nothing here' "$(h2 "$url/missing")"
expect_equal "status" 404 "$(code "$url/missing")"
expect_equal "the page itself" 200 "$(code "$url/404.html")"
rm "$www/404.html" && sleep 1.2
expect_equal "without the page" '404 Not Found' "$(h2 "$url/missing")"

check "redirects"
expect_equal "status and place" "301 $url/assets/app.js?v=1" "$(h2 -o /dev/null -w '%{http_code} %{redirect_url}' "$url/old/app.js?v=1")"
expect_equal "no other host" "$url/assets/evil.example" "$(h2 -o /dev/null -w '%{redirect_url}' --path-as-is "$url/old//evil.example")"

check "listing"
list=$(h2 "$url/list/")
expect_match "a directory" '<a href="\./sub/">sub/</a>' "$list"
expect_match "an escaped name" '&lt;img src=x onerror=alert\(1\)&gt;' "$list"
expect_no_match "nothing to run" '<img' "$list"
expect_no_match "no dot file" 'hidden' "$list"

check "hosts"
expect_equal "default" '<!doctype html>home' "$(h2 "$url/")"
expect_equal "by name" 'other host' "$(h2 -H 'host: other.test' "$url/")"
expect_equal "by wildcard, with a port" 'other host' "$(h2 -H 'host: A.B.Other.test:99' "$url/")"
expect_equal "settings are inherited" 'nosniff' "$(head_of -H 'host: other.test' "$url/" | sed -n 's/^x-content-type-options: //p')"
expect_equal "fallback for a browser" 'single page' "$(h2 -H 'host: app.test' -H 'accept: text/html' "$url/users/7")"
expect_equal "not for a script" 404 "$(code -H 'host: app.test' -H 'accept: text/html' "$url/users/7.js")"

check "the end"
stop TERM
expect_equal "exit code" 0 "$code"

check "mistakes"
printf '[files]\nlisting = "yes"\n' >"$work/wrong.toml"
expect_equal "are answered with their place" "$work/wrong.toml:2:11: files.listing is \"yes\"; expected true or false" \
  "$("$PERCH_BIN/perchd" --config "$work/wrong.toml" --check 2>&1)"
finish
