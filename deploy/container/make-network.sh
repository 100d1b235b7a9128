#!/bin/sh
# Makes a network of N forging nodes in a folder, once: make-network.sh N FOLDER
# The folder then contains genesis.json, node-1.seed to node-N.seed, and auth-token.
set -eu
umask 077
nodes=$1
folder=$2
[ ! -e "$folder/genesis.json" ] || exit 0
# The genesis file is renamed last: it says that the network is complete.
rm -f "$folder/seeds.txt" "$folder/genesis.new"
holdfast genesis new --chain-id N --new-accounts "$nodes" --delay 15s \
  --seeds-out "$folder/seeds.txt" --out "$folder/genesis.new"
number=1
while read -r _ seed; do
  printf '%s' "$seed" >"$folder/node-$number.seed"
  number=$((number + 1))
done <"$folder/seeds.txt"
rm "$folder/seeds.txt"
od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$folder/auth-token"
mv "$folder/genesis.new" "$folder/genesis.json"
