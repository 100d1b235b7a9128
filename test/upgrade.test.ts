/** Stores that earlier versions wrote, upgraded, stopped and damaged on the way. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, describe, expect, test } from "vitest";
import { JobQueue } from "../src/anchoring/job-queue.ts";
import { leafProofsOf } from "../src/anchoring/leaves.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { Chain } from "../src/chain/chain.ts";
import { IndexBuilder } from "../src/chain/jobs/build-indexes.ts";
import { verifyStore } from "../src/chain/jobs/verify.ts";
import { sponsorFaults } from "../src/chain/jobs/verify-sponsors.ts";
import { headerRow } from "../src/chain/reading/rows.ts";
import { sha256 } from "../src/crypto/hashes.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { decodeRecords } from "../src/storage/batch/journal-records.ts";
import { memoryStore } from "../src/storage/memory-store.ts";
import {
  DiskError,
  FORMAT_VERSION,
  openStore,
  type Store,
  StoreFormatError,
  type StoreOptions,
  type UpgradeProgress,
} from "../src/storage/store.ts";
import { tables } from "../src/storage/tables.ts";
import { journaledRows } from "../src/storage/testing/dump.ts";
import { abortingAt } from "../src/testing/counted-signal.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { inlineVerifier } from "../src/verification/testing/inline-verifier.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { everyRow, oldFormats, oldNetwork, oldProfile, unpackStores } from "./support/old-stores.ts";

const HEIGHT = 70;
const folder = temporaryFolder("upgrade");
let stores = 0;

afterAll(() => removeFolder(folder));

const freshDataDir = (): string => join(folder, String(stores++));
const trust = { network: new Map(), root: undefined };

function openChain(store: Store): Chain {
  const clock = new VirtualClock(0);
  const options = { stopOnUnsupportedFeature: true };
  const indexes = allIndexes({ trust });
  const chain = Chain.open({ store, profile: oldProfile, indexes, clock, log: silentLog, options });
  const builder = new IndexBuilder({ chain, network: oldProfile, clock, log: silentLog });
  builder.begin();
  while (builder.step());
  return chain;
}

const openOld = (directory: string, options: Partial<StoreOptions> = {}) =>
  openStore(directory, { network: oldNetwork, ...options });

/** Opens a store, and returns all its rows. */
async function rowsOf(directory: string): Promise<string[]> {
  const store = await openOld(directory);
  const rows = everyRow(store);
  await store.close();
  return rows;
}

const openFile = (directory: string) =>
  open({ path: join(directory, "data.mdb"), noSubdir: true, keyEncoding: "binary", encoding: "binary" });

/** Reads the format as an older version does. */
function storedFormat(directory: string): number {
  const db = openFile(directory);
  const format = (
    db.get(Buffer.concat([Buffer.of(tables.meta.prefix), Buffer.from("format")])) as Buffer
  ).readUInt32BE();
  void db.close();
  return format;
}

/** Files of a directory with their contents. */
const filesOf = (directory: string) =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).toString("hex")]));

describe.each(oldFormats)("a store of format %i", (format) => {
  test("becomes equal to one built anew from its blocks, and stays so while blocks are undone", async () => {
    const store = await openOld(unpackStores(format, freshDataDir()));
    const chain = openChain(store);
    const scratch = memoryStore();
    const anew = openChain(scratch);
    const stored = store.snapshot();
    const verifier = inlineVerifier(oldProfile);
    const verified = await verifyStore(stored, anew, scratch, oldProfile, { verifier });
    stored.close();
    expect(verified).toMatchObject({ outcome: "right", faults: [], blocks: HEIGHT, outdated: [] });
    expect(chain.tip.microBlocks).toHaveLength(2);
    for (let height = HEIGHT; height > 1; height -= 9) {
      for (const one of [chain, anew])
        one.removeAfter(headerRow(store, height).signature, { returnTransactions: false });
      // Serials of upgraded sponsors have no gaps, so these tables are compared by `sponsorFaults`.
      const rows = (reader: Store) => journaledRows(reader).filter((row) => !/^sponsor/.test(row));
      expect(rows(store)).toEqual(rows(scratch));
      expect([...sponsorFaults(store, scratch)]).toEqual([]);
    }
    expect(chain.tip.height).toBe(7);
    await store.close();
  });

  test("has rows of everything that the upgrade converts", async () => {
    const directory = unpackStores(format, freshDataDir());
    const db = openFile(directory);
    const prefixes = new Map<number, number>();
    const journaled = new Set<number>();
    for (const { key, value } of db.getRange() as Iterable<{ key: Buffer; value: Buffer }>) {
      prefixes.set(key[0], (prefixes.get(key[0]) ?? 0) + 1);
      if (key[0] === tables.journal.prefix)
        for (const prefix of decodeRecords(value).keys()) journaled.add(prefix);
    }
    await db.close();
    // Sponsors of an account, and its totals of transactions; both tables are gone in the current format.
    expect(prefixes.get(0x38)).toBeGreaterThan(15);
    expect(journaled.has(0x38)).toBe(true);
    expect([prefixes.has(0x52), journaled.has(0x52)]).toEqual([format === 4, format === 4]);
    expect(prefixes.has(tables.associationStates.prefix)).toBe(false);
    const store = await openOld(directory);
    expect([...store.range(tables.associationStates)].length).toBeGreaterThan(20);
    expect(Math.max(...Array.from(store.range(tables.sponsorLists), ([, { count }]) => count))).toBe(39);
    const sponsored = Array.from(store.range(tables.accounts), ([, row]) => row.sponsored ?? 0);
    expect(Math.max(...sponsored)).toBe(20);
    for (const prefix of [0x38, 0x52]) {
      const [raw] = [{ ...tables.certificates, prefix }];
      expect([...store.scan(raw, {})]).toEqual([]);
    }
    await store.close();
  });

  test("reports each commit, and ends the same after a failed disk at any, whose error names what to do", async () => {
    const whole = unpackStores(format, freshDataDir());
    const progress: UpgradeProgress[] = [];
    await (await openOld(whole, { onUpgrade: (step) => progress.push(step) })).close();
    const expected = await rowsOf(whole);
    const marker = readFileSync(join(whole, "holdfast-store.json"), "utf8");
    expect(JSON.parse(marker)).toEqual({
      format: FORMAT_VERSION,
      network: oldNetwork,
      id: expect.any(String),
      written: true,
    });
    expect(progress.at(0)).toEqual({ from: format, step: "begin" });
    expect(progress.at(-1)).toEqual({ from: format, step: "end" });
    const commits = progress.filter(({ step }) => step === "commit").length;
    expect(commits).toBeGreaterThan(5);
    let readable = 0;
    for (let at = 1; at <= commits; at++) {
      const directory = unpackStores(format, freshDataDir());
      let done = 0;
      const onUpgrade = ({ step }: UpgradeProgress): void => {
        // As the next commit would fail.
        if (step === "commit" && ++done === at) throw new DiskError("No space is left");
      };
      const error: unknown = await openOld(directory, { onUpgrade }).catch((reason: unknown) => reason);
      if (!(error instanceof DiskError)) throw new Error("The upgrade did not fail");
      const isReadable = storedFormat(directory) === format;
      if (isReadable) readable++;
      const readers = isReadable
        ? "the version that wrote it can still read it"
        : "older versions cannot read it: to go back to one, restore a backup";
      expect(error.message).toBe(
        `No space is left. The upgrade of ${directory} from format ${format} to ${FORMAT_VERSION} is incomplete: free space or repair the disk, then start again to continue; ${readers}`,
      );
      await expect(openOld(directory, { readOnly: true })).rejects.toThrow(StoreFormatError);
      expect(await rowsOf(directory)).toEqual(expected);
    }
    // Commits before the one that records the new format.
    expect(readable).toBe(format === 4 ? 2 : 0);
  });

  test("is upgraded with its whole journal, which the rollback depth limits only afterwards", async () => {
    const expected = await rowsOf(unpackStores(format, freshDataDir()));
    const store = await openOld(unpackStores(format, freshDataDir()), { rollbackDepth: 10 });
    expect(everyRow(store)).toEqual(expected);
    store.write(() => {});
    expect([...store.range(tables.journal, { limit: 1 })]).toMatchObject([[{ height: HEIGHT - 9 }, {}]]);
    await store.close();
  });

  test("ends between two commits when a signal stops the start", async () => {
    const directory = unpackStores(format, freshDataDir());
    const stopped = new Error("stopped");
    await expect(openOld(directory, { signal: abortingAt(2, stopped).signal })).rejects.toBe(stopped);
    const store = await openOld(directory);
    expect([...store.range(tables.associationStates)].length).toBeGreaterThan(20);
    await store.close();
  });

  test("keeps its pending anchors and their trees", async () => {
    const dataDir = freshDataDir();
    unpackStores(format, dataDir);
    const store = await openOld(join(dataDir, "anchors"));
    const queue = new JobQueue(store, 1_000, () => {});
    expect(queue.waitingCount).toBe(101);
    expect(queue.find("hash", sha256(encodeUtf8("file 299")))).toMatchObject({ kind: "hash" });
    expect(leafProofsOf(store)(sha256(encodeUtf8("file 0")))).toBeDefined();
    expect(leafProofsOf(store)(sha256(encodeUtf8("file 299")))).toBeUndefined();
    await store.close();
  });
});

test.each([
  [3, "export its blocks with the version that wrote it (holdfast export FILE)"],
  [8, "use the newer version that wrote it, or export its blocks with that version (holdfast export FILE)"],
])("a store of format %i is refused by name, and unchanged", async (format, hint) => {
  const directory = unpackStores(5, freshDataDir());
  const marker = join(directory, "holdfast-store.json");
  writeFileSync(marker, JSON.stringify({ format, network: oldNetwork, written: true }));
  const before = filesOf(directory);
  for (const readOnly of [false, true]) {
    const opened = openOld(directory, { readOnly });
    await expect(opened).rejects.toThrow(StoreFormatError);
    await expect(opened).rejects.toThrow(
      `The data directory ${directory} has format ${format}, this version reads format ${FORMAT_VERSION}`,
    );
    await expect(opened).rejects.toThrow(hint);
    await expect(opened).rejects.toThrow("holdfast import FILE");
    expect(filesOf(directory)).toEqual(before);
  }
});
