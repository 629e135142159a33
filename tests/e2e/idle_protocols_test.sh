#!/bin/bash
# Idle connections of each protocol, HTTP/2 and HTTP/1.1, in cleartext and over TLS 1.2 and 1.3: none is
# lost, and each is answered again as before.
. "$(dirname "$0")/common.sh"
need openssl

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/index.html"
head -c 100000 /dev/zero >"$work/www/large"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/key.pem" \
  -out "$work/certificate.pem" -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 2>/dev/null
start "$work/log" "$PERCH_BIN/perchd" --root "$work/www" --listen http://127.0.0.1:0 --listen https://127.0.0.1:0 \
  --certificate "$work/certificate.pem" --key "$work/key.pem" --workers 1
secure=$(sed -n 's/.*listens on \(https:[^ ]*\).*/\1/p' "$work/log" | head -n 1)

# idle PROTOCOL URL [FLAG...]: 300 connections, which must all speak PROTOCOL.
idle() {
  local protocol=$1 target=$2 out file
  shift 2
  for file in index.html large; do
    check "$protocol, $file"
    out=$("$PERCH_BIN/perch-load" idle --url "$target/$file" --connections 300 --hold 1 --timeout 60 "$@" 2>/dev/null)
    expect_equal "exit code" 0 $?
    expect_match "held" "300 opened in .*, 300 held" "$out"
    expect_match "protocol" "^protocol     $protocol" "$out"
    expect_match "probes" "^probes       300 sent, 300 answered as before" "$out"
  done
}

idle "HTTP/2 in cleartext" "$url"
idle "HTTP/1.1 in cleartext" "$url" --http1
idle "HTTP/2 over TLSv1.3, TLS_AES_128_GCM_SHA256" "$secure" --ca-file "$work/certificate.pem"
idle "HTTP/1.1 over TLSv1.3, TLS_AES_128_GCM_SHA256" "$secure" --http1
idle "HTTP/2 over TLSv1.2, ECDHE-ECDSA-AES128-GCM-SHA256" "$secure" --tls-max 1.2
idle "HTTP/1.1 over TLSv1.2, ECDHE-ECDSA-AES128-GCM-SHA256" "$secure" --tls-max 1.2 --http1

stop TERM
expect_equal "exit code" 0 "$code"
finish
