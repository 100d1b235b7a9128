import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COUNTER_KEY_BYTES } from "./counters.ts";
import { isUnwritten } from "./disk/directory.ts";
import { memoryStore } from "./memory-store.ts";
import { FORMAT_VERSION, openStore, type Store, type WriteBatch } from "./store.ts";
import { counters, lsmTrees, tables } from "./tables.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-store-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const network = "test W";
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const address = (n: number) => new Uint8Array(26).fill(n);
const bytes = (value: string) => new TextEncoder().encode(value);

function setCertificate(store: Store, height: number, n: number, value: string): void {
  store.write((batch) => {
    batch.beginUnit({ height, sequence: 0 });
    batch.put(tables.certificates, address(n), bytes(value));
    batch.endUnit();
  });
}

/** Names, sizes and times of all files in a directory. */
function contents(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .map(
      (name) =>
        `${name} ${statSync(join(directory, name)).mtimeMs} ${readFileSync(join(directory, name)).toString("hex")}`,
    );
}

/** The data file of an empty database. */
function emptyDatabase(): Uint8Array {
  const path = join(home, "empty.mdb");
  void open({ path, noSubdir: true }).close();
  return readFileSync(path);
}

describe("a directory without a written store", () => {
  it("differs from one that lost its store, and from a foreign one", async () => {
    const directory = join(home, "chain");
    expect(isUnwritten(directory, network)).toBe(true);
    mkdirSync(directory);
    expect(isUnwritten(directory, network)).toBe(true);
    // The state after a start was killed early.
    writeFileSync(
      join(directory, "holdfast-store.json"),
      JSON.stringify({ format: FORMAT_VERSION, network }),
    );
    expect(isUnwritten(directory, network)).toBe(true);
    await (await openStore(directory, { network })).close();
    expect(isUnwritten(directory, network)).toBe(false);
    rmSync(join(directory, "data.mdb"));
    expect(isUnwritten(directory, network)).toBe(false);
    writeFileSync(join(home, "other"), "");
    expect(isUnwritten(home, network)).toBe(false);
  });
});

describe("opening a store", () => {
  it("keeps commits", async () => {
    const directory = join(home, "a", "chain.d");
    const first = await openStore(directory, { network });
    setCertificate(first, 1, 7, "seven");
    await first.close();
    const second = await openStore(directory, { network });
    expect(second.read((reader) => text(reader.get(tables.certificates, address(7))))).toBe("seven");
    await second.close();
    expect(readdirSync(directory).filter((name) => name.endsWith(".sock"))).toEqual([]);
  });

  it("accepts an empty directory", async () => {
    const directory = join(home, "empty");
    mkdirSync(directory);
    await (await openStore(directory, { network })).close();
  });

  it("refuses another network and leaves the store alone", async () => {
    const directory = join(home, "store");
    await (await openStore(directory, { network })).close();
    const before = contents(directory);
    await expect(openStore(directory, { network: "test T" })).rejects.toMatchObject({
      name: "WrongNetworkError",
      message: `The data directory ${directory} belongs to the network test W, not to test T`,
    });
    expect(contents(directory)).toEqual(before);
  });

  it("refuses another format", async () => {
    const directory = join(home, "store");
    await (await openStore(directory, { network })).close();
    writeFileSync(join(directory, "holdfast-store.json"), JSON.stringify({ format: 99, network }));
    const before = contents(directory);
    await expect(openStore(directory, { network })).rejects.toMatchObject({ name: "StoreFormatError" });
    expect(contents(directory)).toEqual(before);
  });

  it("detects a data file of another network", async () => {
    const [a, b] = [join(home, "a"), join(home, "b")];
    await (await openStore(a, { network })).close();
    await (await openStore(b, { network: "test T" })).close();
    writeFileSync(join(a, "data.mdb"), readFileSync(join(b, "data.mdb")));
    await expect(openStore(a, { network })).rejects.toMatchObject({ name: "WrongNetworkError" });
  });

  it.each([
    [
      "a directory with other files",
      (at: string) => writeFileSync(join(at, "photo.jpg"), "x"),
      /not empty \(photo\.jpg\)/,
    ],
    [
      "a data file without marker",
      (at: string) => writeFileSync(join(at, "data.mdb"), "x"),
      /not empty \(data\.mdb\)/,
    ],
    [
      "a marker with invalid JSON",
      (at: string) => writeFileSync(join(at, "holdfast-store.json"), "{"),
      /holdfast-store\.json is damaged/,
    ],
    [
      "a marker without format",
      (at: string) => writeFileSync(join(at, "holdfast-store.json"), '{"network":"test W"}'),
      /holdfast-store\.json is damaged/,
    ],
  ])("refuses %s and leaves it alone", async (_, make, reason) => {
    const directory = join(home, "foreign");
    mkdirSync(directory);
    make(directory);
    const before = contents(directory);
    await expect(openStore(directory, { network })).rejects.toMatchObject({
      name: "ForeignDirectoryError",
      message: expect.stringMatching(reason),
    });
    expect(contents(directory)).toEqual(before);
  });

  it("refuses a file as the directory", async () => {
    const path = join(home, "file");
    writeFileSync(path, "x");
    await expect(openStore(path, { network })).rejects.toMatchObject({ name: "ForeignDirectoryError" });
  });

  it.each([
    ["random bytes", (data: string) => writeFileSync(data, Buffer.alloc(65_536, 0x5a)), /not an LMDB file/],
    ["a few bytes", (data: string) => writeFileSync(data, "short"), /not an LMDB file/],
    ["half of the file", (data: string) => truncateSync(data, 3 * 4_096), /truncated/],
    ["one page", (data: string) => truncateSync(data, 4_096), /damaged/],
  ])("refuses a data file of %s and leaves it alone", async (_, damage, reason) => {
    const directory = join(home, "store");
    const store = await openStore(directory, { network });
    for (let height = 1; height <= 20; height++) setCertificate(store, height, height, "x".repeat(3_000));
    await store.close();
    damage(join(directory, "data.mdb"));
    const before = contents(directory);
    await expect(openStore(directory, { network })).rejects.toMatchObject({
      name: "ForeignDirectoryError",
      message: expect.stringMatching(reason),
    });
    expect(contents(directory)).toEqual(before);
  });

  it.each([
    ["missing", (data: string) => rmSync(data), /data\.mdb is missing, although a chain was stored in it/],
    [
      "empty",
      (data: string) => truncateSync(data, 0),
      /data\.mdb is empty, although a chain was stored in it/,
    ],
    [
      "replaced by one of the database that holds nothing",
      (data: string) => writeFileSync(data, emptyDatabase()),
      /data file holds no chain/,
    ],
    [
      "a folder",
      (data: string) => {
        rmSync(data);
        mkdirSync(data);
      },
      /data\.mdb is not a file/,
    ],
  ])("refuses a store whose data file is %s, and does not create a new one", async (_, lose, reason) => {
    const directory = join(home, "store");
    const store = await openStore(directory, { network });
    setCertificate(store, 1, 1, "lost");
    await store.close();
    rmSync(join(directory, "data.mdb-lock"));
    lose(join(directory, "data.mdb"));
    const before = readdirSync(directory).sort();
    for (const readOnly of [false, true])
      await expect(openStore(directory, { network, readOnly })).rejects.toMatchObject({
        name: "ForeignDirectoryError",
        message: expect.stringMatching(reason),
      });
    expect(
      readdirSync(directory)
        .sort()
        .filter((name) => name !== "data.mdb-lock"),
    ).toEqual(before);
  });

  it("accepts a directory where a start was killed before it wrote its store", async () => {
    const directory = join(home, "store");
    mkdirSync(directory);
    const marker = join(directory, "holdfast-store.json");
    writeFileSync(marker, JSON.stringify({ format: FORMAT_VERSION, network }));
    // Without a data file, with an empty one, and with an empty database.
    for (const make of [() => {}, () => writeFileSync(join(directory, "data.mdb"), "")]) {
      make();
      const store = await openStore(directory, { network });
      setCertificate(store, 1, 1, "one");
      await store.close();
      expect(JSON.parse(readFileSync(marker, "utf8"))).toEqual({
        format: FORMAT_VERSION,
        network,
        written: true,
        id: store.id,
      });
      for (const name of ["data.mdb", "data.mdb-lock"]) rmSync(join(directory, name));
      writeFileSync(marker, JSON.stringify({ format: FORMAT_VERSION, network }));
    }
    writeFileSync(join(directory, "data.mdb"), emptyDatabase());
    await (await openStore(directory, { network })).close();
    expect(readdirSync(directory).sort()).toEqual(["data.mdb", "data.mdb-lock", "holdfast-store.json"]);
  });

  it("keeps its id when it is opened again, also for readers, and gets one if an older version wrote it", async () => {
    const directory = join(home, "store");
    const marker = join(directory, "holdfast-store.json");
    const idOf = async (readOnly = false): Promise<string> => {
      const store = await openStore(directory, { network, readOnly });
      await store.close();
      return store.id;
    };
    const id = await idOf();
    expect([await idOf(), await idOf(true)]).toEqual([id, id]);
    writeFileSync(marker, JSON.stringify({ format: FORMAT_VERSION, network, written: true }));
    const other = await idOf();
    expect(other).not.toBe(id);
    expect([await idOf(), await idOf(true)]).toEqual([other, other]);
  });

  it("refuses a directory as the database's lock file, or as the marker", async () => {
    for (const name of ["data.mdb-lock", "holdfast-store.json"]) {
      const directory = join(home, name);
      await (await openStore(directory, { network })).close();
      rmSync(join(directory, name));
      mkdirSync(join(directory, name));
      for (const readOnly of [false, true])
        await expect(openStore(directory, { network, readOnly })).rejects.toMatchObject({
          name: "ForeignDirectoryError",
          message: `The directory ${directory} cannot be used: its ${name} is not a file: remove it`,
        });
    }
  });

  it("explains what the system refuses", async () => {
    const directory = join(home, "file", "chain");
    writeFileSync(join(home, "file"), "");
    await expect(openStore(directory, { network })).rejects.toMatchObject({
      name: "DiskError",
      message: expect.stringMatching(
        /^The data directory .* cannot be opened: a part of its path is not a directory/,
      ),
    });
  });

  it("refuses a second opener in the same process", async () => {
    const directory = join(home, "store");
    const store = await openStore(directory, { network });
    await expect(openStore(directory, { network })).rejects.toMatchObject({ name: "StoreInUseError" });
    setCertificate(store, 1, 1, "still works");
    await store.close();
    await (await openStore(directory, { network })).close();
  });

  it("opens only an existing store read-only", async () => {
    await expect(openStore(join(home, "none"), { network, readOnly: true })).rejects.toMatchObject({
      name: "ForeignDirectoryError",
    });
    const directory = join(home, "store");
    const store = await openStore(directory, { network });
    setCertificate(store, 1, 1, "one");
    const reader = await openStore(directory, { network, readOnly: true });
    expect(reader.read((rows) => text(rows.get(tables.certificates, address(1))))).toBe("one");
    expect(() => reader.begin()).toThrow("read-only");
    await reader.close();
    setCertificate(store, 2, 2, "two");
    await store.close();
  });
});

describe.each([
  ["on disk", () => openStore(join(home, "store"), { network, rollbackDepth: 10 })],
  ["in memory", async () => memoryStore({ rollbackDepth: 10 })],
])("a store %s", (_, make) => {
  let store: Store;
  beforeEach(async () => {
    store = await make();
  });
  afterEach(() => store.close());

  it("shows a snapshot the commits before it, and none after", () => {
    setCertificate(store, 1, 1, "old");
    setCertificate(store, 2, 2, "stays");
    const snapshot = store.snapshot();
    setCertificate(store, 3, 1, "new");
    setCertificate(store, 4, 3, "more");
    expect(text(snapshot.get(tables.certificates, address(1)))).toBe("old");
    expect([...snapshot.range(tables.certificates)].map(([, value]) => text(value))).toEqual([
      "old",
      "stays",
    ]);
    snapshot.close();
    expect(() => snapshot.get(tables.certificates, address(1))).toThrow("closed");
    store.read((reader) => {
      expect([...reader.range(tables.certificates)].map(([, value]) => text(value))).toEqual([
        "new",
        "stays",
        "more",
      ]);
    });
  });

  it("ranges in both directions within bounds", () => {
    store.write((batch) => {
      batch.beginUnit({ height: 1, sequence: 0 });
      for (const height of [1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000]) {
        batch.put(tables.score, height, BigInt(height));
      }
      batch.put(tables.feePrices, 5, 5n);
      batch.endUnit();
    });
    store.read((reader) => {
      const keys = (options: object) => [...reader.range(tables.score, options)].map(([height]) => height);
      expect(keys({})).toEqual([1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000]);
      expect(keys({ reverse: true })).toEqual([0x1_0000, 0xffff, 0x100, 0xff, 0x80, 0x7f, 3, 2, 1]);
      expect(keys({ from: 3, to: 0x100 })).toEqual([3, 0x7f, 0x80, 0xff]);
      expect(keys({ from: 3, to: 0x100, reverse: true })).toEqual([0xff, 0x80, 0x7f, 3]);
      expect(keys({ from: 4, to: 0x101, reverse: true, limit: 2 })).toEqual([0x100, 0xff]);
      expect(keys({ prefix: new Uint8Array([0, 0, 0xff]) })).toEqual([0xffff]);
      expect(keys({ limit: 0 })).toEqual([]);
    });
  });

  it("finds nothing for a key that is too long", () => {
    setCertificate(store, 1, 1, "one");
    for (const length of [1_900, 1_951, 1_952, 2_048, 100_000]) {
      const key = { address: address(1), key: "k".repeat(length) };
      expect(store.read((reader) => reader.get(tables.data, key))).toBeUndefined();
    }
    expect(store.read((reader) => reader.get(tables.certificates, new Uint8Array(3_000)))).toBeUndefined();
  });

  it("returns values that later reads do not change", () => {
    const heights = [1, 2, 3];
    for (const height of heights)
      setCertificate(store, height, height, `certificate ${height}`.repeat(height));
    store.read((reader) => {
      const copies = heights.map((height) => reader.get(tables.certificates, address(height)));
      const digests = heights.map((height) => reader.get(tables.unitDigests, { height, sequence: 0 }));
      expect(copies.map(text)).toEqual(heights.map((height) => `certificate ${height}`.repeat(height)));
      expect(new Set(digests.map(text)).size).toBe(3);
    });
  });

  it("commits nothing if the callback throws", () => {
    setCertificate(store, 1, 1, "one");
    expect(() =>
      store.write((batch) => {
        batch.beginUnit({ height: 2, sequence: 0 });
        batch.put(tables.certificates, address(1), bytes("lost"));
        batch.endUnit();
        throw new Error("refused");
      }),
    ).toThrow("refused");
    expect(store.read((reader) => text(reader.get(tables.certificates, address(1))))).toBe("one");
    setCertificate(store, 2, 1, "two");
    expect(store.read((reader) => text(reader.get(tables.certificates, address(1))))).toBe("two");
  });

  it("stores nothing of a commit that fails midway", () => {
    setCertificate(store, 1, 1, "one");
    const wrong = { type: "integer", value: "not one" } as const;
    expect(() =>
      store.write((batch) => {
        batch.beginUnit({ height: 2, sequence: 0 });
        // Tables are written in prefix order: these rows come before the one that cannot be encoded.
        batch.put(tables.score, 2, 2n);
        batch.put(tables.feePrices, 2, 2n);
        batch.put(tables.blockIds, new Uint8Array(64), { height: 2, sequence: 0 });
        batch.put(tables.data, { address: address(1), key: "k" }, wrong);
        batch.endUnit();
      }),
    ).toThrow("cannot hold a string");
    store.read((reader) => {
      expect(reader.get(tables.score, 2)).toBeUndefined();
      expect(reader.get(tables.blockIds, new Uint8Array(64))).toBeUndefined();
      expect([...reader.range(tables.journal)].map(([{ height }]) => height)).toEqual([1]);
    });
    setCertificate(store, 2, 2, "two");
    expect(text(store.get(tables.certificates, address(2)))).toBe("two");
  });

  it("allows one commit at a time, and none with an open unit", () => {
    const batch = store.begin();
    expect(() => store.begin()).toThrow("in progress");
    batch.beginUnit({ height: 1, sequence: 0 });
    expect(() => store.commit(batch)).toThrow("still open");
    expect(() => store.commit(batch)).toThrow("not in progress");
  });

  it("drops the journal of blocks beyond the rollback depth, and refuses to undo them", () => {
    for (let height = 1; height <= 30; height++) {
      store.write((batch) => {
        batch.beginUnit({ height, sequence: 0 });
        batch.put(tables.heights, undefined, { height, persisted: height - 1 });
        batch.endUnit();
      });
    }
    expect(store.read((reader) => [...reader.range(tables.journal)].map(([key]) => key.height))).toEqual([
      21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    ]);
    store.write((batch) => {
      for (let height = 30; height > 20; height--) batch.undoUnit({ height, sequence: 0 });
    });
    expect(store.read((reader) => reader.get(tables.heights, undefined))).toEqual({
      height: 20,
      persisted: 19,
    });
    expect(() => store.write((batch) => batch.undoUnit({ height: 20, sequence: 0 }))).toThrow(
      "Cannot undo block 20: the undo journal no longer has it",
    );
  });

  it("finds entries, including those of the same commit", () => {
    const tag = (n: number) => new Uint8Array([1, 2, 3, 4, 5, 6, 7, n, 99]);
    const index = { id: 200 };
    for (let height = 1; height <= 40; height++) {
      store.write((batch) => {
        for (let position = 0; position < 30; position++)
          batch.addEntry(index, tag(position % 3), { height, position });
        const found = [...batch.findEntries(index, tag(1))];
        expect(found).toHaveLength(10 * height);
        expect(found[0]).toEqual({ height, position: 28 });
      });
    }
    store.read((reader) => {
      const all = [...reader.findEntries(index, tag(2))];
      expect(all).toHaveLength(400);
      expect(all[0]).toEqual({ height: 40, position: 29 });
      expect(all.at(-1)).toEqual({ height: 1, position: 2 });
      expect([...reader.findEntries(index, tag(2), { height: 2, position: 2 })]).toHaveLength(10);
      expect([...reader.findEntries(index, tag(3))]).toEqual([]);
      expect([...reader.findEntries({ id: 201 }, tag(2))]).toEqual([]);
    });
  });

  it("counts the commits of all kinds for other threads", async () => {
    const { commits } = store;
    const write = (height: number) => (batch: WriteBatch) => {
      batch.beginUnit({ height, sequence: 0 });
      batch.endUnit();
    };
    const before = commits?.count;
    store.write(write(1));
    await store.writeAsync(write(2));
    // A store in memory is not shared.
    const expected = before === undefined ? undefined : before + 2n;
    expect(commits?.count).toBe(expected);
    if (commits === undefined) return;
    const options = { network, readOnly: true, commits: commits.shared };
    const other = await openStore(join(home, "store"), options);
    store.write(write(3));
    expect(other.commits?.count).toBe(commits.count);
    await other.close();
  });

  it("commits rows, entries and counts of an asynchronous write", async () => {
    const id = new Uint8Array(32).fill(7);
    const key = new Uint8Array(COUNTER_KEY_BYTES).fill(9);
    for (const height of [1, 2]) {
      await store.writeAsync((batch) => {
        batch.beginUnit({ height, sequence: 0 });
        batch.put(tables.score, height, BigInt(height));
        batch.addEntry(lsmTrees.transactionIds, id, { height, position: 0 });
        batch.addCount(counters.listedTransactions, key, 4, height);
        batch.endUnit();
      });
    }
    store.read((reader) => {
      expect(reader.get(tables.score, 2)).toBe(2n);
      const heights = Array.from(reader.findEntries(lsmTrees.transactionIds, id), ({ height }) => height);
      expect(heights).toEqual([2, 1]);
      expect(reader.countsOf(counters.listedTransactions, key)).toEqual(new Map([[4, 3]]));
    });
  });
});
