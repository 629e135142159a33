#!/bin/bash
# perchd over TLS: the certificate of a first run, HTTP/1.1 and HTTP/2 side by side, versions, resumption, client
# certificates, and clients other than curl.
. "$(dirname "$0")/common.sh"
need curl openssl
perchd=$PERCH_BIN/perchd

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/small.txt"
head -c 300000 /dev/urandom >"$work/www/large.bin"
https() { curl --silent --show-error --max-time 30 --cacert "$work/ca.pem" "$@"; }

check "the first run"
start "$work/log" "$perchd" --root "$work/www" --listen https://localhost:0 --listen http://127.0.0.1:0 --workers 2
stored=$STATE_DIRECTORY/self-signed.pem
expect_equal "one line" 1 "$(grep -c 'self-signed one is used.*made now and is kept in '"$stored" "$work/log")"
expect_equal "mode of the key" 600 "$(stat -c %a "$stored")"
expect_equal "mode of its directory" 700 "$(stat -c %a "$STATE_DIRECTORY")"
openssl x509 -in "$stored" -out "$work/ca.pem"
port=${secure_url##*:}
expect_equal "curl trusts it once told" "Hello, World!" "$(https "https://localhost:$port/small.txt")"
expect_equal "its addresses as well" "Hello, World!" "$(https "https://127.0.0.1:$port/small.txt")"
expect_equal "-k" "Hello, World!" "$(curl -sk "https://localhost:$port/small.txt")"
expect_match "not unless it is told" 'self-signed' "$(curl -sS "https://localhost:$port/small.txt" 2>&1)"
stop TERM
before=$(cksum <"$stored")
start "$work/log" "$perchd" --root "$work/www" --listen https://localhost:0 --listen http://127.0.0.1:0 --workers 2
expect_match "the second run uses it again" "made earlier and is kept in $stored" "$(cat "$work/log")"
expect_equal "as it was" "$before" "$(cksum <"$stored")"
base=https://localhost:${secure_url##*:}
address=127.0.0.1:${secure_url##*:}

check "versions of HTTP and TLS"
said() { https -o /dev/null -w '%{http_version} %{http_code}' "$@"; }
expect_equal "HTTP/2 by ALPN" "2 200" "$(said --http2 "$base/small.txt")"
expect_equal "HTTP/1.1" "1.1 200" "$(said --http1.1 "$base/small.txt")"
expect_equal "HTTP/1.0" "1.1 200" "$(said --http1.0 "$base/small.txt")"
expect_equal "no ALPN is HTTP/1.1" "1.1 200" "$(said --no-alpn "$base/small.txt")"
expect_equal "TLS 1.2" "2 200" "$(said --tls-max 1.2 "$base/small.txt")"
expect_equal "TLS 1.3" "2 200" "$(said --tlsv1.3 "$base/small.txt")"
for version in 1.1 2; do
  https --http$version -o "$work/got" "$base/large.bin"
  expect_equal "a large file over HTTP/$version" "$(cksum <"$work/www/large.bin")" "$(cksum <"$work/got")"
  https --http$version -o "$work/got" -r 100000- "$base/large.bin"
  expect_equal "a range over HTTP/$version" "$(tail -c 200000 "$work/www/large.bin" | cksum)" "$(cksum <"$work/got")"
done
client() { openssl s_client -connect "$address" -servername localhost "$@" </dev/null 2>&1; }
expect_match "ALPN h2" 'ALPN protocol: h2' "$(client -alpn h2,http/1.1)"
expect_match "ALPN http/1.1" 'ALPN protocol: http/1.1' "$(client -alpn http/1.1)"
expect_match "an unknown protocol is refused" 'no application protocol|alert number 120' "$(client -alpn spdy/3)"
expect_match "the suite that is preferred" 'TLS_AES_128_GCM_SHA256' "$(client -tls1_3)"
expect_match "TLS 1.1 is refused" 'protocol version|no protocols available|alert' "$(client -tls1_1)"
expect_match "a ticket resumes (TLS 1.2)" '^Reused, TLSv1.2' \
  "$(client -tls1_2 -sess_out "$work/session" >/dev/null; client -tls1_2 -sess_in "$work/session")"

check "a client in clear on the secure port"
expect_match "is told so" 'This port speaks TLS' "$(curl -s "http://$address/")"
check "TLS on the port in clear"
expect_match "is refused" 'SSL|wrong version' "$(curl -sS "https://${url#http://}/" 2>&1)"

check "nghttp and h2load"
if command -v h2load >/dev/null; then
  expect_equal "nghttp" "Hello, World!" "$(nghttp "$base/small.txt" 2>/dev/null)"
  for protocol in h2 http/1.1; do
    expect_match "20,000 requests over $protocol" '20000 succeeded, 0 failed, 0 errored, 0 timeout' \
      "$(h2load --npn-list=$protocol -n 20000 -c 20 -m 10 "$base/small.txt" | sed -n 's/^requests: //p')"
  done
fi
if command -v gnutls-cli >/dev/null; then
  check "GnuTLS"
  expect_match "HTTP/1.1" '200 OK' "$(printf 'GET /small.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' |
    gnutls-cli --x509cafile "$work/ca.pem" --alpn http/1.1 -p "${address##*:}" localhost 2>&1)"
fi
stop TERM
expect_equal "exit code" 0 "$code"

check "a state directory that cannot be written"
: >"$work/file"
STATE_DIRECTORY=$work/file/x start "$work/log" "$perchd" --root "$work/www" --listen https://127.0.0.1:0 --workers 1
expect_match "is told" "lives in memory until perchd ends, since it cannot be kept: $work/file/x: Not a directory" "$(cat "$work/log")"
expect_equal "and TLS works" "Hello, World!" "$(curl -sk "$secure_url/small.txt")"
stop TERM

check "certificates, names and minimum version"
make_certificate first.test
make_certificate second.test
cat >"$work/p.toml" <<EOF
root = "$work/www"
listen = ["https://127.0.0.1:0"]
workers = 1
[tls]
min_version = "1.3"
certificates = [
  { certificate = "$work/first.test.pem", key = "$work/first.test.key" },
  { certificate = "$work/second.test.pem", key = "$work/second.test.key" },
]
EOF
start "$work/log" "$perchd" --config "$work/p.toml"
address=${secure_url#https://}
expect_equal "the default" first.test "$(shown_name "$address")"
expect_equal "by name" second.test "$(shown_name "$address" -servername second.test)"
expect_equal "an unknown name gets the default" first.test "$(shown_name "$address" -servername third.test)"
expect_match "TLS 1.2 is refused" 'alert|error' "$(openssl s_client -connect "$address" -tls1_2 </dev/null 2>&1)"
expect_equal "no state is made" "" "$(find "$STATE_DIRECTORY" -newer "$work/p.toml")"
stop TERM

check "client certificates"
make_certificate client.test
make_certificate stranger.test
sed -i "s|^min_version.*|client_certificates = \"require\"\nclient_ca = \"$work/client.test.pem\"|" "$work/p.toml"
start "$work/log" "$perchd" --config "$work/p.toml"
with() { curl -sk --max-time 20 --cert "$work/$1.pem" --key "$work/$1.key" "$secure_url/small.txt"; }
expect_equal "a good one" "Hello, World!" "$(with client.test)"
expect_equal "a stranger's" "" "$(with stranger.test)"
expect_equal "none" "" "$(curl -sk --max-time 20 "$secure_url/small.txt")"
stop TERM

check "uploads and trailers over TLS"
make_certificate localhost
start "$work/log" "$PERCH_BIN/streaming" https://localhost:0 "$work/localhost.pem" "$work/localhost.key"
if [ -n "$secure_url" ]; then
  for version in 1.1 2; do
    curl -sk --http$version -T "$work/www/large.bin" -o "$work/back" "$secure_url/echo"
    expect_equal "an upload comes back over HTTP/$version" "$(cksum <"$work/www/large.bin")" "$(cksum <"$work/back")"
  done
  expect_match "trailers" 'x-bytes: 300000' "$(nghttp -v -d "$work/www/large.bin" "$secure_url/echo" 2>&1 | tr -d '\000' | grep -a x-bytes)"
fi
stop TERM
finish
