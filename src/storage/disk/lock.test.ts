import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";

const network = "lock";
let home = "";
const stores: Store[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-lock-"));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(home, { recursive: true, force: true });
});

async function open(directory: string): Promise<Store> {
  const store = await openStore(directory, { network });
  stores.push(store);
  return store;
}

/** Copies a directory without the special files that Node.js cannot copy. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith(".sock") });
}

const inUse = { name: "StoreInUseError", message: expect.stringContaining(`(${process.pid})`) };

test("a copy of a directory in use can be opened next to it", async () => {
  await open(join(home, "store"));
  copy(join(home, "store"), join(home, "copy"));
  await open(join(home, "copy"));
  await expect(open(join(home, "copy"))).rejects.toMatchObject(inUse);
  await expect(open(join(home, "store"))).rejects.toMatchObject(inUse);
});

test("a directory in use is refused through symbolic links, also if their paths are too long for a socket", async () => {
  await open(join(home, "store"));
  const long = join(home, "x".repeat(120));
  for (const link of [join(home, "link"), long]) {
    symlinkSync(join(home, "store"), link);
    await expect(open(link)).rejects.toMatchObject(inUse);
  }
  await stores.pop()?.close();
  await open(long);
});

test("a directory whose path is too long for a socket is refused while it is in use; its copy is not", async () => {
  const long = join(home, "x".repeat(120));
  await open(long);
  await expect(open(long)).rejects.toMatchObject(inUse);
  symlinkSync(long, join(home, "link"));
  await expect(open(join(home, "link"))).rejects.toMatchObject(inUse);
  mkdirSync(join(home, "copy"));
  copy(long, join(home, "copy"));
  await open(join(home, "copy"));
  await expect(open(long)).rejects.toMatchObject(inUse);
});

test.each([
  [
    "of an older version that ended",
    () => ({ pid: 7, socket: join(home, "old", ".holdfast-0123456789ab.sock") }),
  ],
  ["with another file's name", () => ({ pid: 7, socket: "/var/run/other.sock" })],
  ["of another form", () => ["nothing"]],
  ["that is not JSON", () => undefined],
])("an owner %s is replaced", async (_, owner) => {
  const store = await open(join(home, "store"));
  store.write((batch) => batch.put(tables.meta, "owner", encodeUtf8(JSON.stringify(owner()) ?? "{")));
  copy(join(home, "store"), join(home, "copy"));
  await open(join(home, "copy"));
});
