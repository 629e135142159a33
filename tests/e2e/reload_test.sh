#!/bin/bash
# SIGHUP while requests go on: certificates are exchanged, files, logs and mistakes are taken as they come, and no
# request is lost.
. "$(dirname "$0")/common.sh"
need curl openssl h2load
perchd=$PERCH_BIN/perchd

mkdir "$work/one" "$work/two"
printf 'one' >"$work/one/page"
printf 'two' >"$work/two/page"
head -c 3000000 /dev/urandom >"$work/one/large"
make_certificate first.test
make_certificate second.test
ln -s "$work/one" "$work/current"

# configure CERTIFICATE ROOT [MORE]
configure() {
  cat >"$work/p.toml" <<EOF
root = "$2"
listen = ["https://127.0.0.1:0", "http://127.0.0.1:0"]
workers = 2
log_level = "info"
${3:-}
[tls]
certificates = [{ certificate = "$work/$1.pem", key = "$work/$1.key" }]
EOF
}
reloads=0
# reload: one reload, waited for.
reload() {
  reloads=$((reloads + 1))
  kill -HUP "$pid"
  eventually enough_reloads || fail "reload $reloads was not done"
}
enough_reloads() { [ "$(grep -c -E ' reloaded$|all stays as it was$' "$work/log")" -ge $reloads ]; }

configure first.test "$work/current"
start "$work/log" "$perchd" --config "$work/p.toml"
address=${secure_url#https://}
get() { curl -sk --max-time 20 "$secure_url/page"; }

check "a certificate is exchanged"
expect_equal "before" first.test "$(shown_name "$address")"
configure second.test "$work/current"
reload
expect_equal "after" second.test "$(shown_name "$address")"

check "a bad certificate"
cp "$work/second.test.pem" "$work/good.pem"
echo garbage >"$work/second.test.pem"
reload
expect_equal "leaves the old one" second.test "$(shown_name "$address")"
expect_match "and one line says why" "error reload: \[tls\] stays as it was: $work/p.toml:7:17: $work/second.test.pem: holds no certificate" "$(cat "$work/log")"
mv "$work/good.pem" "$work/second.test.pem"

check "a mistake in the configuration"
echo 'colour = 1' >>"$work/p.toml"
reload
expect_match "is told" "error reload: $work/p.toml:8:1: unknown key" "$(cat "$work/log")"
expect_equal "and nothing changes" "one" "$(get)"

check "the files"
configure second.test "$work/current"
ln -sfn "$work/two" "$work/current"
expect_equal "are the old ones before" "one" "$(get)"
reload
expect_equal "and those that the name now means after" "two" "$(get)"
configure second.test "$work/nowhere"
reload
expect_match "a missing root is told" 'error reload: the files served stay as they were: .*nowhere' "$(cat "$work/log")"
expect_equal "and the old one served" "two" "$(get)"

check "what needs a restart"
configure second.test "$work/one" 'parking = false'
sed -i 's/^workers = 2/workers = 3/' "$work/p.toml"
reload
expect_match "is told in one line" 'warning reload: a change of workers, parking needs a restart' "$(cat "$work/log")"
expect_equal "the rest is taken" "one" "$(get)"

check "under load"
configure first.test "$work/one"
curl -sk --limit-rate 1500K -o "$work/slow" "$secure_url/large" &
slow=$!
for i in 1 2 3 4; do
  case $i in
    1) h2load -n 40000 -c 10 -m 10 "$secure_url/page" ;;
    2) h2load --npn-list=http/1.1 -n 20000 -c 10 "$secure_url/page" ;;
    3) h2load -n 40000 -c 10 -m 10 "$url/page" ;;
    4) for j in $(seq 60); do get || echo broken; done ;;
  esac >"$work/load.$i" &
  loads="${loads:-} $!"
done
names=
for i in $(seq 40); do
  case $((i % 4)) in
    0) configure first.test "$work/one" ;;
    1) configure second.test "$work/one" ;;
    2) configure missing.test "$work/one" ;;
    3) echo 'this is no TOML' >"$work/p.toml" ;;
  esac
  reload
  [ $((i % 10)) -ne 1 ] || names="$names $(shown_name "$address")"
done
# shellcheck disable=SC2086
wait $loads
expect_equal "certificates were exchanged meanwhile" " second.test second.test second.test second.test" "$names"
for i in 1 2 3; do
  expect_match "no request failed ($i)" ', 0 failed, 0 errored, 0 timeout' "$(grep '^requests:' "$work/load.$i")"
done
expect_equal "new connections all the time" 60 "$(grep -o one "$work/load.4" | wc -l)"
wait "$slow"
expect_equal "a download over the reloads is whole" "$(cksum <"$work/one/large")" "$(cksum <"$work/slow")"

check "log rotation"
mv "$work/log" "$work/log.1"
configure first.test "$work/one" "log_file = \"$work/errors\""
kill -HUP "$pid"
wait_for_log "the file is named by now" "$work/errors" ' reloaded$'
mv "$work/errors" "$work/errors.1"
kill -HUP "$pid"
wait_for_log "and opened again" "$work/errors" ' reloaded$'

check "parked connections"
if [ -x "$PERCH_BIN/perch-load" ]; then
  "$PERCH_BIN/perch-load" idle --url "$url/page" --connections 200 --hold 2 --pid "$pid" --json >"$work/idle" 2>/dev/null &
  idle=$!
  for i in 1 2 3 4 5; do
    rm -f "$work/errors"
    kill -HUP "$pid"
    wait_for_log "reload $i" "$work/errors" ' reloaded$'
  done
  wait "$idle"
  expect_match "all are answered afterwards" '"probes_good": 200' "$(cat "$work/idle")"
fi
stop TERM
expect_equal "exit code" 0 "$code"
finish
