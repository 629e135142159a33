#!/bin/sh
# Attacks that perchd's limits end: each of their connections is told so, and the server serves on.
set -eu
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
echo "hello" >"$folder/index.html"
fail() { echo "FAILED: $*"; exit 1; }
load="$PERCH_BIN/perch-load"

"$PERCH_BIN/perchd" --root "$folder" --listen http://127.0.0.1:0 --workers 1 >"$folder/log" 2>&1 &
server=$!
url=
for _ in $(seq 200); do
  url=$(sed -n 's/.*listens on //p' "$folder/log" | head -n 1)
  [ -z "$url" ] || break
  sleep 0.05
done
[ -n "$url" ] || fail "perchd did not start: $(cat "$folder/log")"

for kind in rapid-reset provoked-resets continuation empty-data hpack-bomb priority-update; do
  "$load" attack --url "$url/" --kind "$kind" --connections 3 --seconds 1 >"$folder/result" ||
    fail "$kind: $(cat "$folder/result")"
  grep -q "^ended .* GOAWAY ENHANCE_YOUR_CALM" "$folder/result" || fail "$kind: $(cat "$folder/result")"
done
"$load" idle --url "$url/" --connections 10 --hold 0 >"$folder/result" 2>&1 || fail "$(cat "$folder/result")"

code=0
"$load" attack --url "$url/" --kind key-update 2>"$folder/result" || code=$?
[ "$code" = 2 ] || fail "key-update in cleartext ends with exit code $code"
code=0
"$load" attack --url "$url/" --kind kindness 2>"$folder/result" || code=$?
[ "$code" = 2 ] || fail "an unknown kind ends with exit code $code"
echo "good"
