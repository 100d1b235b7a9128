import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { isUnwritten } from "../disk/directory.ts";
import { DamagedFileError, readNewestState } from "../disk/lmdb-pages.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import {
  type BackupRequest,
  listBackups,
  readBackup,
  removeBackup,
  removeIncompleteBackups,
  writeBackup,
} from "./backup.ts";
import { StoreImage } from "./store-image.ts";

const network = "backup";
let home = "";
let chain: Store;
let anchors: Store;
const random = new SeededRandom(11);

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "holdfast-backup-"));
  chain = await openStore(join(home, "chain"), { network });
  anchors = await openStore(join(home, "anchors"), { network });
});
afterEach(async () => {
  await chain.close();
  await anchors.close();
  rmSync(home, { recursive: true, force: true });
});

/** Writes and removes rows of all sizes in one commit, so that pages become free. */
function change(store: Store): void {
  store.write((batch) => {
    for (let i = 0; i < 60; i++) {
      const key = { height: random.below(900), sequence: 0 };
      if (random.chance(30)) batch.remove(tables.journal, key);
      else
        batch.put(
          tables.journal,
          key,
          random.bytes(random.chance(20) ? random.below(20_000) : random.below(300)),
        );
    }
  });
}

/** Returns a digest of the rows, because comparing them takes seconds. */
function rowsOf(store: Store): string {
  const hash = createHash("sha256");
  store.read((reader) => {
    for (const [{ height }, value] of reader.range(tables.journal))
      hash.update(`${height} ${value.length} `).update(value);
  });
  return hash.digest("hex");
}

function request(target = join(home, "copy")): BackupRequest {
  const stores = [
    ["chain", join(home, "chain")],
    ["anchors", join(home, "anchors")],
  ] as const;
  return { target, network, stores, files: [], reserveBytes: 0, now: Date.UTC(2026, 10, 24) };
}

async function rowsIn(directory: string) {
  const store = await openStore(directory, { network });
  try {
    return rowsOf(store);
  } finally {
    await store.close();
  }
}

describe("a backup", () => {
  test("contains the state of one moment, while both stores change", async () => {
    for (let i = 0; i < 20; i++) for (const store of [chain, anchors]) change(store);
    const before = [rowsOf(chain), rowsOf(anchors)];
    let changes = 0;
    const description = await writeBackup(request(), {
      pause: async () => {
        for (const store of [chain, anchors]) change(store);
        changes++;
      },
    });
    expect(changes).toBeGreaterThan(1);
    expect([await rowsIn(join(home, "copy", "chain")), await rowsIn(join(home, "copy", "anchors"))]).toEqual(
      before,
    );
    expect(rowsOf(chain)).not.toEqual(before[0]);
    expect(readBackup(join(home, "copy"))).toEqual(description);
    expect(description).toMatchObject({
      contents: ["chain", "anchors"],
      created: "2026-11-24T00:00:00.000Z",
    });
  });

  test("has no free pages, and zeros where pages hold no data", async () => {
    for (let i = 0; i < 20; i++) change(chain);
    chain.write((batch) => batch.clearTable(tables.journal));
    for (let i = 0; i < 3; i++) change(chain);
    await writeBackup(request());
    const copy = await openStore(join(home, "copy", "chain"), { network, readOnly: true });
    expect(copy.statistics()).toMatchObject({ freeBytes: 0 });
    expect(rowsOf(copy)).toEqual(rowsOf(chain));
    await copy.close();
    expect(statSync(join(home, "copy", "chain", "data.mdb")).size).toBeLessThan(
      statSync(join(home, "chain", "data.mdb")).size / 2,
    );
  });

  test("copies secret files for the owner only, and leaves out missing ones", async () => {
    writeFileSync(join(home, "w"), "secret");
    const files = [
      ["wallet/wallet.bin", join(home, "w")],
      ["wallet/wallet.bin.password", join(home, "missing")],
    ] as const;
    const { contents } = await writeBackup({ ...request(), files });
    expect(contents).toEqual(["chain", "anchors", "wallet/wallet.bin"]);
    const copy = join(home, "copy", "wallet", "wallet.bin");
    expect(readFileSync(copy, "utf8")).toBe("secret");
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  test("replaces nothing", async () => {
    mkdirSync(join(home, "full"));
    writeFileSync(join(home, "full", "x"), "");
    for (const [target, text] of [
      ["full", "is not empty"],
      [join("full", "x"), "is a file"],
    ])
      await expect(writeBackup(request(join(home, target)))).rejects.toThrow(text);
    mkdirSync(join(home, "foreign.incomplete"));
    writeFileSync(join(home, "foreign.incomplete", "x"), "");
    await expect(writeBackup(request(join(home, "foreign")))).rejects.toThrow("is not an incomplete backup");
    symlinkSync(join(home, "missing"), join(home, "broken"));
    await expect(writeBackup(request(join(home, "broken")))).rejects.toThrow("link to a missing directory");
    mkdirSync(join(home, "empty"));
    symlinkSync(join(home, "empty"), join(home, "link"));
    await writeBackup(request(join(home, "link")));
    expect(readBackup(join(home, "empty"))).toBeDefined();
  });

  test("is refused if too little space would stay free", async () => {
    await expect(writeBackup({ ...request(), reserveBytes: 2 ** 60 })).rejects.toThrow(
      /The disk of .*copy has .* MiB free; 1 MiB are needed, and .* must stay free \(--disk-pause-free\)/,
    );
    expect(readdirSync(home).sort()).toEqual(["anchors", "chain"]);
  });
});

describe("a backup that fails", () => {
  test.each(["ENOSPC", "EIO", "ENOENT"])("with %s leaves the stores unchanged and no files", async (code) => {
    for (let i = 0; i < 10; i++) change(chain);
    const before = rowsOf(chain);
    const failing = async (path: string) => {
      const file = await open(path, "wx");
      const write = async () => {
        throw Object.assign(new Error(code), { code });
      };
      return Object.assign(file, { write: path.includes("anchors") ? write : file.write.bind(file) });
    };
    await expect(writeBackup(request(), { create: failing })).rejects.toMatchObject({
      name: "CopyError",
      message: expect.stringContaining(`Cannot write the backup ${join(home, "copy")}: `),
    });
    expect(readdirSync(home).sort()).toEqual(["anchors", "chain"]);
    expect(rowsOf(chain)).toEqual(before);
    await writeBackup(request());
  });

  test("because the process was killed is refused by name, and replaced by the next one", async () => {
    for (let i = 0; i < 10; i++) change(chain);
    const kept = join(home, "kept");
    await expect(
      writeBackup(request(), {
        create: async (path) => {
          // What a kill at this moment would leave.
          if (path.includes("anchors")) {
            mkdirSync(join(kept, "chain"), { recursive: true });
            for (const name of readdirSync(join(home, "copy.incomplete", "chain")))
              copyFileSync(join(home, "copy.incomplete", "chain", name), join(kept, "chain", name));
            copyFileSync(join(home, "copy.incomplete", "backup.json"), join(kept, "backup.json"));
            throw Object.assign(new Error("killed"), { code: "EIO" });
          }
          return open(path, "wx");
        },
      }),
    ).rejects.toThrow("I/O error");
    const refused = "it is an incomplete backup: delete it and use a complete one";
    await expect(openStore(join(kept, "chain"), { network })).rejects.toThrow(refused);
    expect(() => isUnwritten(join(kept, "chain"), network)).toThrow(refused);
    expect(readBackup(kept)).toBeUndefined();
    rmSync(join(home, "copy.incomplete"), { recursive: true, force: true });
    mkdirSync(join(home, "copy.incomplete"));
    copyFileSync(join(kept, "backup.json"), join(home, "copy.incomplete", "backup.json"));
    await writeBackup(request());
    expect(existsSync(join(home, "copy.incomplete"))).toBe(false);
  });

  test("is stopped on request", async () => {
    await expect(writeBackup(request(), { isStopped: () => true })).rejects.toThrow("Stopped");
    expect(readdirSync(home).sort()).toEqual(["anchors", "chain"]);
  });
});

describe("a backup that another process writes", () => {
  const draft = "backup-20261124T000000Z.incomplete";

  /** Calls a function while a backup is written, and finishes the backup. */
  async function whileWriting(target: string, work: () => Promise<void>) {
    let calls = 0;
    return writeBackup(request(target), {
      create: async (path) => {
        if (calls++ === 0) await work();
        return open(path, "wx");
      },
    });
  }

  test.each([
    ["a scheduled one", draft],
    ["one with another name", "monday.incomplete"],
  ])("stays when incomplete backups are removed: %s", async (_, name) => {
    const target = join(home, name.replace(".incomplete", ""));
    const description = await whileWriting(target, () => removeIncompleteBackups(home));
    expect(readBackup(target)).toEqual(description);
    expect(readdirSync(target).sort()).toEqual(["anchors", "backup.json", "chain"]);
    await rowsIn(join(target, "chain"));
  });

  test("is not replaced by a second one with the same target", async () => {
    const description = await whileWriting(join(home, "copy"), async () => {
      await expect(writeBackup(request())).rejects.toThrow(
        `Another process writes ${join(home, "copy.incomplete")}: wait until it ends`,
      );
    });
    expect(readBackup(join(home, "copy"))).toEqual(description);
    await rowsIn(join(home, "copy", "anchors"));
  });

  test("is never completed by a process whose draft was replaced", async () => {
    await expect(
      whileWriting(join(home, "copy"), async () => {
        rmSync(join(home, "copy.incomplete"), { recursive: true });
        mkdirSync(join(home, "copy.incomplete", "chain"), { recursive: true });
      }),
    ).rejects.toThrow(`${join(home, "copy.incomplete")} was removed or replaced while it was written`);
    expect(existsSync(join(home, "copy"))).toBe(false);
  });
});

test("only incomplete scheduled backups that nobody writes are removed", async () => {
  const names = ["backup-20261105T000000Z.incomplete", "monday.incomplete", "backup-20261106T000000Z"];
  for (const name of names) {
    mkdirSync(join(home, name));
    writeFileSync(join(home, name, "backup.json"), "{}");
  }
  await removeIncompleteBackups(home);
  expect(names.filter((name) => existsSync(join(home, name)))).toEqual(names.slice(1));
});

test("of a backup that is a link, only the link is removed", async () => {
  const link = join(home, "backup-20261124T000000Z");
  await writeBackup(request());
  symlinkSync(join(home, "copy"), link);
  expect(listBackups(home, network).map(({ path }) => path)).toEqual([link]);
  await removeBackup(link);
  expect(readdirSync(home).sort()).toEqual(["anchors", "chain", "copy"]);
  expect(readBackup(join(home, "copy"))).toBeDefined();
});

test("a backup whose removal was interrupted is incomplete", async () => {
  const target = join(home, "backup-20261124T000000Z");
  await writeBackup(request(target));
  const removed: string[] = [];
  const interrupted = removeBackup(target, async (path) => {
    removed.push(path);
    throw new Error("killed");
  });
  await expect(interrupted).rejects.toThrow("killed");
  expect(removed.length).toBe(1);
  expect(listBackups(home, network)).toEqual([]);
  expect(existsSync(target)).toBe(false);
  await removeIncompleteBackups(home);
  expect(readdirSync(home).sort()).toEqual(["anchors", "chain"]);
});

test("scheduled backups are listed by time, without incomplete ones and those of other networks", async () => {
  const folder = join(home, "scheduled");
  for (const day of [3, 1, 2]) {
    const now = Date.UTC(2026, 10, day);
    await writeBackup({ ...request(join(folder, `backup-2026110${day}T000000Z`)), now });
  }
  const others = ["backup-20261105T000000Z.incomplete", "backup-20261106T000000Z", "notes"];
  for (const name of others) mkdirSync(join(folder, name));
  expect(listBackups(folder, network).map(({ createdAt }) => new Date(createdAt).getUTCDate())).toEqual([
    1, 2, 3,
  ]);
  expect(listBackups(folder, "other")).toEqual([]);
  expect(listBackups(join(home, "missing"), network)).toEqual([]);
});

test("a damaged page is found, and no damage stops the process", async () => {
  for (let i = 0; i < 10; i++) change(chain);
  const path = join(home, "damaged.mdb");
  const whole = readFileSync(join(home, "chain", "data.mdb"));
  const check = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      for await (const _ of (await StoreImage.scan(file, readNewestState(file.fd))).chunks(2 ** 20));
      return "whole";
    } catch (error) {
      if (error instanceof DamagedFileError) return "damaged";
      throw error;
    } finally {
      await file?.close();
    }
  };
  expect(await check(whole)).toBe("whole");
  let found = 0;
  for (let i = 0; i < 60; i++) {
    const bytes = Buffer.from(whole);
    const page = 4_096 * random.below(bytes.length / 4_096);
    // Headers, and the offsets and lengths after them.
    for (let n = 0; n < 3; n++) bytes[page + random.below(60)] = random.below(256);
    if ((await check(bytes)) === "damaged") found++;
  }
  expect(found).toBeGreaterThan(10);
  expect(await check(whole.subarray(0, 8_192))).toBe("damaged");
  expect(await check(Buffer.alloc(100))).toBe("damaged");
});
