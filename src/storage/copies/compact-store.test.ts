import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { compactDraft, dataFile, flush, lockFile } from "../disk/directory.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import { type CompactionFiles, compactStore } from "./compact-store.ts";

const network = "compact";
const random = new SeededRandom(5);
let home = "";
let directory = "";
let rows: readonly string[] = [];

const rowsOf = (store: Store): string[] =>
  Array.from(store.range(tables.journal), ([{ height }, value]) => `${height} ${encodeHex(value)}`);

const put = (store: Store, height: number, bytes: number): void =>
  store.write((batch) => batch.put(tables.journal, { height, sequence: 0 }, random.bytes(bytes)));

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "holdfast-compact-"));
  directory = join(home, "chain");
  const store = await openStore(directory, { network });
  for (let i = 0; i < 4; i++)
    store.write((batch) => {
      for (let n = 0; n < 60; n++) {
        const key = { height: random.below(200), sequence: 0 };
        if (random.chance(40)) batch.remove(tables.journal, key);
        else batch.put(tables.journal, key, random.bytes(random.below(random.chance(20) ? 20_000 : 300)));
      }
    });
  rows = rowsOf(store);
  await store.close();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Opens a store, changes it, and returns the rows that it had. */
async function continued(at: string): Promise<string[]> {
  const store = await openStore(at, { network });
  try {
    const found = rowsOf(store);
    put(store, 1_000 + found.length, 5_000);
    expect(rowsOf(store).length).toBe(found.length + 1);
    return found;
  } finally {
    await store.close();
  }
}

const systemFiles: CompactionFiles = {
  create: (path) => open(path, "wx", 0o600),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  flush,
};

async function compact(files: Partial<CompactionFiles> = {}, pause = async (): Promise<void> => {}) {
  const store = await openStore(directory, { network });
  try {
    return await compactStore(directory, {
      reserveBytes: 0,
      pause,
      files: { ...systemFiles, ...files },
    });
  } finally {
    await store.close();
  }
}

const failing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

test("a compacted store has the same rows on fewer pages, the same permissions, and continues", async () => {
  chmodSync(dataFile(directory), 0o640);
  const { before, after } = await compact();
  expect(after).toBeLessThan(before);
  expect(statSync(dataFile(directory)).size).toBe(after);
  expect(statSync(dataFile(directory)).mode & 0o777).toBe(0o640);
  expect(readdirSync(directory).sort()).toEqual(["data.mdb", "holdfast-store.json"]);
  expect(await continued(directory)).toEqual(rows);
});

test("a disk without space for the copy is refused before it is written", async () => {
  const store = await openStore(directory, { network });
  const files = { ...systemFiles, create: failing("ENOSPC") };
  await expect(
    compactStore(directory, { reserveBytes: 2 ** 60, pause: async () => {}, files }),
  ).rejects.toThrow(/MiB free; \d+ MiB are needed/);
  await store.close();
  expect(await continued(directory)).toEqual(rows);
});

describe("a compaction that fails", () => {
  test.each([
    ["no space is left", { create: failing("ENOSPC") }],
    [
      "no space is left",
      {
        create: async (path: string) =>
          Object.assign(await open(path, "wx"), { write: failing("ENOSPC") as never }),
      },
    ],
    [
      "I/O error",
      { create: async (path: string) => Object.assign(await open(path, "wx"), { sync: failing("EIO") }) },
    ],
    ["permission is denied", { rename: failing("EACCES") }],
  ] satisfies [string, Partial<CompactionFiles>][])(
    "leaves the store unchanged: %s",
    async (reason, files) => {
      await expect(compact(files)).rejects.toMatchObject({
        name: "CopyError",
        message: expect.stringMatching(
          `^Cannot compact the store ${directory}: .*${reason}.* It is unchanged$`,
        ),
      });
      expect(existsSync(compactDraft(directory))).toBe(false);
      expect(await continued(directory)).toEqual(rows);
    },
  );

  test("says that the store is compacted if only the lock file could not be removed", async () => {
    const remove = (path: string): void => {
      if (path === lockFile(directory)) failing("EIO")();
      rmSync(path, { force: true });
    };
    await expect(compact({ remove })).rejects.toThrow(
      /was compacted, but its lock file.*Remove .*data.mdb-lock/,
    );
    expect(await continued(directory)).toEqual(rows);
  });

  test("never replaces the store with a copy that differs from it", async () => {
    const create = async (path: string) => {
      const file = await open(path, "wx");
      const write = async (bytes: Buffer, offset: number, length: number) => {
        // The content of the last value.
        bytes[bytes.length - 1] ^= 1;
        bytes[5 * 4_096 + 4_000] ^= 1;
        return file.write(bytes, offset, length);
      };
      return Object.assign(Object.create(file), {
        write,
        sync: () => file.sync(),
        close: () => file.close(),
      });
    };
    await expect(compact({ create })).rejects.toThrow();
    expect(await continued(directory)).toEqual(rows);
  });

  test("ends at any pause after Ctrl-C, with the old store", async () => {
    let total = 0;
    await compact({}, async () => {
      total++;
    });
    expect(total).toBeGreaterThan(1);
    for (let at = 0; at < total; at++) {
      let left = at;
      const pause = async (): Promise<void> => {
        if (left-- === 0) throw new Error("Stopped");
      };
      await expect(compact({}, pause)).rejects.toThrow("Stopped");
      expect(existsSync(compactDraft(directory))).toBe(false);
    }
    expect(await continued(directory)).toEqual(rows);
  });
});

test("a kill before or after any step leaves a store with all rows, and its next opening removes the rest", async () => {
  const kept: string[] = [];
  /** What a kill at this moment would leave. */
  const keep = (): void => {
    const copy = join(home, `killed-${kept.length}`);
    cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
    kept.push(copy);
  };
  const around =
    <A extends unknown[]>(step: (...args: A) => void) =>
    (...args: A): void => {
      keep();
      step(...args);
      keep();
    };
  await compact({
    create: async (path) => {
      keep();
      const file = await open(path, "wx");
      const write = async (bytes: Buffer, offset: number, length: number) => {
        const result = await file.write(bytes, offset, Math.ceil(length / 3));
        keep();
        return result;
      };
      return { write: write as typeof file.write, sync: () => file.sync(), close: () => file.close() };
    },
    rename: around(systemFiles.rename),
    remove: around(systemFiles.remove),
    flush: around(systemFiles.flush),
  });
  expect(kept.length).toBeGreaterThan(8);
  let leftovers = 0;
  for (const copy of kept) {
    if (existsSync(compactDraft(copy))) leftovers++;
    expect(await continued(copy)).toEqual(rows);
    expect(existsSync(compactDraft(copy))).toBe(false);
  }
  expect(leftovers).toBeGreaterThan(3);
});

test("a process that opened the store before it was replaced is refused", async () => {
  const copy = join(home, "copy.mdb");
  copyFileSync(dataFile(directory), copy);
  // Opens the file before its first pause.
  const opening = openStore(directory, { network });
  renameSync(copy, dataFile(directory));
  await expect(opening).rejects.toThrow("its data file was replaced meanwhile: start again");
  expect(await continued(directory)).toEqual(rows);
});

/** Keeps the newest state of the data file, and its lock file, open. */
const reader = `
import { open } from "lmdb";
const db = open({ path: process.argv[1], noSubdir: true, readOnly: true, keyEncoding: "binary", encoding: "binary" });
const transaction = db.useReadTransaction();
console.log([...db.getKeys({ transaction })].length);
process.stdin.resume();
process.stdin.on("end", () => { transaction.done(); void db.close(); });
`;

test("a reader of the old file and its lock file does not disturb the next writer", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", reader, dataFile(directory)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  // As if killed before the lock file was removed.
  await expect(
    compact({
      remove: (path) => {
        if (path !== lockFile(directory)) rmSync(path, { force: true });
      },
    }),
  ).resolves.toBeDefined();
  expect(await continued(directory)).toEqual(rows);
  child.stdin.end();
  await once(child, "exit");
  expect(await continued(directory)).toHaveLength(rows.length + 1);
});
