#!/usr/bin/env bash
# Installs Debian's PostgreSQL for the tests, without a server that runs. Needs root.
set -euo pipefail
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
  echo "PostgreSQL is installed: $(ls -d /usr/lib/postgresql/*/bin)"
  exit 0
fi
apt-get update -q
# The package would create a cluster and start it.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends postgresql
ls -d /usr/lib/postgresql/*/bin
