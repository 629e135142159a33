#!/bin/bash
# The access log: formats, what a hostile client can put into it, streams that end early, and rotation.
. "$(dirname "$0")/common.sh"
need curl
perchd=$PERCH_BIN/perchd

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/small.txt"
truncate -s 3000000 "$work/www/large.bin"
truncate -s 100M "$work/www/huge.bin"  # more than sockets hold
log=$work/access.log
# configure FORMAT
configure() {
  cat >"$work/p.toml" <<EOF
root = "$work/www"
listen = ["http://127.0.0.1:0", "https://127.0.0.1:0"]
workers = 2
[access_log]
file = "$log"
format = "$1"
EOF
}
reload() {
  : >"$work/log"
  kill -HUP "$pid"
  wait_for_log "reload" "$work/log" ' reloaded$'
}
lines() { [ "$(wc -l <"$log")" -ge "$1" ]; }

configure combined
start "$work/log" "$perchd" --config "$work/p.toml"
curl -s -A 'agent/1' -e 'http://from.test/' "$url/small.txt" >/dev/null
h2 -A 'agent/2' "$url/missing?q=1" >/dev/null
curl -sk -I "$secure_url/large.bin" >/dev/null
h2 -o /dev/null "$url/large.bin"
check "combined"
eventually lines 4 || fail "no four lines in [$(cat "$log")]"
time='\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} \+0000\]'
expect_match "HTTP/1.1" "^127.0.0.1 - - $time \"GET /small.txt HTTP/1.1\" 200 13 \"http://from.test/\" \"agent/1\"$" "$(sed -n 1p "$log")"
expect_match "HTTP/2, 404" "\"GET /missing\?q=1 HTTP/2.0\" 404 [0-9]+ \"-\" \"agent/2\"$" "$(sed -n 2p "$log")"
expect_match "HEAD has no body" '"HEAD /large.bin HTTP/2.0" 200 0 ' "$(sed -n 3p "$log")"
expect_match "bytes of a large body" '"GET /large.bin HTTP/2.0" 200 3000000 ' "$(sed -n 4p "$log")"
expect_match "mode" '^6[04]0$' "$(stat -c %a "$log")"

check "hostile requests"
curl -s -A "$(printf 'x" 200 0 "-" "\\\303\251\t')y" "$url/small.txt" >/dev/null
eventually lines 5 || fail "no fifth line"
expect_match "cannot leave their field" '"x\\x22 200 0 \\x22-\\x22 \\x22\\x5C\\xC3\\xA9\\x09y"$' "$(sed -n 5p "$log")"

check "rotation to another format"
mv "$log" "$log.1"
configure json
reload
curl -sk --tls-max 1.3 "$secure_url/small.txt" >/dev/null
eventually lines 1 || fail "no line in the new file"
expect_equal "the old file rests" 5 "$(wc -l <"$log.1")"
line=$(cat "$log")
expect_match "JSON" '^\{"time":"[0-9T:.-]{23}Z","remote":"127.0.0.1","method":"GET","target":"/small.txt","authority":"127.0.0.1:[0-9]+","version":"HTTP/2.0","status":200,"bytes":13,"duration_us":[0-9]+,' "$line"
expect_match "TLS" '"tls_version":"TLSv1.3","tls_cipher":"TLS_AES_128_GCM_SHA256","end":"complete"\}$' "$line"

check "a client that leaves"
curl -s --limit-rate 10K --max-time 1 -o /dev/null "$url/huge.bin"
left() { grep -q '"target":"/huge.bin".*"status":200.*"end":"\(failed\|reset\)"' "$log"; }
eventually left || fail "not told in [$(cat "$log")]"
sent=$(sed -n 's/.*"target":"\/huge.bin".*"bytes":\([0-9]*\).*/\1/p' "$log" | head -n 1)
expect_at_most "bytes are what was handed over" 104857599 "$sent"

check "load"
if command -v h2load >/dev/null; then
  rm -f "$log"
  reload
  h2load -n 20000 -c 10 -m 10 "$url/small.txt" >/dev/null
  # Lines that came faster than they could be written are dropped, and counted.
  dropped() { sed -n 's/.*were dropped.*(\([0-9]*\) in all).*/\1/p' "$work/log" | tail -n 1; }
  all_told() { [ $(($(wc -l <"$log") + $(dropped || echo 0) + 0)) -ge 10000 ]; }
  eventually all_told || fail "$(wc -l <"$log") lines"
  expect_equal "every line is whole" 0 "$(grep -vc '^{.*}$' "$log")"
fi
stop TERM
expect_equal "exit code" 0 "$code"

check "standard error"
start "$work/log" "$perchd" --config <(sed "s|^file =.*|file = \"stderr\"|; s|json|common|" "$work/p.toml")
curl -s "$url/small.txt" >/dev/null
wait_for_log "has the line" "$work/log" '"GET /small.txt HTTP/1.1" 200 13$'
stop TERM
finish
