#!/bin/sh
# The manual pages: groff has nothing to say about them, every key and table of perchd.toml and every flag of perchd
# is in them.
set -eu
man=${PERCH_BINARY_DIR:?}/apps/perchd/man
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v groff >/dev/null || { echo "skipped: groff is not installed"; exit 77; }

for page in perchd.1 perchd.toml.5; do
  groff -ww -man -Tascii -P-cbou "$man/$page" >"$work/$page" 2>"$work/said"
  [ ! -s "$work/said" ] || { echo "$page:"; cat "$work/said"; exit 1; }
  [ "$(wc -l <"$work/$page")" -gt 60 ] || { echo "$page is too short"; exit 1; }
done

keys=0
for key in $(sed -n 's/^#\([a-z][a-z0-9_]*\) = .*/\1/p; s/^\(\[[a-z_]*\]\)$/\1/p' apps/perchd/perchd.toml); do
  keys=$((keys + 1))
  grep -Eq "^ +$(printf '%s' "$key" | sed 's/[][]/\\&/g')( = |$)" "$work/perchd.toml.5" ||
    { echo "perchd.toml(5) lacks $key"; exit 1; }
done
[ "$keys" -gt 50 ] || { echo "only $keys keys found: is the pattern still right?"; exit 1; }

for flag in $("$PERCH_BIN/perchd" --help | grep -o -e '--[a-z-]*' | sort -u); do
  grep -q -e "$flag" "$work/perchd.1" || { echo "perchd(1) lacks $flag"; exit 1; }
done
echo "$keys keys and tables"
