#!/bin/sh
# Prepares a new primary of compose-scale.yaml: roles with one password, and access for replicas.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
create role replicator replication login password :'password';
create role holdfast_owner login password :'password';
create role holdfast_writer login password :'password';
create role holdfast_gateway login password :'password';
create role holdfast_reader login password :'password';
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
