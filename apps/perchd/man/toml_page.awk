# Makes the SETTINGS of perchd.toml(5) from perchd.toml, so that the two never differ:
#
#   # text         a paragraph; before `#key = value` lines, what they mean
#   #   example    text that is shown as it is
#   #key = value   a setting with its default; several in a row share their text
#   [table]        a heading; the text before it is its introduction
#
# Use: awk -f toml_page.awk perchd.toml

function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  sub(/^\./, "\\\\\\&.", text)
  return text
}

function print_text(    i, verbatim) {
  verbatim = 0
  for (i = 1; i <= lines; ++i) {
    if (line[i] ~ /^  / && !verbatim) { print ".RS\n.EX"; verbatim = 1 }
    if (line[i] !~ /^  / && line[i] != "" && verbatim) { print ".EE\n.RE"; verbatim = 0 }
    if (line[i] == "" && !verbatim) print keys ? ".IP" : ".PP"
    else if (line[i] == "") print ""
    else print roff(line[i])
  }
  if (verbatim) print ".EE\n.RE"
  lines = 0
}

function flush_setting(    i) {
  if (keys == 0) return
  for (i = 1; i <= keys; ++i) print (i == 1 ? ".TP" : ".TQ") "\n\\fB" roff(key[i]) "\\fR"
  print_text()
  keys = 0
}

/^#[a-z]/ { key[++keys] = substr($0, 2); next }
keys > 0 { flush_setting() }
/^\[/ {
  print ".SS " roff($0)
  print_text()
  next
}
/^#/ { line[++lines] = substr($0, 3); next }
/^$/ {
  if (lines > 0) { print ".PP"; print_text() }
}
END { flush_setting(); if (lines > 0) { print ".PP"; print_text() } }
