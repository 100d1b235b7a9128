/** Stores of older formats: `test/fixtures/stores/README.md`. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { encodeHex } from "../../src/bytes/hex.ts";
import { networkIdentity } from "../../src/node/composition.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { allTables } from "../../src/storage/batch/write-batch.ts";
import type { Reader } from "../../src/storage/kv.ts";

const fixtures = fileURLToPath(new URL("../fixtures/stores", import.meta.url));

const folders = new Map([
  [4, "format-four"],
  [5, "format-five"],
]);

export const oldFormats = [...folders.keys()];
export const genesisFile = join(fixtures, "genesis.json");
export const oldProfile = customProfile(readFileSync(genesisFile, "utf8"));
export const oldNetwork = networkIdentity(oldProfile);

/** Makes the data directory of a node that stopped with this format. @returns its chain directory */
export function unpackStores(format: number, dataDir: string): string {
  for (const name of ["chain", "anchors"]) {
    const [from, to] = [join(fixtures, folders.get(format) ?? "", name), join(dataDir, name)];
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, "data.mdb"), gunzipSync(readFileSync(`${from}.mdb.gz`)));
    copyFileSync(`${from}.json`, join(to, "holdfast-store.json"));
  }
  return join(dataDir, "chain");
}

/** Returns every row of a closed store's tables, the journal and progress of upgrades included. */
export function everyRow(reader: Reader): string[] {
  return allTables.flatMap((table) =>
    Array.from(
      reader.scan(table, {}),
      ([key, value]) => `${table.name} ${encodeHex(key)} ${encodeHex(table.value.encode(value))}`,
    ).filter((row) => !row.startsWith(ownerRow)),
  );
}

/** Names the process that has the store open. */
const ownerRow = `meta ${encodeHex(new TextEncoder().encode("owner"))} `;
