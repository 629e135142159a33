#!/bin/sh
# perch-load against another server: nghttpd, where it is installed.
set -eu
PATH=$PATH:/usr/sbin
command -v nghttpd >/dev/null || { echo "skipped: nghttpd (package nghttp2-server) is not installed"; exit 77; }

folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
echo "hello" >"$folder/index.html"
head -c 200000 /dev/zero >"$folder/large"

# Finds a free port by trying.
for port in 19477 23477 27477 31477; do
  nghttpd --no-tls -d "$folder" -a 127.0.0.1 "$port" >/dev/null 2>&1 &
  server=$!
  sleep 0.3
  kill -0 "$server" 2>/dev/null && break
  server=
done
[ -n "$server" ] || { echo "skipped: no port is free"; exit 77; }

load="$PERCH_BIN/perch-load"
fail() { echo "FAILED: $*"; exit 1; }
url="http://127.0.0.1:$port"

for fields in bare browser; do
  for file in index.html large; do
    "$load" idle --url "$url/$file" --connections 50 --hold 0 --fields "$fields" --json \
      --pid "$server" >"$folder/result" || fail "$fields $file: $(cat "$folder/result")"
    grep -q '"held": 50,' "$folder/result" || fail "$fields $file: $(cat "$folder/result")"
    grep -q '"probes_good": 50,' "$folder/result" || fail "$fields $file: $(cat "$folder/result")"
    grep -q '"anonymous_per_connection": ' "$folder/result" || fail "no memory in the report"
  done
done

code=0
"$load" idle --url "$url/missing" --connections 3 --hold 0 --probe 0 >"$folder/result" || code=$?
[ "$code" = 1 ] || fail "404 answers end with exit code $code"
grep -q "first status 404" "$folder/result" || fail "$(cat "$folder/result")"

# A server that goes away is noticed while the connections are idle.
(sleep 1; kill "$server") &
code=0
"$load" idle --url "$url/index.html" --connections 5 --hold 3 >"$folder/result" || code=$?
server=
[ "$code" = 1 ] || fail "a lost server ends with exit code $code"
grep -q "closed       5 by the server" "$folder/result" || fail "$(cat "$folder/result")"

# A port that no other test may have got meanwhile.
code=0
"$load" idle --url http://127.0.0.1:1/ --connections 2 --hold 0 >"$folder/result" || code=$?
[ "$code" = 1 ] || fail "a missing server ends with exit code $code"
grep -q "Connection refused" "$folder/result" || fail "$(cat "$folder/result")"

code=0
"$load" idle --url "$url/" --connections 9999999 2>"$folder/result" || code=$?
[ "$code" = 2 ] || fail "too many connections end with exit code $code"
grep -q "descriptors allows" "$folder/result" || fail "$(cat "$folder/result")"

# TLS. The certificate is checked where an authority is named, and not on loopback otherwise.
command -v openssl >/dev/null || { echo "good, without TLS: openssl is not installed"; exit 0; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$folder/key" -out "$folder/certificate" \
  -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 2>/dev/null
for port in 19478 23478 27478 31478; do
  nghttpd -d "$folder" -a 127.0.0.1 "$port" "$folder/key" "$folder/certificate" >/dev/null 2>&1 &
  server=$!
  sleep 0.3
  kill -0 "$server" 2>/dev/null && break
  server=
done
[ -n "$server" ] || { echo "good, without TLS: no port is free"; exit 0; }
url="https://127.0.0.1:$port"

for version in 1.2 1.3; do
  "$load" idle --url "$url/large" --connections 50 --hold 0 --tls-max $version >"$folder/result" ||
    fail "TLS $version: $(cat "$folder/result")"
  grep -q "50 opened in .*, 50 held" "$folder/result" || fail "TLS $version: $(cat "$folder/result")"
  grep -q "^protocol     HTTP/2 over TLSv$version, " "$folder/result" || fail "TLS $version: $(cat "$folder/result")"
done
"$load" idle --url "$url/" --connections 2 --hold 0 --ca-file "$folder/certificate" >"$folder/result" ||
  fail "$(cat "$folder/result")"
code=0
"$load" idle --url "https://localhost:$port/" --connections 2 --hold 0 --ca-file "$folder/certificate" \
  >"$folder/result" || code=$?
[ "$code" = 1 ] || fail "a certificate for another name ends with exit code $code"
grep -q "the certificate: hostname mismatch" "$folder/result" || fail "$(cat "$folder/result")"
code=0
"$load" idle --url "http://127.0.0.1:$port/" --connections 2 --hold 0 >"$folder/result" || code=$?
[ "$code" = 1 ] || fail "cleartext to a TLS port ends with exit code $code"
echo "good"
