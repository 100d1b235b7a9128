/** `holdfast db` on a store that an earlier version wrote and this one upgraded, and on copies with flipped bits. */
import { closeSync, cpSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../src/cli/testing/fake-node.ts";
import { BaseError } from "../src/errors/base-error.ts";
import { allTables } from "../src/storage/batch/write-batch.ts";
import { compactDraft, dataFile } from "../src/storage/disk/directory.ts";
import { freeRuns, readNewestState } from "../src/storage/disk/lmdb-pages.ts";
import { walkTree } from "../src/storage/disk/lmdb-walk.ts";
import { checkStore } from "../src/storage/inspect/check-store.ts";
import { type StoreSize, storeSize } from "../src/storage/inspect/store-size.ts";
import { readStoredState } from "../src/storage/inspect/stored-state.ts";
import { StoredTables } from "../src/storage/inspect/stored-tables.ts";
import { openStore } from "../src/storage/store.ts";
import { tables } from "../src/storage/tables.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { everyRow, genesisFile, oldNetwork, unpackStores } from "./support/old-stores.ts";

const PAGE = 4_096;
/** `SOAK_TIMES=200 npx vitest run test/store-tools.test.ts` flips more bits of each kind of page, and shows the outcomes. */
const flips = Number(process.env.SOAK_TIMES ?? 4);
const seed = Number(process.env.SOAK_SEED ?? 1);
const isLong = process.env.SOAK_TIMES !== undefined;
const folder = temporaryFolder("store-tools");
const upgraded = join(folder, "upgraded");
const stored = new StoredTables(allTables);
const noPause = (): Promise<void> => Promise.resolve();
let rows: string[] = [];
let copies = 0;

const open = (directory: string, readOnly = false) => openStore(directory, { network: oldNetwork, readOnly });

async function rowsOf(directory: string): Promise<string[]> {
  const store = await open(directory, true);
  try {
    return everyRow(store);
  } finally {
    await store.close();
  }
}

beforeAll(async () => {
  unpackStores(5, upgraded);
  for (const name of ["chain", "anchors"]) await (await open(join(upgraded, name))).close();
  rows = await rowsOf(join(upgraded, "chain"));
});
afterAll(() => removeFolder(folder));

function copyOf(dataDir: string): string {
  const copy = join(folder, String(copies++));
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

const command = (name: string, dataDir: string, ...args: string[]) =>
  runCommand(["db", name, "--genesis", genesisFile, "--data-dir", dataDir, ...args]);

const check = (directory: string) =>
  readStoredState(directory, oldNetwork, (state) =>
    checkStore(state, stored, oldNetwork, { pause: noPause }),
  );

describe("db stats", () => {
  test("counts the rows of each table exactly, and every page of the file once", async () => {
    const { code, out } = await command("stats", upgraded, "--json");
    expect(code).toBe(0);
    const [chain, anchors] = JSON.parse(out) as (StoreSize & { store: string })[];
    expect([chain.store, anchors.store]).toEqual(["chain", "anchors"]);
    const counts: Record<string, number> = {};
    for (const row of rows) {
      const [name] = row.split(" ");
      counts[name] = (counts[name] ?? 0) + 1;
    }
    expect(Object.fromEntries(chain.tables.map((table) => [table.name, table.rows]))).toEqual(counts);
    expect(anchors.tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["meta", "trees", "leaves"]),
    );
    for (const size of [chain, anchors]) {
      const used = size.tables.reduce((sum, { pages }) => sum + pages, 0);
      const { branchPages, overheadPages, freePages, lostPages } = size;
      const pages = used + branchPages + overheadPages + freePages + lostPages;
      // Free pages at the end may not be in the file.
      expect(pages * PAGE).toBeGreaterThanOrEqual(size.fileBytes);
      expect(lostPages).toBeGreaterThanOrEqual(0);
      expect(size.compactBytes).toBe((2 + used + branchPages) * PAGE);
    }
    const ids = chain.sortedRuns.find(({ name }) => name === "transactionIds");
    expect(ids?.entries).toBeGreaterThan(100);
  });

  test("prints a table, and what compaction would give back", async () => {
    const { out } = await command("stats", upgraded);
    expect(out).toMatch(/^chain: .*data\.mdb, format 7, not in use\nTable +Rows/);
    expect(out).toMatch(/\n {0,2}journal +[\d,]+ +\d/);
    expect(out).toMatch(/`holdfast db compact` would give back .*iB \(\d/);
  });

  test("shows one moment of a store that changes meanwhile, without a change of its own", async () => {
    const directory = join(copyOf(upgraded), "chain");
    const store = await open(directory);
    let serial = 10_000;
    const change = (): void =>
      store.write((batch) => {
        for (let i = 0; i < 20; i++)
          batch.put(tables.journal, { height: serial++, sequence: 0 }, new Uint8Array(3_000));
        batch.remove(tables.journal, { height: serial - 15, sequence: 0 });
      });
    change();
    const before = everyRow(store).length;
    let changes = 0;
    const pause = async (): Promise<void> => {
      change();
      changes++;
    };
    // The row of the owner is not among those of `everyRow`.
    const size = await readStoredState(directory, oldNetwork, (state) => storeSize(state, stored, pause));
    expect(size).toMatchObject({ isInUse: true, rows: before + 1 });
    const found = await readStoredState(directory, oldNetwork, (state) =>
      checkStore(state, stored, oldNetwork, { pause }),
    );
    expect(found.faults.filter(({ table }) => table !== "journal")).toEqual([]);
    expect(changes).toBeGreaterThan(1);
    expect(everyRow(store).length).toBe(before + 19 * changes);
    await store.close();
  });

  test("refuses a directory without a chain, and one of another network", async () => {
    expect(await command("stats", join(folder, "none"))).toMatchObject({
      code: 4,
      err: expect.stringContaining("has no chain"),
    });
    expect(await runCommand(["db", "stats", "--data-dir", upgraded])).toMatchObject({
      code: 4,
      err: expect.stringContaining("belongs to the network"),
    });
  });
});

describe("db check", () => {
  test("finds no faults in whole stores", async () => {
    const { code, out } = await command("check", upgraded);
    expect(code).toBe(0);
    expect(out).toMatch(/^chain: no faults in [\d,]+ rows on [\d,]+ pages, up to height 70, in \d+ s\.\n/);
    expect(out).toContain("anchors: no faults in");
    expect(out).toContain("Not checked: signatures");
  });

  test("reads only the pages of an older format", async () => {
    const old = join(folder, "old");
    unpackStores(5, old);
    const { code, out } = await command("check", old);
    expect(code).toBe(0);
    expect(out).toContain("chain: only the pages were checked");
  });

  test("reports a parent that is not the block before, wrong counts and sums, and incomplete runs", async () => {
    const directory = join(copyOf(upgraded), "chain");
    const store = await open(directory);
    store.write((batch) => {
      batch.beginUnit({ height: 71, sequence: 0 });
      const header = batch.get(tables.headers, 20);
      if (header === undefined) throw new Error("no block 20");
      const next = {
        ...header,
        reference: new Uint8Array(64),
        transactionCount: header.transactionCount + 1,
      };
      batch.put(tables.headers, 20, next);
      batch.remove(tables.score, 30);
      for (const [key, account] of batch.range(tables.accounts, { limit: 1 }))
        batch.put(tables.accounts, key, { ...account, leaseIn: account.leaseIn + 1n });
      for (const [key] of batch.range(tables.runChunks, { limit: 1 })) batch.remove(tables.runChunks, key);
      for (const [key] of batch.range(tables.sponsors, { limit: 1 })) batch.remove(tables.sponsors, key);
      for (const [id] of batch.range(tables.blockIds, { limit: 1 })) batch.remove(tables.blockIds, id);
      batch.endUnit();
    });
    await store.close();
    const { faults } = await check(directory);
    const found = faults.map(({ table, problem }) => `${table}: ${problem}`).join("\n");
    for (const text of [
      "headers: height 20: its parent is not the block before it",
      "bodies: height 20: it does not have the number of transactions in the header",
      "score: 69 is its number of rows, and should be 70",
      "accounts: ",
      "leases: ",
      "sponsors: ",
      "blockIds: its ids are not those of the headers",
      "runChunks: run 1/",
    ])
      expect(found).toContain(text);
  });

  test("ends with exit code 4 and names table and page", async () => {
    const dataDir = copyOf(upgraded);
    const data = dataFile(join(dataDir, "chain"));
    const bytes = readFileSync(data);
    const { leaf } = pagesOf(data);
    bytes[PAGE * leaf[3] + 24] ^= 0xff;
    writeFileSync(data, bytes);
    const { code, out, err } = await command("check", dataDir);
    expect(code).toBe(4);
    expect(out).toMatch(new RegExp(`^chain: \\w+: page ${leaf[3]}: `, "m"));
    expect(err).toMatch(/^\d+ faults?\. Restore a backup/);
    expect(await command("stats", dataDir)).toMatchObject({ code: 4 });
    expect(await command("compact", dataDir)).toMatchObject({ code: 4 });
    expect(readFileSync(data).equals(bytes) || statSync(data).size > 0).toBe(true);
  });
});

describe("db compact", () => {
  test("keeps all rows of both stores, prints the sizes, and names what a killed run left", async () => {
    const dataDir = copyOf(upgraded);
    const chain = join(dataDir, "chain");
    const draft = compactDraft(chain);
    writeFileSync(draft, new Uint8Array(2_048));
    const { code, out } = await command("compact", dataDir);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Removed .*data\.mdb\.compact \(2\.0 KiB\), which a killed compaction left\.\nchain: .* before, .* now, in \d+ s\.\nanchors: .* before, .* now/,
    );
    expect(await rowsOf(chain)).toEqual(rows);
    expect(await rowsOf(join(dataDir, "anchors"))).toEqual(await rowsOf(join(upgraded, "anchors")));
    expect(statSync(dataFile(chain)).size).toBeLessThan(statSync(dataFile(join(upgraded, "chain"))).size);
    const [size] = JSON.parse((await command("stats", dataDir, "--json")).out) as StoreSize[];
    expect(size).toMatchObject({ freePages: 0, lostPages: 0, fileBytes: size.compactBytes });
    expect(await command("check", dataDir)).toMatchObject({ code: 0 });
  });

  test("refuses a store in use by name, and changes nothing in it", async () => {
    const dataDir = copyOf(upgraded);
    const chain = join(dataDir, "chain");
    const store = await open(chain);
    const before = readFileSync(dataFile(chain));
    expect(await command("compact", dataDir)).toMatchObject({
      code: 4,
      err: expect.stringContaining(`The data directory ${chain} is in use by another process`),
    });
    expect(readFileSync(dataFile(chain)).equals(before)).toBe(true);
    await store.close();
  });
});

/** Returns the pages of each kind. */
function pagesOf(
  path: string,
): Record<"state" | "branch" | "leaf" | "overflow" | "inside" | "list" | "free", number[]> {
  const file = openSync(path, "r");
  const found = {
    state: [0, 1],
    branch: [],
    leaf: [],
    overflow: [],
    inside: [],
    list: [],
    free: [],
  } as Record<string, number[]>;
  try {
    const state = readNewestState(file);
    for (const _ of walkTree(file, state, state.main, true, {
      onPage: (page, isLeaf) => found[isLeaf ? "leaf" : "branch"].push(page),
      onOverflow: (first, count) => {
        found.overflow.push(first);
        for (let page = first + 1; page < first + count; page++) found.inside.push(page);
      },
    }));
    for (const _ of walkTree(file, state, state.free, false, {
      onPage: (page) => found.list.push(page),
      onRow: ({ value }) => {
        for (const [first, count] of freeRuns(value()))
          for (let page = first; page < first + count; page++) found.free.push(Number(page));
      },
    }));
  } finally {
    closeSync(file);
  }
  return found;
}

test("a flipped bit is reported, or at most the content of one row differs, which the database still reads", async () => {
  const random = new SeededRandom(seed);
  const directory = join(copyOf(upgraded), "chain");
  const data = dataFile(directory);
  const whole = readFileSync(data);
  const outcomes: Record<string, Record<"reported" | "content" | "unused", number>> = {};
  for (const [kind, pages] of Object.entries(pagesOf(data))) {
    const counts = { reported: 0, content: 0, unused: 0 };
    outcomes[kind] = counts;
    const inFile = pages.filter((page) => (page + 1) * PAGE <= whole.length);
    for (let i = 0; i < flips; i++) {
      // Half of them near the start of the page: its header and the places of its rows.
      const at = PAGE * random.pick(inFile) + random.below(i % 2 === 0 ? 80 : PAGE);
      const bytes = Buffer.from(whole);
      bytes[at] ^= 1 << random.below(8);
      writeFileSync(data, bytes);
      let faults = 1;
      try {
        faults = (await check(directory)).faults.length;
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
      }
      if (faults > 0) {
        counts.reported++;
        continue;
      }
      const different = await differentRows(directory);
      if (different.length === 0) counts.unused++;
      else {
        // The row before and after: a key or value of the same length.
        expect(different.map((row) => row.length)).toEqual([different[0].length, different[0].length]);
        counts.content++;
      }
    }
  }
  if (isLong) console.log(outcomes);
  for (const [kind, { reported, content }] of Object.entries(outcomes)) {
    if (kind === "free") expect({ reported, content }).toEqual({ reported: 0, content: 0 });
    else expect(reported, kind).toBeGreaterThan(0);
    if (["state", "branch", "list"].includes(kind)) expect(content, kind).toBe(0);
  }
}, 600_000);

async function differentRows(directory: string): Promise<string[]> {
  const before = new Set(rows);
  const after = await rowsOf(directory);
  const now = new Set(after);
  return [...after.filter((row) => !before.has(row)), ...rows.filter((row) => !now.has(row))];
}
