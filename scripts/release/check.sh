#!/usr/bin/env bash
# Tries what `npm run release -- FOLDER` made, as a user would: `npm run release:check -- FOLDER`. Each part installs into
# a temporary folder and starts a node of the development network there. The Debian package needs root and mmdebstrap.
set -euo pipefail
folder=$(cd "${INIT_CWD:-.}" && cd "${1:?Usage: npm run release:check -- FOLDER}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Runs a node until it has forged a block: run COMMAND...
run_node() {
  local log="$work/node.log"
  "$@" --network dev --no-p2p --api-port 0 --log-format json >"$log" 2>&1 &
  local node=$!
  for _ in $(seq 150); do
    grep -q '"Forged a block"' "$log" && break
    kill -0 "$node" 2>/dev/null || break
    sleep 0.2
  done
  kill "$node" 2>/dev/null || true
  wait "$node" || true
  grep -q '"Forged a block"' "$log" && grep -q '"Stopped"' "$log" && return
  cat "$log" >&2
  return 1
}

(cd "$folder" && sha256sum --check --quiet SHA256SUMS)
echo "SHA256SUMS: correct"

npm install --global --prefix "$work/npm" --engine-strict --ignore-scripts "$folder"/holdfast-*[0-9].tgz >/dev/null
run_node "$work/npm/bin/holdfast" start --data-dir "$work/data-npm"
echo "npm package: installs with --engine-strict, starts, forges, stops"

tar -xzf "$folder"/holdfast-*-linux-x64.tar.gz
archive=$(echo "$work"/holdfast-*-linux-x64)
run_node env -i PATH=/usr/bin:/bin HOME="$work" "$archive/bin/holdfast" start --data-dir "$work/data-archive"
echo "archive for linux-x64: starts without another Node.js, forges, stops"

if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "Debian package: skipped, it needs root and mmdebstrap"
  exit
fi
root="$work/debian"
mmdebstrap --quiet --variant=minbase --include=adduser,systemd "${DEBIAN_SUITE:-bookworm}" "$root" >/dev/null 2>&1
cp "$folder"/holdfast_*_amd64.deb "$root/tmp/holdfast.deb"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get install -y -qq --no-install-recommends /tmp/holdfast.deb >/dev/null 2>&1
inside systemd-analyze verify --man=no holdfast.service
# A stand-in for systemd: writes each report to a file.
python3 -c '
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
with open(sys.argv[2], "a", buffering=1) as reports:
    while True:
        reports.write(listener.recv(4096).decode() + "\n")
' "$root/tmp/notify" "$work/reports" &
listener=$!
until [ -S "$root/tmp/notify" ]; do sleep 0.1; done
run_node chroot --userspec=holdfast:holdfast "$root" env NOTIFY_SOCKET=/tmp/notify WATCHDOG_USEC=1000000 \
  holdfast start --config /etc/holdfast/holdfast.yaml
kill "$listener"
for report in READY=1 WATCHDOG=1 STOPPING=1; do grep -q "^$report$" "$work/reports"; done
echo "Debian package: installs, the unit is valid, the node starts, forges, reports to systemd, stops"
sed -i 's/^api-port: .*/api-port: 6870/' "$root/etc/holdfast/holdfast.yaml"
inside dpkg --install /tmp/holdfast.deb >/dev/null
grep -q '^api-port: 6870$' "$root/etc/holdfast/holdfast.yaml"
echo "Debian package: an upgrade keeps changed settings"
inside apt-get remove -y -qq holdfast >/dev/null 2>&1
[ ! -e "$root/usr/bin/holdfast" ]
[ -e "$root/var/lib/holdfast/chain" ]
inside apt-get purge -y -qq holdfast >/dev/null 2>&1
[ ! -e "$root/etc/holdfast" ]
[ ! -e "$root/var/lib/holdfast/chain" ]
[ -e "$root/var/lib/holdfast/wallet" ]
echo "Debian package: a removal keeps the data; a purge deletes settings and chain, and keeps the wallet"
