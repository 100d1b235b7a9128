#!/usr/bin/env bash
# Makes the container's image without a container engine, tries it and writes it as an OCI archive:
# `npm run release:container -- FILE.tar`. The steps are those of the Dockerfile. Needs root, mmdebstrap and umoci.
set -euo pipefail
file=$(cd "${INIT_CWD:-.}" && realpath -m "${1:?Usage: npm run release:container -- FILE.tar}")
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'umount -q "$work/view" 2>/dev/null || true; rm -rf "$work"' EXIT
user=10001:10001
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}

# The build stage, in a clean clone.
git clone --quiet --no-hardlinks "$source" "$work/src"
(cd "$work/src" && INIT_CWD="$work" npm run --silent release -- --unpacked linux-x64 "$work/out")

# The final stage.
root="$work/root"
mmdebstrap --quiet --variant=minbase --include=ca-certificates,libstdc++6 "${DEBIAN_SUITE:-bookworm}" "$root" \
  >/dev/null 2>&1
mkdir -p "$root/opt" "$root/data" "$root/network"
cp -a "$work/out" "$root/opt/holdfast"
ln -s /opt/holdfast/bin/holdfast "$root/usr/local/bin/holdfast"
chown -R 0:0 "$root/opt/holdfast"
chown "$user" "$root/data" "$root/network"
chmod 0750 "$root/data" "$root/network"

# The user and a read-only root, as in deploy/compose.yaml; only /data and /tmp can be written.
mkdir "$work/view" "$work/data"
chown "$user" "$work/data"
mount --bind -o ro "$root" "$work/view"
unshare --mount --fork bash -euc '
  view=$1 data=$2 user=$3 log=$4
  mount -o remount,bind,ro "$view"
  mount --bind "$data" "$view/data"
  mount -t tmpfs none "$view/tmp"
  mount -t proc none "$view/proc"
  inside=(chroot --userspec="$user" "$view" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/)
  inside+=(HOLDFAST_API_PORT=16869 HOLDFAST_DATA_DIR=/data NODE_ENV=production)
  check() { "${inside[@]}" /opt/holdfast/lib/node/bin/node /opt/holdfast/lib/holdfast/scripts/healthcheck.cjs; }
  "${inside[@]}" holdfast start >"$log" 2>&1 &
  for _ in $(seq 150); do
    check >/dev/null 2>&1 && break
    sleep 0.2
  done
  check
  kill -TERM "$!"
  wait "$!"
' bash "$work/view" "$work/data" "$user" "$work/node.log" || { cat "$work/node.log" >&2; exit 1; }
grep -q '"Stopped' "$work/node.log"
umount "$work/view"
echo "The node runs as $user with a read-only root, is healthy, and stops on SIGTERM"

image="$work/image"
umoci init --layout "$image"
umoci new --image "$image:latest"
umoci insert --image "$image:latest" "$root" /
umoci config --image "$image:latest" --config.user "$user" --config.volume /data --config.entrypoint holdfast \
  --config.cmd start --config.env NODE_ENV=production --config.env HOLDFAST_DATA_DIR=/data \
  --config.exposedports 6869 --config.exposedports 6868 \
  --config.stopsignal SIGTERM --os linux --architecture amd64
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf "$file" -C "$image" .
echo "Wrote $file"
