#!/bin/sh
# Checks the #include lines against cmake/layers.txt:
#
# - a file of include/perch/<layer> or src/<layer> includes only its own layer and those it may use
#   (tests, benchmarks and fuzzers may include any);
# - a public header includes standard C++ headers and perch/ headers, nothing else.
#
#   tools/check_layers.sh [SOURCE FOLDER]
set -eu
cd "${1:-$(dirname "$0")/..}"

find include/perch src -type f \( -name '*.h' -o -name '*.cc' \) | LC_ALL=C sort |
  awk '
  # First the layers, then the list of files.
  FILENAME != "-" {
    if ($0 !~ /^[a-z]/) next
    split($0, halves, ":")
    layer = halves[1]
    known[layer] = 1
    may[layer, layer] = 1
    n = split(halves[2], used, " ")
    for (i = 1; i <= n; i++) may[layer, used[i]] = 1
    next
  }
  { check($0); files++ }

  function check(file,   parts, public, layer, line, number) {
    split(file, parts, "/")
    public = parts[1] == "include"
    layer = public ? parts[3] : parts[2]
    if (layer ~ /\.(h|cc)$/) layer = ""  # include/perch/x.h stands above all layers
    if (layer != "" && !(layer in known)) wrong(file, 1, "`" layer "` is not a layer of cmake/layers.txt")
    number = 0
    while ((getline line < file) > 0) {
      number++
      if (line ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) check_include(file, number, line, public, layer)
    }
    close(file)
  }

  function check_include(file, number, line, public, layer,   name, quoted, parts, used) {
    quoted = line ~ /include[ \t]*"/
    name = line
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*$/, "", name)
    if (public && name !~ /^perch\// && (quoted || name !~ /^[a-z_0-9]+$/)) {
      wrong(file, number, "a public header includes " name "; only standard C++ headers and perch/ are allowed")
      return
    }
    while (name ~ /^\.\.?\//) sub(/^\.\.?\//, "", name)
    sub(/^(src|include)\//, "", name)
    split(name, parts, "/")
    if (name ~ /^perch\/[^\/]+\//) {
      used = parts[2]
      if (!(used in known)) { wrong(file, number, name ": `" used "` is not a layer"); return }
    } else if (quoted && name ~ /\// && parts[1] in known) {
      used = parts[1]
    } else if (name ~ /^perch\// && layer != "") {
      wrong(file, number, name " stands above all layers")
      return
    } else {
      return
    }
    if (layer == "" || file ~ /_(test|bench|fuzz)\.(cc|h)$/) return
    if (!((layer, used) in may)) wrong(file, number, layer " may not use " used " (" name ")")
  }

  function wrong(file, number, what) {
    printf "%s:%d: %s\n", file, number, what
    failed++
  }

  END {
    if (!files) { print "no files in include/perch and src"; exit 1 }
    if (failed) { print failed " includes break the layers"; exit 1 }
    print files " files keep to the layers"
  }
' cmake/layers.txt -
