#!/bin/sh
# The code in README.md is examples/hello.cc, which is compiled and run by the end-to-end tests; and every
# file that the documentation links to exists.
set -eu
cd "${PERCH_SOURCE_DIR:-.}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$work/readme"
grep -v '^//' examples/hello.cc >"$work/example"
[ -s "$work/readme" ] || { echo "README.md shows no code"; exit 1; }
diff -u "$work/example" "$work/readme" || { echo "README.md shows other code than examples/hello.cc"; exit 1; }

links=0
for file in README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs/*.md src/*/README.md apps/*/README.md; do
  for link in $(grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//; s/#.*$//' | grep -E '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]*)*$' || true); do
    links=$((links + 1))
    [ -e "$(dirname "$file")/$link" ] || { echo "$file links to $link, which is not there"; exit 1; }
  done
done
[ "$links" -gt 5 ] || { echo "only $links links found: is the pattern still right?"; exit 1; }
echo "README's code is the example's; $links links lead somewhere"
