#!/bin/sh
# Copies the primary of compose-scale.yaml into an empty data directory, and runs a replica. PGPASSWORD: of `replicator`.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    until pg_basebackup -d "host=$PRIMARY user=replicator" -D "$PGDATA" -R -X stream; do
        # The primary may not be ready yet.
        rm -rf "${PGDATA:?}"/*
        sleep 2
    done
    # pg_basebackup leaves the password in the file that it writes for the replica.
    chmod 0700 "$PGDATA"
fi
exec postgres -c hot_standby=on
