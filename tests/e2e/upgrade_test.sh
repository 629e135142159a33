#!/bin/bash
# A new process takes over the sockets while clients go on: by SIGUSR2, and by systemd's protocol.
. "$(dirname "$0")/common.sh"
need curl openssl
perchd=$PERCH_BIN/perchd

mkdir "$work/www"
printf 'Hello, World!' >"$work/www/page"
head -c 3000000 /dev/urandom >"$work/www/large"
make_certificate first.test
cat >"$work/p.toml" <<EOF
root = "$work/www"
listen = ["https://127.0.0.1:0", "http://127.0.0.1:0"]
workers = 2
[timeouts]
drain = "20 s"
upgrade = "20 s"
[tls]
certificates = [{ certificate = "$work/first.test.pem", key = "$work/first.test.key" }]
EOF
cp "$perchd" "$work/perchd"
start "$work/log" "$work/perchd" --config "$work/p.toml"
serving() { sed -n 's/.*upgrade: process \([0-9]*\) serves.*/\1/p' "$work/log" | tail -n 1; }
ended() { ! kill -0 "$1" 2>/dev/null; }
# upgrade: SIGUSR2, then the new process is `pid`.
upgrade() {
  local before=$pid known
  known=$(serving)
  kill -USR2 "$pid"
  other() { [ "$(serving)" != "$known" ]; }
  eventually other || { fail "no new process: $(cat "$work/log")"; return 1; }
  pid=$(serving)
  server_pids="$server_pids $pid"
  eventually ended "$before" || fail "process $before did not end"
}

check "an upgrade"
upgrade
expect_equal "the port is the same" "Hello, World!" "$(curl -s "$url/page")"
expect_equal "and the scheme" "Hello, World!" "$(curl -sk "$secure_url/page")"

check "a program that does not start"
mv "$work/p.toml" "$work/good.toml"
printf 'root = "%s/none"\nlisten = ["https://127.0.0.1:0", "http://127.0.0.1:0"]\n' "$work" >"$work/p.toml"
kill -USR2 "$pid"
wait_for_log "is told" "$work/log" "error upgrade: the new process [0-9]+ failed: root: .*none\": No such file or directory.*; this process goes on"
expect_equal "the old one goes on" "Hello, World!" "$(curl -s "$url/page")"
echo 'exit 0' >"$work/p.toml"
kill -USR2 "$pid"
wait_for_log "mistakes in the configuration" "$work/log" 'failed: .*p.toml:1:.*cannot be read'
mv "$work/good.toml" "$work/p.toml"
mv "$work/perchd" "$work/perchd.away"
kill -USR2 "$pid"
wait_for_log "a missing program" "$work/log" 'failed: cannot be executed: No such file'
mv "$work/perchd.away" "$work/perchd"
expect_equal "still serves" "Hello, World!" "$(curl -sk "$secure_url/page")"

check "under load"
touch "$work/go"
for i in 1 2 3 4; do
  case $((i % 2)) in 0) target=$url ;; 1) target=$secure_url ;; esac
  while [ -e "$work/go" ]; do
    curl -sk --max-time 20 -o /dev/null -w '%{http_code} %{errormsg}\n' "$target/page" || echo broken
  done >"$work/answers.$i" &
  loops="${loops:-} $!"
done
curl -s --limit-rate 1000K -o "$work/slow" "$url/large" &
slow=$!
for i in 1 2 3; do upgrade; done
rm "$work/go"
# shellcheck disable=SC2086
wait $loops
expect_equal "no request failed" "" "$(cat "$work"/answers.* | grep -v '^200 $' | sort | uniq -c)"
expect_match "of many" '^[0-9]{2,}$' "$(cat "$work"/answers.* | wc -l)"
wait "$slow"
expect_equal "a download over the upgrades is whole" "$(cksum <"$work/www/large")" "$(cksum <"$work/slow")"
expect_no_match "nothing was cut off" 'cut off' "$(cat "$work/log")"
expect_equal "the ports stay" "Hello, World!" "$(curl -sk "$secure_url/page")"
kill -TERM "$pid"
eventually ended "$pid" || fail "the last process did not end"
expect_match "the ports are closed at the end" '^000$' "$(curl -s -o /dev/null -w '%{http_code}' "$url/page")"

if command -v systemd-socket-activate >/dev/null; then
  check "socket activation"
  port=$(start "$work/port" "$perchd" --root "$work/www" --listen http://127.0.0.1:0 --workers 1 >/dev/null && echo "${url##*:}"
    stop TERM >/dev/null)
  systemd-socket-activate --listen "127.0.0.1:$port" "$perchd" --root "$work/www" --listen "http://127.0.0.1:$port" \
    --workers 1 >"$work/activated" 2>&1 &
  pid=$!
  server_pids="$server_pids $pid"
  answers() { [ "$(curl -s --max-time 5 "http://127.0.0.1:$port/page")" = "Hello, World!" ]; }
  eventually answers || fail "no answer: $(cat "$work/activated")"
  checks=$((checks + 1))
  expect_no_match "the socket is taken over" 'in use|was closed' "$(cat "$work/activated")"
  stop TERM
  expect_equal "exit code" 0 "$code"
fi
finish
