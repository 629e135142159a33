#!/bin/bash
# The Debian package: what is in it, and that what it installs runs.
set -u
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1"; exit 1; }

(cd "${PERCH_BINARY_DIR:?}" && cpack -G DEB -B "$work/package") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
deb=$(ls "$work"/package/*.deb)
dpkg-deb -c "$deb" >"$work/list" || exit 1
for file in usr/bin/perchd usr/lib/systemd/system/perchd.service usr/lib/systemd/system/perchd.socket \
  usr/share/man/man1/perchd.1 usr/share/man/man5/perchd.toml.5 etc/perchd/perchd.toml etc/logrotate.d/perchd var/www/; do
  grep -q " \./$file\$" "$work/list" || { cat "$work/list"; wrong "$file is missing"; }
done
! grep -Ev ' root/root ' "$work/list" || wrong "not all belongs to root"
! grep -E '\./usr/(include|lib/.*\.a$)' "$work/list" || wrong "the library is in it"
dpkg-deb -e "$deb" "$work/control"
for script in postinst prerm postrm; do
  [ -x "$work/control/$script" ] && sh -n "$work/control/$script" || wrong "$script"
done
grep -qx /etc/perchd/perchd.toml "$work/control/conffiles" || wrong "the configuration is no conffile"
grep -q '^Depends: .*adduser.*libssl3' "$work/control/control" || grep -q '^Depends: .*libssl3.*' "$work/control/control" ||
  wrong "no dependency on libssl3: $(cat "$work/control/control")"
grep -q '^ExecStart=/usr/bin/perchd ' <(dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/lib/systemd/system/perchd.service) ||
  wrong "the service starts another program"

# Unpacked elsewhere: the program runs, and likes the configuration that comes with it.
dpkg-deb -x "$deb" "$work/root"
"$work/root/usr/bin/perchd" --version || wrong "it does not run"
sed "s|/var/www|$work/root/var/www|; s|:80\"|:8080\"|; s|:443\"|:8443\"|" "$work/root/etc/perchd/perchd.toml" >"$work/p.toml"
"$work/root/usr/bin/perchd" --config "$work/p.toml" --check || wrong "its configuration has mistakes"

# Installed for real where nothing can be harmed: into a root of its own, without the scripts' tools.
if [ "$(id -u)" -eq 0 ]; then
  mkdir -p "$work/installed/var/lib/dpkg/info" "$work/installed/var/lib/dpkg/updates" "$work/installed/var/log"
  : >"$work/installed/var/lib/dpkg/status"
  dpkg --root="$work/installed" --force-depends --force-script-chrootless --unpack "$deb" >"$work/log" 2>&1 ||
    { cat "$work/log"; wrong "dpkg --unpack"; }
  [ "$(dpkg-query --admindir="$work/installed/var/lib/dpkg" -W -f '${Conffiles}' perchd | grep -c /etc/)" -eq 2 ] ||
    wrong "dpkg does not know the conffiles"
  dpkg --root="$work/installed" --force-script-chrootless --purge perchd >"$work/log" 2>&1 || { cat "$work/log"; wrong "dpkg --purge"; }
  [ ! -e "$work/installed/usr/bin/perchd" ] || wrong "something is left"
fi
echo "$(wc -l <"$work/list") entries"
